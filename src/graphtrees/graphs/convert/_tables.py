"""Tables with names for error messages: ids, numbers, graphs of rows, ends of edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.frames import column_names, column_values, is_frame, n_rows, read_column
from graphtrees.graphs.labels import is_missing, object_array, plain
from graphtrees.graphs.validation.where import kind_of

# Floats from here on do not tell neighbouring whole numbers apart.
LARGEST_EXACT = 2.0**53


class Table:
    """A pandas or polars DataFrame, or an Arrow Table; `row_name` is how messages call a row."""

    def __init__(
        self, frame: Any, name: str, row_name: Callable[[int], str] = "row {}".format
    ) -> None:
        if not is_frame(frame):
            raise TypeError(
                f"{name} must be a pandas or polars DataFrame or an Arrow Table; "
                f"got {kind_of(frame)}"
            )
        self.frame, self.name, self.row_name = frame, name, row_name
        self.columns = column_names(frame)

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def place(self, row: int) -> str:
        """How a message about a row starts."""
        return f"{self.name}: {self.row_name(row)}"

    def position(self, column: str) -> int:
        """The position of a column."""
        if column not in self.columns:
            there = ", ".join(map(repr, self.columns)) or "none"
            raise ValueError(f"{self.name}: no column {column!r}; there is: {there}")
        return self.columns.index(column)

    def ids(self, column: str) -> np.ndarray:
        """Identifiers or labels as objects; none may be missing."""
        values = column_values(self.frame, self.position(column))
        items = object_array(plain(value) for value in values)
        for row, item in enumerate(items):
            if is_missing(item):
                raise ValueError(f"{self.place(row)}: {column!r} is missing")
            if isinstance(item, float) and abs(item) >= LARGEST_EXACT:
                raise ValueError(
                    f"{self.place(row)}: {column!r} is {item!r}, a float that may stand for "
                    "several whole numbers. Read the column as integers or as text"
                )
        return items

    def numbers(self, columns: Sequence[str]) -> tuple[np.ndarray, dict[int, tuple]]:
        """Columns side by side, and the labels of those that are categories."""
        values = np.zeros((n_rows(self.frame), len(columns)))
        categories = {}
        for place, column in enumerate(columns):
            what = f"{self.name}: column {column!r}"
            values[:, place], labels = read_column(self.frame, self.position(column), what)
            if labels is not None:
                categories[place] = labels
        return values, categories

    def complete_numbers(self, columns: Sequence[str]) -> np.ndarray:
        """Columns of numbers of which none is missing."""
        values, categories = self.numbers(columns)
        for place, column in enumerate(columns):
            if place in categories:
                raise TypeError(f"{self.name}: column {column!r} must hold numbers")
            missing = np.isnan(values[:, place])
            if missing.any():
                raise ValueError(f"{self.place(int(np.argmax(missing)))}: {column!r} is NaN")
        return values


@dataclass(frozen=True)
class Members:
    """The rows of the table of vertices: their ids, and the number of the graph of each."""

    ids: np.ndarray
    owner: np.ndarray
    graph_keys: list | None  # the id of each graph; None: there is one graph, without an id

    @property
    def n_graphs(self) -> int:
        return 1 if self.graph_keys is None else len(self.graph_keys)

    @cached_property
    def order(self) -> np.ndarray:
        """Rows in an order that puts the vertices of one graph next to each other."""
        return np.argsort(self.owner, kind="stable")

    @cached_property
    def vertex_ptr(self) -> np.ndarray:
        return starts_of(np.bincount(self.owner, minlength=self.n_graphs))

    @cached_property
    def number(self) -> np.ndarray:
        """The vertex number that each row gets within its graph."""
        number = np.empty(len(self.ids), OFFSET)
        sizes = np.diff(self.vertex_ptr)
        number[self.order] = np.arange(len(self.ids)) - np.repeat(self.vertex_ptr[:-1], sizes)
        return number

    def of_graph(self, graph: int) -> str:
        """The end of a message about a vertex of this graph."""
        return "" if self.graph_keys is None else f" of graph {self.graph_keys[graph]!r}"


class UnknownVertexError(ValueError):
    """An edge names a vertex that is not in the table of vertices."""


def read_members(vertices: Table, graphs: Table | None, vertex_id: str, graph_id: str) -> Members:
    """Read ids and graphs of vertices; no two vertices of one graph may have one id."""
    ids = vertices.ids(vertex_id)
    owner, keys = np.zeros(len(ids), OFFSET), None
    if graph_id in vertices:
        owner, keys = _owners(vertices, graphs, graph_id)
    members = Members(ids, owner, keys)
    repeat = _first_repeat(zip(owner.tolist(), ids, strict=True))
    if repeat is not None:
        row, first = repeat
        raise ValueError(
            f"{vertices.place(row)}: {vertex_id!r} {ids[row]!r}{members.of_graph(owner[row])} came "
            f"before, in {vertices.row_name(first)}"
        )
    return members


def _owners(vertices: Table, graphs: Table | None, graph_id: str) -> tuple[np.ndarray, list]:
    """The graph number of each vertex, and the ids of the graphs."""
    named = vertices.ids(graph_id)
    listed = named if graphs is None else graphs.ids(graph_id)
    repeat = None if graphs is None else _first_repeat(listed)
    if graphs is not None and repeat is not None:
        row, first = repeat
        raise ValueError(
            f"{graphs.place(row)}: {graph_id!r} {listed[row]!r} came before, "
            f"in {graphs.row_name(first)}"
        )
    keys = list(dict.fromkeys(listed))
    number_of = {key: number for number, key in enumerate(keys)}
    for row, key in enumerate(named):
        if key not in number_of:
            raise ValueError(f"{vertices.place(row)}: {graph_id!r} {key!r} is not in graphs")
    return np.array([number_of[key] for key in named], dtype=OFFSET), keys


def _first_repeat(keys: Iterable[Any]) -> tuple[int, int] | None:
    """The first row whose key came before, and the row it came in; None where all differ."""
    first_row: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if first_row.setdefault(key, row) != row:
            return row, first_row[key]
    return None


def find_ends(
    edges: Table, members: Members, source: str, target: str, graph_id: str
) -> np.ndarray:
    """The rows (2, n_edges) of the vertices that each edge joins."""
    if members.graph_keys is None:
        return _find(edges, members, (source, target), None)
    if graph_id in edges:
        return _find(edges, members, (source, target), edges.ids(graph_id))
    repeat = _first_repeat(members.ids)
    if repeat is not None:
        raise ValueError(
            f"{edges.name}: no column {graph_id!r} says which graph an edge belongs to, and "
            f"the vertex {members.ids[repeat[0]]!r} is in more than one"
        )
    ends = _find(edges, members, (source, target), None)
    apart = members.owner[ends[0]] != members.owner[ends[1]]
    if apart.any():
        row = int(np.argmax(apart))
        of = [repr(members.graph_keys[members.owner[ends[side][row]]]) for side in (0, 1)]
        raise ValueError(
            f"{edges.place(row)}: {source!r} is a vertex of graph {of[0]}, "
            f"{target!r} of graph {of[1]}"
        )
    return ends


def _find(
    edges: Table, members: Members, fields: tuple[str, str], graphs: np.ndarray | None
) -> np.ndarray:
    """Look vertices up by id, within the graphs given if any."""
    if graphs is None:
        row_of: dict[Any, int] = {vertex: row for row, vertex in enumerate(members.ids)}
    else:
        keys = members.graph_keys or []
        pairs = zip(members.owner.tolist(), members.ids, strict=True)
        row_of = {(keys[owner], vertex): row for row, (owner, vertex) in enumerate(pairs)}
    ends = []
    for name in fields:
        ids = edges.ids(name)
        keys_of_ends = ids if graphs is None else list(zip(graphs, ids, strict=True))
        rows = [row_of.get(key, -1) for key in keys_of_ends]
        if -1 in rows:
            row = rows.index(-1)
            graph = "" if graphs is None else f" of graph {graphs[row]!r}"
            raise UnknownVertexError(
                f"{edges.place(row)}: {name!r} {ids[row]!r} is no vertex{graph}"
            )
        ends.append(rows)
    return np.array(ends, dtype=OFFSET).reshape(2, -1)
