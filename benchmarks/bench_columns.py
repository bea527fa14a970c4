"""What one node costs: making the columns of two subsets, and searching all columns.

    python benchmarks/bench_columns.py [NCI1]

All graphs of a data set are one node two levels below the root; its vertices are split at random
into S+ and S-. Prints CPU time on one thread, the best of nine.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import graphtrees as gt
from graphtrees._threads import Workers
from graphtrees.kernels import graph_values, grow
from graphtrees.kernels._jit import kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels._team import new_state
from graphtrees.kernels.growing.children import prepare_children
from graphtrees.kernels.histograms import NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import Draws, _growth
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.workspace import empty_nodes, search_limits

EVERY_TYPE = 15  # one bit for each walk type


@kernel
def make_all(codes, places, source, scratch, block):
    source, scratch = reference(source), reference(scratch)
    n_graphs = source.layout.vertex_ptr.shape[0] - 1
    graph_values.make_stretch(0, n_graphs, codes, 2, places, source, scratch, block)


@kernel
def begin(source, questions, stats, growth, limits, nodes, work, team):
    source, questions, stats = reference(source), reference(questions), reference(stats)
    growth, limits = reference(growth), reference(limits)
    nodes, work = reference(nodes), reference(work)
    grow.begin(source.patterns, questions, stats, growth, nodes, work)
    nodes.depth[0] = 2
    prepare_children(source, questions, stats, growth, limits, nodes, work, team, (0, 1))


@kernel
def search(source, questions, static, stats, growth, limits, nodes, work, scratch, own, team):
    source, questions, static = reference(source), reference(questions), reference(static)
    stats, growth, limits = reference(stats), reference(growth), reference(limits)
    nodes, work = reference(nodes), reference(work)
    scratch, own = reference(scratch), reference(own)
    grow._search(
        source, questions, static, stats, growth, limits, nodes, work, scratch, own, team, 1
    )


def best_of(function, repeats: int = 9) -> float:
    """Milliseconds."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main(name: str) -> None:
    rng = np.random.default_rng(0)
    model = gt.GraphBoostingClassifier()
    examples, fitted = model._read_training(gt.datasets.load_tu(name).X)
    data = model._training_data(fitted, examples, Workers(1))
    n, columns, table = data.n_examples, data.columns, data.questions
    growth = _growth(data, GrowthLimits(10, None, 10), Draws(0))
    workspace = data.workspace(1, 2, growth)
    work, own = workspace.work, workspace.source_scratch[0]
    codes = rng.integers(1, 3, data.batch.n_vertices).astype(np.uint8)

    def make() -> None:
        for block in work.blocks:
            make_all(codes, table.places[EVERY_TYPE], columns.source(), own, block)

    print(f"making two pairs of subsets  {best_of(make):8.2f} ms, {2 * n} graphs")
    questions = table.record(np.ones(data.batch.n_columns, bool))
    newton = Statistics.newton(rng.normal(size=(n, 1)), np.ones((n, 1)), np.ones(n))
    stats, nodes = newton.record(Criterion(NEWTON, 3.0)), empty_nodes(3, 2)
    limits = search_limits(10, 255, data.batch.has_missing)
    work.rows[:] = np.arange(n)
    team = new_state()
    begin(columns.source(), questions, stats, growth, limits, nodes, work, team)

    def find() -> None:
        team[:] = 0
        search(
            columns.source(), questions, data.static, stats, growth, limits, nodes, work,
            workspace.scratch[0], own, team,
        )  # fmt: skip

    n_answers = data.n_answers
    print(f"searching all columns        {best_of(find):8.2f} ms, {n_answers} answers")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "NCI1")
