"""Which graph each row of a table belongs to, and which vertices an edge joins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.convert._table import Table
from graphtrees.graphs.flat import starts_of


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

    def words(self, graph: Any) -> str:
        return "" if self.graph_keys is None else f" of graph {graph!r}"


def read_members(vertices: Table, graphs: Table | None, vertex_id: str, graph_id: str) -> Members:
    """Read ids and graphs of vertices; no two vertices of one graph may have one id."""
    ids = vertices.ids(vertex_id)
    if graph_id in vertices:
        owner, keys = _owners(vertices, graphs, graph_id)
    else:
        owner, keys = np.zeros(len(ids), OFFSET), None
    members = Members(ids, owner, keys)
    first_row: dict[Any, int] = {}
    for row, key in enumerate(zip(owner.tolist(), ids, strict=True)):
        if first_row.setdefault(key, row) != row:
            graph = members.words(keys[key[0]] if keys else None)
            raise ValueError(
                f"{vertices.name}: row {row}: {vertex_id!r} {key[1]!r}{graph} came before, "
                f"in row {first_row[key]}"
            )
    return members


def _owners(vertices: Table, graphs: Table | None, graph_id: str) -> tuple[np.ndarray, list]:
    named = vertices.ids(graph_id)
    keys = list(dict.fromkeys(named if graphs is None else graphs.ids(graph_id)))
    number_of = {key: number for number, key in enumerate(keys)}
    if graphs is not None and len(keys) < len(graphs.ids(graph_id)):
        _say_which_came_twice(graphs, graph_id)
    for row, key in enumerate(named):
        if key not in number_of:
            raise ValueError(f"{vertices.name}: row {row}: {graph_id!r} {key!r} is not in graphs")
    return np.array([number_of[key] for key in named], dtype=OFFSET), keys


def _say_which_came_twice(graphs: Table, graph_id: str) -> None:
    first_row: dict[Any, int] = {}
    for row, key in enumerate(graphs.ids(graph_id)):
        if first_row.setdefault(key, row) != row:
            raise ValueError(
                f"{graphs.name}: row {row}: {graph_id!r} {key!r} came before, "
                f"in row {first_row[key]}"
            )


def find_ends(
    edges: Table, members: Members, source: str, target: str, graph_id: str
) -> np.ndarray:
    """The rows (2, n_edges) of the vertices that each edge joins."""
    if members.graph_keys is None:
        return _find(edges, members, (source, target), None)
    if graph_id in edges:
        return _find(edges, members, (source, target), edges.ids(graph_id))
    _check_ids_are_unique(edges, members, graph_id)
    ends = _find(edges, members, (source, target), None)
    apart = members.owner[ends[0]] != members.owner[ends[1]]
    if apart.any():
        row = int(np.argmax(apart))
        of = [repr(members.graph_keys[members.owner[ends[side][row]]]) for side in (0, 1)]
        raise ValueError(
            f"{edges.name}: row {row}: {source!r} is a vertex of graph {of[0]}, "
            f"{target!r} of graph {of[1]}"
        )
    return ends


def _check_ids_are_unique(edges: Table, members: Members, graph_id: str) -> None:
    seen: set[Any] = set()
    for vertex in members.ids:
        if vertex in seen:
            raise ValueError(
                f"{edges.name}: no column {graph_id!r} says which graph an edge belongs to, and "
                f"the vertex {vertex!r} is in more than one"
            )
        seen.add(vertex)


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
    found = []
    for name in fields:
        wanted = edges.ids(name)
        asked = wanted if graphs is None else list(zip(graphs, wanted, strict=True))
        rows = [row_of.get(key, -1) for key in asked]
        if -1 in rows:
            row = rows.index(-1)
            graph = "" if graphs is None else f" of graph {graphs[row]!r}"
            raise ValueError(
                f"{edges.name}: row {row}: {name!r} {wanted[row]!r} is no vertex{graph}"
            )
        found.append(rows)
    return np.array(found, dtype=OFFSET).reshape(2, -1)
