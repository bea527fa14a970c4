"""Vertices and edges as examples: indices into graphs, which are not copied."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._warnings import warn_user
from graphtrees.graphs.arrays import Shape, no_numbers
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.indexing import positions, text_of
from graphtrees.graphs.labels import object_array
from graphtrees.graphs.validation.numbers import without_mask
from graphtrees.graphs.validation.where import kind_of

FEW = 4  # with fewer examples, positions 0 and 1 are plausible


class _Parts:
    """Some parts (vertices, edges) of some graphs: which graph, and which part of it."""

    __slots__ = ("__weakref__", "_graph_of", "_graphs", "_part_of")
    _noun = "part"

    def __init__(self, graphs: Graphs, graph_of: Any = None, part_of: Any = None) -> None:
        if not isinstance(graphs, Graphs):
            raise TypeError(f"{type(self).__name__} needs Graphs; got {kind_of(graphs)}")
        if (graph_of is None) != (part_of is None):
            raise TypeError(f"give both graph_of and {self._noun}_of, or neither")
        if graph_of is None:
            graph_of, part_of = self._every_part(graphs)
        else:
            graph_of, part_of = self._check(graphs, graph_of, part_of)
        self._hold(graphs, graph_of, part_of)

    def _hold(self, graphs: Graphs, graph_of: np.ndarray, part_of: np.ndarray) -> None:
        graph_of.flags.writeable = part_of.flags.writeable = False
        self._graphs, self._graph_of, self._part_of = graphs, graph_of, part_of

    @classmethod
    def _of(cls, graphs: Graphs, graph_of: np.ndarray, part_of: np.ndarray) -> Self:
        """Wrap checked places."""
        parts = object.__new__(cls)
        parts._hold(graphs, graph_of, part_of)
        return parts

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self._graphs, self._graph_of, self._part_of)

    @staticmethod
    def _ptr(graphs: Graphs) -> np.ndarray:
        raise NotImplementedError

    @classmethod
    def _every_part(cls, graphs: Graphs) -> tuple[np.ndarray, np.ndarray]:
        ptr = cls._ptr(graphs)
        graph_of = np.repeat(np.arange(len(graphs), dtype=OFFSET), np.diff(ptr))
        return graph_of, np.arange(ptr[-1], dtype=OFFSET) - ptr[graph_of]

    @classmethod
    def _check(cls, graphs: Graphs, graph_of: Any, part_of: Any) -> tuple[np.ndarray, np.ndarray]:
        owner, part = np.array(without_mask(graph_of)), np.array(without_mask(part_of))
        if owner.ndim != 1 or owner.shape != part.shape:
            raise ValueError(
                f"graph_of and {cls._noun}_of must be one-dimensional and of one length; "
                f"got shapes {owner.shape} and {part.shape}"
            )
        if owner.size and (owner.dtype.kind not in "iu" or part.dtype.kind not in "iu"):
            raise TypeError(f"graph_of and {cls._noun}_of must be integers")
        owner, part = owner.astype(OFFSET), part.astype(OFFSET)
        cls._check_places(graphs, owner, part)
        return owner, part

    @classmethod
    def _check_places(cls, graphs: Graphs, owner: np.ndarray, part: np.ndarray) -> None:
        unknown = (owner < 0) | (owner >= len(graphs))
        if unknown.any():
            raise ValueError(f"there is no graph {owner[np.argmax(unknown)]} of {len(graphs)}")
        counts = np.diff(cls._ptr(graphs))[owner]
        unknown = (part < 0) | (part >= counts)
        if unknown.any():
            at = int(np.argmax(unknown))
            raise ValueError(
                f"graph {owner[at]}: there is no {cls._noun} {part[at]} of {counts[at]}"
            )

    @property
    def graphs(self) -> Graphs:
        """The graphs they belong to, whole."""
        return self._graphs

    @property
    def graph_of(self) -> np.ndarray:
        """The position in `graphs` of the graph of each, (n_examples,)."""
        return self._graph_of

    def __len__(self) -> int:
        return len(self._graph_of)

    @property
    def shape(self) -> tuple[int]:
        """``(n_examples,)``: what scikit-learn asks for."""
        return Shape((len(self),))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if dtype is not None and np.dtype(dtype) == object:
            return object_array(self)
        raise no_numbers(type(self).__name__)

    def __getitem__(self, key: Any) -> Self:
        text = text_of(key)
        if text is not None:
            raise IndexError(self._text_message(text, alone=isinstance(key, str)))
        _warn_of_integer_mask(key, len(self), self._noun)
        chosen = np.atleast_1d(positions(key, len(self)))
        return self._of(self._graphs, self._graph_of[chosen], self._part_of[chosen])

    def _text_message(self, key: str, alone: bool) -> str:
        """The message for text as an index: the name of a feature or of one or several parts."""
        flat, many = self._graphs.flat, f"{type(self).__name__.lower()}"
        start = f"{many} are chosen by positions, slices or masks; got the text {key!r:.80}"
        names = [] if flat.vertex_names is None else flat.vertex_names.tolist()
        if self._noun == "vertex" and key in (flat.feature_names or ()):
            place = (flat.feature_names or ()).index(key)
            return f"{start}, which is a feature: g.features[:, {place}] of a graph g"
        if self._noun == "edge" and key in flat.edge_feature_names:
            place = flat.edge_feature_names.index(key)
            return f"{start}, which is an edge feature: g.edge_features[:, {place}] of a graph g"
        if self._noun == "vertex" and key in names:
            if alone and names.count(key) == len(self._graphs) == 1:
                place = names.index(key)
                return f"{start}, the name of vertex {place}: g.vertices[{place}]"
            lookup = "numpy.flatnonzero(numpy.isin(g.vertex_names, names))"
            return f"{start}, the name of a vertex. Vertices are found by name with {lookup}"
        attributes = "g.features, named by g.feature_names, and g.vertex_names"
        if self._noun == "edge":
            attributes = "g.edge_features, g.edge_weights and g.edge_types"
        return f"{start}. What {many} carry is in {attributes} of a graph g"

    def __iter__(self) -> Iterator[Self]:
        for place in range(len(self)):
            yield self[place]

    def __repr__(self) -> str:
        n_graphs = len(self._graphs)
        graphs = "1 graph" if n_graphs == 1 else f"{n_graphs} graphs"
        return f"{type(self).__name__}({len(self)} of {graphs})"


def _warn_of_integer_mask(key: Any, length: int, noun: str) -> None:
    """Warn where integers, one for each example, are 0 or 1: they were probably meant as a mask."""
    if length < FEW or isinstance(key, (int, slice, tuple)) or not hasattr(key, "__len__"):
        return
    array = np.asarray(without_mask(key))
    if array.shape == (length,) and array.dtype.kind in "iu" and np.isin(array, (0, 1)).all():
        warn_user(
            f"{length} zeros and ones are positions here: they choose {noun} 0 and {noun} 1 again "
            "and again. If they are a mask, give booleans: mask.astype(bool)"
        )


class Vertices(_Parts):
    """Vertices of graphs, each an example.

    Usually made by ``g.vertices`` or ``graphs.vertices`` and then indexed; the graphs stay whole,
    so a chosen vertex still sees all its neighbours.

    Parameters
    ----------
    graphs : Graphs
        The graphs they belong to.
    graph_of, vertex_of : array of int of shape (n_examples,), optional
        The position of the graph and the vertex number within it. Default: every vertex.

    Examples
    --------
    >>> from graphtrees.graphs import Graph
    >>> g = Graph([[0.0], [1.0], [2.0]], [(0, 1), (1, 2)])
    >>> g.vertices[[True, False, True]].vertex_of
    array([0, 2])
    """

    __slots__ = ()
    _noun = "vertex"

    def __init__(self, graphs: Graphs, graph_of: Any = None, vertex_of: Any = None) -> None:
        super().__init__(graphs, graph_of, vertex_of)

    @staticmethod
    def _ptr(graphs: Graphs) -> np.ndarray:
        return graphs.flat.vertex_ptr

    @property
    def vertex_of(self) -> np.ndarray:
        """The vertex number of each, within its own graph."""
        return self._part_of


class Edges(_Parts):
    """Edges of graphs, each an example.

    Usually made by ``g.edges`` or ``graphs.edges`` and then indexed; the graphs stay whole, so a
    chosen edge still sees all its neighbours.

    Parameters
    ----------
    graphs : Graphs
        The graphs they belong to.
    graph_of, edge_of : array of int of shape (n_examples,), optional
        The position of the graph and the edge number within it. Default: every edge.

    Examples
    --------
    >>> from graphtrees.graphs import Graph
    >>> g = Graph([[0.0], [1.0], [2.0]], [(0, 1), (1, 2)])
    >>> g.edges[1:].edge_of
    array([1])
    """

    __slots__ = ()
    _noun = "edge"

    def __init__(self, graphs: Graphs, graph_of: Any = None, edge_of: Any = None) -> None:
        super().__init__(graphs, graph_of, edge_of)

    @staticmethod
    def _ptr(graphs: Graphs) -> np.ndarray:
        return graphs.flat.edge_ptr

    @property
    def edge_of(self) -> np.ndarray:
        """The edge number of each, within its own graph."""
        return self._part_of
