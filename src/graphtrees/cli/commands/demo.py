"""`graphtrees demo`: the Red Isolated Vertex task of the TREE-G paper, from data to a picture."""

from __future__ import annotations

import argparse
import io
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.console import Console
from graphtrees.cli.errors import UserError
from graphtrees.cli.output import check_place
from graphtrees.cli.rules import Rule, most_important_rule

N_GRAPHS, N_TREES = 1000, 50
PICTURE = "graphtrees-demo.png"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FOLDER", default=".",
                        help="where the picture goes (default: here)")  # fmt: skip
    parser.add_argument("--graphs", type=int, default=N_GRAPHS, metavar="N",
                        help=f"how many graphs to make (default: {N_GRAPHS})")  # fmt: skip
    parser.add_argument("--random-state", type=int, default=0, metavar="SEED",
                        help="of the graphs and the model (default: 0)")  # fmt: skip


def run(arguments: argparse.Namespace, console: Console) -> None:
    folder = Path(arguments.output)
    check_place(folder / PICTURE)
    if arguments.graphs < 50:
        raise UserError(f"--graphs must be at least 50; got {arguments.graphs}")
    from graphtrees.datasets import make_red_isolated_vertex
    from graphtrees.validation.models import fitted_trees

    task = make_red_isolated_vertex(arguments.graphs, random_state=arguments.random_state)
    train, test = task.splits[0]["train"], task.splits[0]["test"]
    console.say(
        f"{console.bold('task')}      {len(task.X):,} graphs of 50 vertices, red or blue. Is "
        f"exactly one red vertex isolated?\n          {len(train):,} to learn from, {len(test):,} "
        "to test on"
    )
    model, ours, seconds = _fit(task, train, test, arguments.random_state)
    plain = _baseline(task, train, test, arguments.random_state)
    console.say(
        f"{console.bold('accuracy')}  {ours:.3f}  GraphBoostingClassifier, {N_TREES} trees, "
        f"{seconds:.1f} s\n          {plain:.3f}  scikit-learn's HistGradientBoosting on the sum, "
        "mean, min and max\n                 of redness and degree over the vertices"
    )
    rule = most_important_rule(fitted_trees(model))
    _say_rule(rule, console)
    picture = _draw(model, rule.tree, (folder / PICTURE).resolve(), console)
    if picture is not None:
        console.say(f"{console.bold('picture')}   {picture}")
    console.result(
        {
            "accuracy": ours,
            "baseline_accuracy": plain,
            "baseline": "HistGradientBoostingClassifier on sum, mean, min and max of redness and "
            "degree",
            "seconds": round(seconds, 3),
            "rule": rule.lines,
            "picture": None if picture is None else str(picture),
        }
    )


def _fit(task: Any, train: np.ndarray, test: np.ndarray, seed: int) -> tuple[Any, float, float]:
    from graphtrees.estimators import GraphBoostingClassifier

    start = time.monotonic()
    # Walks of one step are enough to see who is isolated, and make rules that are short to read.
    model = GraphBoostingClassifier(N_TREES, max_walk_length=1, random_state=seed)
    model.fit(task.X[train], task.y[train])
    seconds = time.monotonic() - start
    return model, model.score(task.X[test], task.y[test]), seconds


def _baseline(task: Any, train: np.ndarray, test: np.ndarray, seed: int) -> float:
    """What boosted trees make of a table with one row a graph."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    rows = np.array([_aggregates(graph) for graph in task.X])
    # Threads that wait for each other cost more here than they bring on a busy machine.
    with threadpool_limits(limits=1, user_api="openmp"):
        model = HistGradientBoostingClassifier(random_state=seed).fit(rows[train], task.y[train])
        return float(model.score(rows[test], task.y[test]))


def _aggregates(graph: Any) -> list[float]:
    degree = np.bincount(graph.edge_index.ravel(), minlength=graph.n_vertices)
    columns = (graph.features[:, 0], degree)
    return [float(f(column)) for column in columns for f in (np.sum, np.mean, np.min, np.max)]


def _say_rule(rule: Rule, console: Console) -> None:
    console.say(f"{console.bold('rule')}      the most important of all (tree {rule.tree}):")
    for line in rule.lines:
        console.say(f"          {line}")


def _draw(model: Any, tree: int, path: Path, console: Console) -> Path | None:
    """The tree that has the rule; without matplotlib there is no picture, and no fuss."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        console.note("a picture needs matplotlib: pip install 'graphtrees[plot]'")
        return None
    from graphtrees.files import write_whole
    from graphtrees.plot import plot_tree

    figure = plot_tree(model, tree).figure
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=120, bbox_inches="tight")
    plt.close(figure)
    write_whole(path, picture.getvalue())
    return path
