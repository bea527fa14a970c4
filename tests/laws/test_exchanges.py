"""What workers that search together send to each other, and when."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from communicators import ThreadCommunicator, train_together

import graphtrees as gt
from graphtrees._layout import GAIN_TOLERANCE
from graphtrees.kernels import grow_distributed as stages
from graphtrees.trees.distributed_gains import SharedGains

DATA = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=10, random_state=0)


def train() -> None:
    model = gt.GraphBoostingClassifier(2, n_jobs=1, max_leaf_nodes=4, random_state=0)
    train_together(model, DATA.X, DATA.y, np.arange(60) % 3)


def test_histograms_for_others_are_sent_before_a_worker_fills_its_own(monkeypatch):
    events = defaultdict(list)
    run, send = SharedGains._run, ThreadCommunicator.start_exchange

    def logged_run(self, stage, first, last, cells):
        events[self.search.communicator.rank].append((stage, int(first), int(last)))
        run(self, stage, first, last, cells)

    def logged_send(self, pieces):
        events[self.rank].append("sent")
        return send(self, pieces)

    monkeypatch.setattr(SharedGains, "_run", logged_run)
    monkeypatch.setattr(ThreadCommunicator, "start_exchange", logged_send)
    train()
    assert len(events) == 3
    for of_worker in events.values():
        turns = [of_worker[k : k + 5] for k in range(0, len(of_worker), 5)]
        assert len(turns) >= 2
        for before, after, sent, mine, searched in turns:
            assert sent == "sent"
            assert {before[0], after[0], mine[0]} == {stages.CELLS}
            assert (before[2], after[1]) == mine[1:]
            assert searched == (stages.SCAN, *mine[1:])


def test_only_the_best_columns_of_each_child_are_told(monkeypatch):
    told, best = [], SharedGains._best

    def logged(self, first, last):
        columns, shared = best(self, first, last), self.search.shared
        gain, child = shared.gain[first:last].copy(), shared.child[first:last]
        told.extend((gain[child == one], shared.gain[columns[shared.child[columns] == one]])
                    for one in range(2))  # fmt: skip
        return columns

    monkeypatch.setattr(SharedGains, "_best", logged)
    train()
    for gains, told_gains in told:
        near = gains.max(initial=0.0) * (1 - GAIN_TOLERANCE)
        np.testing.assert_array_equal(told_gains, gains[(gains > 0) & (gains >= near)])
    n_told, n_all = (sum(len(one[k]) for one in told) for k in (1, 0))
    assert 0 < n_told < n_all / 5
