"""`inspect`: put together what there is to say about data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs import Edges, FlatGraphs, Graph, Graphs, Vertices, as_examples, concatenate
from graphtrees.graphs.flat import spread_graph_features
from graphtrees.graphs.hashing import mix, mix_edges
from graphtrees.inspection.alike import describe_alike
from graphtrees.inspection.copies import forms_of, layouts_of
from graphtrees.inspection.overlap import Overlap, describe_overlap, words_of_places
from graphtrees.inspection.refinement import Colours, GraphWords, refine_graphs, words_of_graphs
from graphtrees.inspection.report import Inspection
from graphtrees.inspection.shape import describe_features, describe_shape
from graphtrees.inspection.target import Target, describe_labels, read_target


def inspect(X: Any, y: Any = None, test: Any = None) -> Inspection:
    """Look at examples before training on them.

    Tells sizes and degrees, the balance of the labels, features that are constant or missing,
    graphs that occur twice, examples that no 1-WL method (no message passing between neighbours)
    can tell apart with the score that such a method cannot pass, labels that are sorted, and
    examples that training and test share.

    Parameters
    ----------
    X : Graphs, Vertices, Edges, list of Graph, or table (n_examples, n_features)
        The examples, as for `fit`.
    y : array of shape (n_examples,), optional
        Their labels; None and NaN are missing.
    test : X or (X, y), optional
        Examples kept for testing, to be compared with the first.

    Returns
    -------
    Inspection
        Prints as a page of text and shows as HTML in a notebook; `warnings` lists what needs
        attention, `to_dict()` gives everything as plain numbers and lists.

    Notes
    -----
    1-WL sees all that a graph holds: features of vertices, directions, weights, types and features
    of edges. The ceilings are facts about these examples: the best that one answer for each group
    of twins would score on them. Questions about cycles and subsets see more than 1-WL does.

    Examples
    --------
    Six vertices in one ring, or in two: the same to 1-WL.

    >>> import graphtrees as gt
    >>> from graphtrees.inspection import inspect
    >>> ring = gt.Graph(None, [(i, (i + 1) % 6) for i in range(6)])
    >>> triangles = gt.Graph(None, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    >>> seen = inspect([ring, triangles], ["one", "two"])
    >>> seen.twins.n_with_twin, seen.twins.ceiling, seen.copies.n_with_twin
    (2, 0.5, 0)
    """
    train = _Part.of(X, y, "X", "y")
    if test is None:
        return _describe(train, None)
    is_pair = isinstance(test, tuple) and len(test) == 2 and not isinstance(test[1], Graph)
    X_test, y_test = test if is_pair else (test, None)
    task = None if train.target is None else train.target.task
    return _describe(train, _Part.of(X_test, y_test, "test", "y of test", task))


@dataclass(frozen=True)
class _Part:
    """Some examples: graphs, or places in graphs."""

    kind: str  # "graphs", "vertices", "edges" or "rows"
    flat: FlatGraphs
    graph_of: np.ndarray
    part_of: np.ndarray | None
    target: Target | None
    n_graph_features: int  # the last features of `flat`

    @classmethod
    def of(cls, X: Any, y: Any, what: str, label: str, task: str | None = None) -> _Part:
        kind, examples = _examples(X, what)
        if isinstance(examples, Graphs):
            flat, graph_of, part_of = examples.flat, np.arange(len(examples)), None
        else:
            # Graphs that no example is taken from are left out of every count.
            used, graph_of = np.unique(examples.graph_of, return_inverse=True)
            flat, part_of = examples.graphs[used].flat, examples._part_of
        n_graph_features = len(flat.graph_feature_names)
        flat = spread_graph_features(flat)
        target = None if y is None else read_target(y, len(graph_of), label, task)
        return cls(kind, flat, graph_of, part_of, target, n_graph_features)

    @property
    def n_examples(self) -> int:
        return len(self.graph_of)


def _examples(X: Any, what: str) -> tuple[str, Graphs | Vertices | Edges]:
    if isinstance(X, (Graphs, Vertices, Edges, Graph, list, tuple)):
        examples = as_examples(X)
        return type(examples).__name__.lower(), examples
    if len(getattr(X, "shape", ())) == 2:
        return "rows", Graph(X, np.empty((0, 2), np.int64)).vertices
    raise TypeError(
        f"{what} must be Graphs, Vertices, Edges, a list of Graph or a table; "
        f"got {type(X).__name__}"
    )


def _describe(train: _Part, test: _Part | None) -> Inspection:
    together = train.flat if test is None else _join(train, test)
    if train.kind == "graphs":
        told = words_of_graphs(together)
        found: Colours | GraphWords = told
        looks = _of_both(told.words, train)
        same = _of_both(forms_of(together, told.words), train)
    else:
        found = colours = refine_graphs(together)
        same = looks = _looks(train, test, together, colours)
    overlap = None if test is None else _overlap(train, test, same, looks)
    return Inspection(
        kind=train.kind,
        n_examples=train.n_examples,
        shape=describe_shape(train.flat),
        features=describe_features(train.flat, train.kind == "rows", train.n_graph_features),
        labels=None if train.target is None else describe_labels(train.target),
        twins=describe_alike(looks[0], train.target),
        copies=describe_alike(same[0], train.target) if train.kind == "graphs" else None,
        rounds=found.rounds,
        stable=found.stable,
        overlap=overlap,
    )


def _join(train: _Part, test: _Part) -> FlatGraphs:
    if train.kind != test.kind:
        raise TypeError(f"X holds {train.kind}, test holds {test.kind}: they cannot be compared")
    try:
        return concatenate([train.flat, test.flat])
    except ValueError as error:
        raise ValueError(f"test does not fit X: {error}") from error


def _of_both(words: np.ndarray, train: _Part) -> list[np.ndarray]:
    """Words of the training graphs, and of the test graphs."""
    return [words[: train.n_examples], words[train.n_examples :]]


def _looks(
    train: _Part, test: _Part | None, together: FlatGraphs, colours: Colours
) -> list[np.ndarray]:
    """What 1-WL makes of vertices or edges: those for training, and those for the test."""
    words = []
    first = 0
    for part in (train, test) if test is not None else (train,):
        graphs, places = first + part.graph_of, np.asarray(part.part_of)
        if part.kind == "edges":
            words.append(_looks_of_edges(together, colours, graphs, places))
        else:
            words.append(colours.of_vertex[together.vertex_ptr[graphs] + places])
        first += part.flat.n_graphs
    return words


def _looks_of_edges(
    flat: FlatGraphs, colours: Colours, graphs: np.ndarray, edge_of: np.ndarray
) -> np.ndarray:
    """The colours of both ends, in order where edges have a direction, and what the edge holds."""
    edges = flat.edge_ptr[graphs] + edge_of
    ends = colours.of_vertex[flat.edges[:, edges] + flat.vertex_ptr[graphs]]
    source, target = mix(ends[0]), mix(ends[1] + np.uint64(flat.directed))
    return mix(mix_edges(flat)[edges] + source + target)


def _overlap(train: _Part, test: _Part, same: list[np.ndarray], looks: list[np.ndarray]) -> Overlap:
    if train.kind in ("vertices", "edges"):
        same = [
            words_of_places(layouts_of(part.flat), part.graph_of, np.asarray(part.part_of))
            for part in (train, test)
        ]
    return describe_overlap((same[0], same[1]), (looks[0], looks[1]), (train.target, test.target))
