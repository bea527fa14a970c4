"""From a model and examples to the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.files import write_whole
from graphtrees.graphs import Graph
from graphtrees.graphs.validation.arguments import as_count, as_path
from graphtrees.plot.report.answers import Answers, read_answers
from graphtrees.plot.report.drawing import Drawer
from graphtrees.plot.report.examples import ExampleBlocks, check_ids, names_of, rows_of
from graphtrees.plot.report.metrics import confusion, headline, residuals
from graphtrees.plot.report.page import build_page
from graphtrees.plot.report.summary import curves, facts, importances
from graphtrees.plot.report.trees import describe_tree
from graphtrees.validation.examples import read_examples
from graphtrees.validation.fingerprints import were_seen
from graphtrees.validation.models import fitted_trees, shown_member, workers_of


def write_report(
    model: Any,
    X: Any,
    y: Any = None,
    path: str | os.PathLike = "report.html",
    *,
    class_: Any = None,
    title: str | None = None,
    names: Sequence[Any] | None = None,
    ids: Mapping[str, Sequence[Any]] | None = None,
    labels: str | Callable[[Graph], Any] | None = None,
    max_examples: int = 1000,
    n_trees: int = 5,
    max_vertices: int = 150,
) -> Path:
    """Write one page that shows how good a model is, and why it says what it says.

    The page is one file that needs no network: metrics, learning curves, importances, and a list
    of examples, mistakes first. Examples that the model was fitted on are marked; metrics are of
    the others, as far as there are any. A click on an example shows its graph and the trees it
    went through, and at each split the subset of vertices it used and the two it made.

    Parameters
    ----------
    model : fitted estimator
        Of an ensemble, such as `AutoGraphClassifier`, the heaviest member shows its trees.
    X : Graphs, Vertices, Edges, list of Graph, or table
        Examples to show, best some that the model was not fitted on.
    y : array of shape (n_examples,), optional
        What is true of them; without it the page shows what the model says, and no metrics.
    path : str or path, default="report.html"
        Written whole or not at all.
    class_ : label, optional
        The class to explain; default: the predicted one of each example. For a regressor with
        several outputs, the number of the output.
    title : str, optional
    names : sequence of length n_examples, optional
        What to call the examples; default: their numbers, or the names of the vertices.
    ids : mapping of str to sequences of length n_examples, optional
        More columns that tell the examples apart, such as SMILES; the page finds by them.
    labels : str or function, optional
        What to write at the vertices: the name of a feature, or a function from a Graph to one
        text for each vertex. Default: their names, else their only category, else their numbers.
    max_examples : int, default=1000
        List at most so many, those to look at first. Metrics are of all examples.
    n_trees : int, default=5
        Show the way through so many trees of each example, those that add most.
    max_vertices : int, default=150
        Draw at most so many vertices of a graph, the most important.

    Returns
    -------
    pathlib.Path
        Where the page is.

    Examples
    --------
    >>> import graphtrees as gt, pathlib, tempfile
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=8, random_state=0)
    >>> model = gt.GraphTreeClassifier(random_state=0).fit(data.X, data.y)
    >>> page = model.report(data.X, data.y, pathlib.Path(tempfile.mkdtemp()) / "report.html")
    >>> page.read_text().startswith("<!doctype html>")
    True
    """
    place = _check_place(path)
    max_examples, n_trees = as_count(max_examples, "max_examples"), as_count(n_trees, "n_trees")
    max_vertices = as_count(max_vertices, "max_vertices")
    member = shown_member(model)[2]
    shown = fitted_trees(member)
    examples = read_examples(shown, X)
    answers = read_answers(model, shown, examples, y, class_)
    if answers.n == 0:
        raise ValueError("X holds no examples; at least one is needed")
    names = names_of(X, answers.n, names)
    columns = check_ids(ids, answers.n)
    seen = were_seen(shown, examples)
    order = answers.order()
    listed = order[np.argsort(seen[order], kind="stable")][:max_examples]
    fresh = answers if seen.all() else answers.take(~seen)
    with workers_of(member) as workers:
        explained = ExampleBlocks(shown, class_, Drawer(max_vertices, labels), n_trees, workers)
        blocks = list(explained.of(X, listed, member.verbose))
    blocks += [(f"tree-{k}", describe_tree(shown, k, met)) for k, met in explained.met.items()]
    data = facts(model, answers.n) | {
        "title": type(model).__name__ if title is None else str(title),
        "metrics": headline(fresh),
        "seen": _describe_seen(answers, seen),
        "labels": None if answers.labels is None else [str(label) for label in answers.labels],
        "confusion": confusion(fresh),
        "residuals": residuals(answers, listed),
        "curves": curves(member),
        "importances": importances(shown),
        "examples": rows_of(answers, names, listed)
        | {
            "seen": seen[listed].astype(int).tolist(),
            "ids": [[name, [column[k] for k in listed]] for name, column in columns.items()],
        },
    }
    write_whole(place, build_page(f"{data['title']} · {data['line']}", data, blocks))
    return place


def _describe_seen(answers: Answers, seen: np.ndarray) -> dict[str, Any] | None:
    """How many examples the model was fitted on, and its metrics on them; None: on none."""
    if not seen.any():
        return None
    n_seen = int(seen.sum())
    metrics = [] if seen.all() else headline(answers.take(seen))
    return {"n": n_seen, "fresh": answers.n - n_seen, "metrics": metrics}


def _check_place(path: str | os.PathLike) -> Path:
    """Say what is wrong with a path before the work is done, not after."""
    place = as_path(path)
    if place.is_dir():
        raise IsADirectoryError(f"path must be a file to write; {place} is a folder")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"path is {place}, but there is no folder {place.parent}")
    return place
