"""From a model and examples to the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from graphtrees._progress import Progress
from graphtrees.estimators.reading import is_graph_like
from graphtrees.explain import Explanation, explain_many
from graphtrees.files import write_whole
from graphtrees.graphs import Edges, Graph, Vertices, as_examples
from graphtrees.plot.report.answers import Answers, read_answers
from graphtrees.plot.report.drawing import Drawer
from graphtrees.plot.report.metrics import confusion, digits, headline, residuals
from graphtrees.plot.report.page import build_page
from graphtrees.plot.report.paths import describe, paths
from graphtrees.plot.report.summary import curves, facts, importances
from graphtrees.plot.report.trees import describe_tree

# So many importances are held at once: those of a vertex cover its whole graph.
ROOM = 20_000_000


def write_report(
    model: Any,
    X: Any,
    y: Any = None,
    path: str | os.PathLike = "report.html",
    *,
    class_: Any = None,
    title: str | None = None,
    names: Sequence[Any] | None = None,
    labels: str | Callable[[Graph], Any] | None = None,
    max_examples: int = 1000,
    n_trees: int = 5,
    max_vertices: int = 150,
) -> Path:
    """Write one page that shows how good a model is, and why it says what it says.

    The page is one file that needs no network: metrics, learning curves, importances, and a list
    of examples, mistakes first. A click on one shows its graph and the trees it went through, and
    at each split the subset of vertices it used and the two it made.

    Parameters
    ----------
    model : fitted estimator
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
    counts = {"max_examples": max_examples, "n_trees": n_trees, "max_vertices": max_vertices}
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1; got {value!r}")
    answers = read_answers(model, X, y, class_)
    texts = _names(model, X, answers.n, names)
    listed = answers.order()[: int(max_examples)]
    examples = _Examples(model, class_, Drawer(int(max_vertices), labels), int(n_trees))
    blocks = list(examples.blocks(_in_parts(X, model._kind, listed)))
    data = facts(model, answers.n) | {
        "title": title if title is not None else type(model).__name__,
        "metrics": headline(answers),
        "labels": None if answers.labels is None else [str(label) for label in answers.labels],
        "confusion": confusion(answers),
        "residuals": residuals(answers, listed),
        "curves": curves(model),
        "importances": importances(model),
        "examples": _rows(answers, texts, listed),
        "of": answers.n,
        "trees": len(model._trees),
    }
    blocks += [(f"tree-{k}", describe_tree(model, k, met)) for k, met in examples.met.items()]
    write_whole(place, build_page(f"{data['title']} · {data['line']}", data, blocks))
    return place


class _Examples:
    """Explains examples one after another, and keeps in mind which trees they met."""

    def __init__(self, model: Any, class_: Any, drawer: Drawer, n_trees: int) -> None:
        self.model, self.class_, self.drawer, self.n_trees = model, class_, drawer, n_trees
        self.met: dict[int, set[int]] = {}

    def blocks(self, parts: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        total = sum(len(part) for part in parts)
        progress = Progress("example", total, getattr(self.model, "verbose", 0))
        for part in parts:
            for explanation in explain_many(self.model, part, self.class_):
                yield f"example-{progress.done}", self._describe(explanation)
                progress.step()
            self.drawer.forget()
        progress.close()

    def _describe(self, explanation: Explanation) -> dict[str, Any]:
        on_table = self.model._kind == "rows"
        shown = None if on_table else self.drawer.choose(explanation)
        found = paths(explanation, self.n_trees)
        for path in found:
            nodes = {step.node for step in path.steps} | {path.leaf}
            self.met.setdefault(path.tree, set()).update(nodes)
        of_edges = explanation.edge is not None
        return {
            "class": None if explanation.class_ is None else str(explanation.class_),
            "score": digits(explanation.score),
            "drawing": None if shown is None else self.drawer.draw(explanation, shown),
            "paths": [describe(path, shown, of_edges) for path in found],
        }


def _check_place(path: str | os.PathLike) -> Path:
    """Say what is wrong with a path before the work is done, not after."""
    place = Path(path)
    if place.is_dir():
        raise IsADirectoryError(f"path must be a file to write; {place} is a folder")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"path is {place}: there is no folder {place.parent}")
    return place


def _names(model: Any, X: Any, n: int, names: Sequence[Any] | None) -> list[str]:
    if names is not None:
        texts = [str(name) for name in names]
        if len(texts) != n:
            raise ValueError(f"names must have one entry for each of {n} examples; got {len(texts)}")
        return texts
    if not isinstance(X, (Vertices, Edges)):
        return [str(k) for k in range(n)]
    flat, many = X.graphs.flat, len(X.graphs) > 1
    known = flat.vertex_names
    start = flat.vertex_ptr[X.graph_of]
    if isinstance(X, Vertices):
        ends = [X.vertex_of]
    else:
        ends = list(flat.edges[:, flat.edge_ptr[X.graph_of] + X.edge_of])
    told = [(end if known is None else known[start + end]) for end in ends]
    texts = [" – ".join(map(str, parts)) for parts in zip(*told, strict=True)]
    if many:
        texts = [f"{text} of graph {g}" for text, g in zip(texts, X.graph_of, strict=True)]
    return texts


def _rows(answers: Answers, names: list[str], listed: np.ndarray) -> dict[str, list]:
    """The list of examples, column by column; classes by number."""
    of_classes = answers.labels is not None
    said, truth = answers.said[listed], answers.truth
    rows: dict[str, list] = {
        "name": [names[k] for k in listed],
        "said": said.tolist() if of_classes else [digits(v) for v in said],
    }
    if truth is not None:
        real = truth[listed]
        rows["true"] = real.tolist() if of_classes else [digits(v) for v in real]
    if of_classes:
        rows["sure"] = [digits(v, 3) for v in answers.sureness[listed]]
    elif truth is not None:
        rows["off"] = [digits(-v) for v in answers.residual[listed]]
    return rows


def _in_parts(X: Any, kind: str, rows: np.ndarray) -> list[Any]:
    """The chosen examples, in parts that are explained at once."""
    if not is_graph_like(X):
        return [_safe_indexing(X, rows)] if len(rows) else []
    examples = as_examples(X)
    size = max(1, len(rows))
    if kind in ("vertices", "edges"):
        flat = examples.graphs.flat
        size = max(1, ROOM // max(1, flat.n_vertices + flat.n_edges))
    return [examples[rows[start : start + size]] for start in range(0, len(rows), size)]
