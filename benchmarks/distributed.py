"""Training on a Dask cluster: how it scales on this machine, and what it sends.

    python -m benchmarks.distributed --set NCI1 --trees 20 --workers 1,2,3 --out distributed.md

Every worker is a process with one thread. One process with as many threads is run beside it, in
turns, so that a busy machine slows both. The second table is a model on paper of larger clusters;
`paper_seconds` says what it assumes.
"""

from __future__ import annotations

import argparse
import pickle
import time
from dataclasses import dataclass
from pathlib import Path

from distributed import Client, LocalCluster

import graphtrees as gt
from graphtrees.distributed import DaskGraphBoostingClassifier

GIGABITS = 10  # of the network, for the model on paper
LATENCY = 0.5e-3  # seconds of a message between two machines, Python and Dask included
EXCHANGES_A_SPLIT = 4
MEGABYTES_TO_ALL = 0.4  # sums and ranges of a tree, which each worker sends to all (ogbg-molhiv)


@dataclass(frozen=True)
class Measured:
    """Seconds of a fit, and what all workers sent for one tree."""

    n_workers: int
    cluster: float
    threads: float
    messages: float
    megabytes: float


def load(name: str):
    return gt.datasets.load_ogb(name) if name.startswith("ogb") else gt.datasets.load_tu(name)


def measure(data, n_workers: int, n_trees: int, repeats: int, **settings) -> Measured:
    """The best of some runs of a cluster and of one process, in turns.

    Each gets graphs that it has not seen: a second fit on the same ones is quicker to begin.
    """
    given = {"random_state": 0, "max_leaf_nodes": 10, **settings}
    cluster_seconds, thread_seconds = [], []
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        remote = DaskGraphBoostingClassifier(n_trees, **given)
        local = gt.GraphBoostingClassifier(n_trees, n_jobs=n_workers, **given)
        DaskGraphBoostingClassifier(1, **given).fit(data.X, data.y)  # compiles
        gt.GraphBoostingClassifier(1, n_jobs=n_workers, **given).fit(data.X, data.y)
        for _ in range(repeats):
            for model, seconds in ((remote, cluster_seconds), (local, thread_seconds)):
                X = pickle.loads(pickle.dumps(data.X))
                start = time.perf_counter()
                model.fit(X, data.y)
                seconds.append(time.perf_counter() - start)
        report = remote.cluster_report_
    return Measured(
        n_workers, min(cluster_seconds), min(thread_seconds), report.n_messages / n_trees,
        report.n_bytes / n_trees / 1e6,
    )  # fmt: skip


def paper_seconds(n_workers: int, tree: float, megabytes: float, n_splits: int) -> float:
    """Seconds a tree on so many machines, by arithmetic.

    The rows are divided evenly, so that what one worker takes for a tree is divided by their
    number. Histograms have as many words however the rows are divided, and as many zeros as was
    measured: each worker sends all but its own share of them. Sums and ranges go to every other
    worker. An exchange takes one latency, and a little for each message that Python sends.
    """
    sent = megabytes * (n_workers - 1) / n_workers + MEGABYTES_TO_ALL * (n_workers - 1)
    each = LATENCY + 20e-6 * (n_workers - 1)
    return tree / n_workers + sent * 8 / (GIGABITS * 1e3) + n_splits * EXCHANGES_A_SPLIT * each


def page(name: str, n_trees: int, rows: list[Measured]) -> str:
    lines = [
        f"{name}, {n_trees} trees of 10 leaves.",
        "",
        "| workers, one thread each | seconds | one process with as many threads | ratio "
        "| messages a tree | MB a tree |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in rows:
        lines.append(
            f"| {one.n_workers} | {one.cluster:.1f} | {one.threads:.1f} "
            f"| {one.cluster / one.threads:.2f} | {one.messages:.0f} | {one.megabytes:.1f} |"
        )
    alone = rows[0].threads / n_trees
    megabytes = max(one.megabytes / max(1, one.n_workers - 1) for one in rows)
    lines += [
        "",
        f"On paper, for 100 times as many rows, over {GIGABITS} Gbit/s: seconds a tree.",
        "",
        "| workers | 1 | 10 | 100 | 1,000 |",
        "| --- | --- | --- | --- | --- |",
        "| seconds | "
        + " | ".join(
            f"{paper_seconds(n, 100 * alone, megabytes, 9):.2f}" for n in (1, 10, 100, 1000)
        )
        + " |",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="NCI1")
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--workers", default="1,2,3")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--p", type=float, default=1.0, help="walk_type_probability")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    data, rows = load(given.set), []
    for n_workers in map(int, given.workers.split(",")):
        rows.append(
            measure(data, n_workers, given.trees, given.repeats, walk_type_probability=given.p)
        )
        print(rows[-1], flush=True)
    text = page(given.set, given.trees, rows)
    print(text)
    if given.out is not None:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
