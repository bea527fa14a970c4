"""The examples of the page: what they are called, their rows in the list, one block for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from graphtrees._progress import Progress
from graphtrees._threads import Workers
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.explaining import explain_trees
from graphtrees.explain.explanation import Explanation
from graphtrees.graphs import Edges, Vertices, as_examples
from graphtrees.plot.report.answers import Answers
from graphtrees.plot.report.drawing import Drawer
from graphtrees.plot.report.metrics import digits
from graphtrees.plot.report.paths import describe, paths
from graphtrees.validation.examples import is_table

# So many importances are held at once: those of a vertex cover its whole graph.
ROOM = 20_000_000


class ExampleBlocks:
    """Explains examples one after another, and keeps in mind which trees they met."""

    def __init__(
        self, fitted: FittedTrees, class_: Any, drawer: Drawer, n_trees: int, workers: Workers
    ) -> None:
        self.fitted, self.class_, self.drawer = fitted, class_, drawer
        self.n_trees, self.workers = n_trees, workers
        self.met: dict[int, set[int]] = {}  # tree -> nodes on the way of some example

    def of(self, X: Any, rows: np.ndarray, verbose: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """(name, content) for each of these rows of X."""
        progress = Progress("example", len(rows), verbose)
        for part in _in_parts(X, rows):
            for explanation in explain_trees(self.fitted, part, self.class_, self.workers):
                yield f"example-{progress.done}", self._describe(explanation)
                progress.step()
            self.drawer.forget()
        progress.close()

    def _describe(self, explanation: Explanation) -> dict[str, Any]:
        explanation = explanation.without_graph_features()
        shown = None if self.fitted.kind == "rows" else self.drawer.choose(explanation)
        shown_paths = paths(explanation, self.n_trees)
        for path in shown_paths:
            nodes = {step.node for step in path.steps} | {path.leaf}
            self.met.setdefault(path.tree, set()).update(nodes)
        of_edges = explanation.edge is not None
        return {
            "class": None if explanation.class_ is None else str(explanation.class_),
            "score": digits(explanation.score),
            "drawing": None if shown is None else self.drawer.draw(explanation, shown),
            "paths": [describe(path, shown, of_edges) for path in shown_paths],
        }


def _in_parts(X: Any, rows: np.ndarray) -> Iterator[Any]:
    """The chosen examples, in parts that are explained at once."""
    if is_table(X):
        yield _safe_indexing(X, rows)
        return
    examples = as_examples(X)
    size = len(rows)
    if isinstance(examples, (Vertices, Edges)):
        flat = examples.graphs.flat
        size = max(1, ROOM // max(1, flat.n_vertices + flat.n_edges))
    for start in range(0, len(rows), size):
        yield examples[rows[start : start + size]]


def names_of(X: Any, n: int, names: Sequence[Any] | None) -> list[str]:
    """The names given, else those of the vertices, else numbers."""
    if names is not None:
        texts = [str(name) for name in names]
        if len(texts) != n:
            raise ValueError(
                f"names must have one entry for each of the {n} examples; got {len(texts)}"
            )
        return texts
    if not isinstance(X, (Vertices, Edges)):
        return [str(k) for k in range(n)]
    flat = X.graphs.flat
    ends = [X.vertex_of] if isinstance(X, Vertices) else _ends(X)
    if flat.vertex_names is not None:
        ends = [flat.vertex_names[flat.vertex_ptr[X.graph_of] + end] for end in ends]
    texts = [" – ".join(map(str, parts)) for parts in zip(*ends, strict=True)]
    if len(X.graphs) > 1:
        texts = [f"{text} of graph {g}" for text, g in zip(texts, X.graph_of, strict=True)]
    return texts


def _ends(X: Edges) -> list[np.ndarray]:
    flat = X.graphs.flat
    return list(flat.edges[:, flat.edge_ptr[X.graph_of] + X.edge_of])


def check_ids(ids: Mapping[str, Sequence[Any]] | None, n: int) -> dict[str, list[str]]:
    """Columns that say which example is which, as text."""
    columns = {str(name): [str(value) for value in column] for name, column in (ids or {}).items()}
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(
                f"ids: {name!r} must have one entry for each of the {n} examples; got {len(column)}"
            )
    return columns


def rows_of(answers: Answers, names: list[str], listed: np.ndarray) -> dict[str, list]:
    """The list of examples, column by column; classes by number."""
    of_classes = answers.labels is not None
    predicted = answers.predicted[listed]
    rows: dict[str, list] = {
        "name": [names[k] for k in listed],
        "said": predicted.tolist() if of_classes else [digits(v) for v in predicted],
    }
    if answers.truth is not None:
        truth = answers.truth[listed]
        rows["true"] = truth.tolist() if of_classes else [digits(v) for v in truth]
    if of_classes:
        rows["sure"] = [digits(v, 3) for v in answers.sureness[listed]]
    elif answers.truth is not None:
        rows["off"] = [digits(v) for v in answers.residual[listed]]
    return rows
