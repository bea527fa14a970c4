"""`inspect`: gather all findings about data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs import Edges, FlatGraphs, Graph, Graphs, Vertices, as_examples, concatenate
from graphtrees.graphs.flat import spread_graph_features
from graphtrees.graphs.hashing import mix, mix_edges
from graphtrees.inspection.copies import canonical_hashes, layout_hashes
from graphtrees.inspection.refinement import refine_graphs, refine_vertices
from graphtrees.inspection.report import Inspection
from graphtrees.inspection.shape import describe_features, describe_shape
from graphtrees.inspection.target import Target, describe_labels, read_target
from graphtrees.inspection.twins import Overlap, describe_overlap, describe_twins


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
    """Training or test examples: graphs, or vertices or edges of graphs."""

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
            # Graphs without an example are left out of every count.
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
    joined = train.flat if test is None else _join(train, test)
    if train.kind == "graphs":
        refined = refine_graphs(joined)
        colours = _train_and_test(refined.hashes, train)
        same = _train_and_test(canonical_hashes(joined, refined.hashes), train)
    else:
        refined = refine_vertices(joined)
        same = colours = _part_colours(train, test, joined, refined.hashes)
    return Inspection(
        kind=train.kind,
        n_examples=train.n_examples,
        shape=describe_shape(train.flat),
        features=describe_features(train.flat, train.kind == "rows", train.n_graph_features),
        labels=None if train.target is None else describe_labels(train.target),
        twins=describe_twins(colours[0], train.target),
        copies=describe_twins(same[0], train.target) if train.kind == "graphs" else None,
        rounds=refined.rounds,
        stable=refined.stable,
        overlap=None if test is None else _overlap(train, test, same, colours),
    )


def _join(train: _Part, test: _Part) -> FlatGraphs:
    if train.kind != test.kind:
        raise TypeError(f"X holds {train.kind}, test holds {test.kind}: they cannot be compared")
    try:
        return concatenate([train.flat, test.flat])
    except ValueError as error:
        raise ValueError(f"test does not fit X: {error}") from error


def _train_and_test(hashes: np.ndarray, train: _Part) -> list[np.ndarray]:
    return [hashes[: train.n_examples], hashes[train.n_examples :]]


def _part_colours(
    train: _Part, test: _Part | None, joined: FlatGraphs, colours: np.ndarray
) -> list[np.ndarray]:
    """The 1-WL colours of vertices or edges: those of training, and those of the test part."""
    part_colours = []
    first = 0
    for part in (train, test) if test is not None else (train,):
        graphs, part_of = first + part.graph_of, np.asarray(part.part_of)
        if part.kind == "edges":
            part_colours.append(_edge_colours(joined, colours, graphs, part_of))
        else:
            part_colours.append(colours[joined.vertex_ptr[graphs] + part_of])
        first += part.flat.n_graphs
    return part_colours


def _edge_colours(
    flat: FlatGraphs, colours: np.ndarray, graphs: np.ndarray, edge_of: np.ndarray
) -> np.ndarray:
    """Hashes of the colours of both ends (ordered if directed) and of the edge's data."""
    edges = flat.edge_ptr[graphs] + edge_of
    ends = colours[flat.edges[:, edges] + flat.vertex_ptr[graphs]]
    source, target = mix(ends[0]), mix(ends[1] + np.uint64(flat.directed))
    return mix(mix_edges(flat)[edges] + source + target)


def _overlap(
    train: _Part, test: _Part, same: list[np.ndarray], colours: list[np.ndarray]
) -> Overlap:
    if train.kind in ("vertices", "edges"):  # the same part of the same graph
        same = [
            mix(layout_hashes(part.flat)[part.graph_of] ^ mix(np.asarray(part.part_of)))
            for part in (train, test)
        ]
    return describe_overlap(same, colours, train.target, test.target)
