"""What the search by histograms gives away: training loss with max_bins=255 and max_bins=None.

python benchmarks/histogram_against_exact.py --data MUTAG,PROTEINS,NCI1
python benchmarks/histogram_against_exact.py --data NCI1 --limit 1000

Sets that are not at hand are generated in their shape. Every walk type is offered (p = 1): a random
choice of them would differ as soon as two trees do. Figures are in docs/performance.md.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import data
from sklearn.metrics import log_loss

from graphtrees import GraphBoostingClassifier

SEARCHES = {"histogram": 255, "exact": None}


def measure(task: data.Task, max_bins: int | None, n_trees: int) -> tuple[float, float]:
    """Training log loss, and seconds of the fit."""
    model = GraphBoostingClassifier(n_trees, max_bins=max_bins, random_state=0)
    start = perf_counter()
    model.fit(task.X, task.y)
    return float(log_loss(task.y, model.predict_proba(task.X))), perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="MUTAG,PROTEINS,NCI1")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--limit", type=int, help="so many examples of each set, spread evenly")
    given = parser.parse_args()
    print("| data | examples | max_bins=255 | max_bins=None | ratio | seconds |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in given.data.split(","):
        task = data.load(name, given.limit)
        reached = {
            search: measure(task, max_bins, given.trees) for search, max_bins in SEARCHES.items()
        }
        histogram, exact = reached["histogram"][0], reached["exact"][0]
        seconds = " and ".join(f"{seconds:.0f}" for _, seconds in reached.values())
        said = f"{name} (generated)" if task.is_generated else name
        print(
            f"| {said} | {len(task.y)} | {histogram:.5f} | {exact:.5f} "
            f"| {histogram / exact:.4f} | {seconds} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
