"""Read one graph by several workers: each ends up with its own vertices, and a halo around them.

files ─► every worker reads some row groups
      ─► ids to numbers, by way of the worker that the hash of an id names
      ─► rows of vertices, and edges, to the workers that own the vertices
      ─► halos: see `graphs/partition.py`
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import Communicator, Halo
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.examples import Vertices
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.graphs.hashing import mix, mix_texts
from graphtrees.graphs.labels import in_order, plain
from graphtrees.graphs.large.scan import GraphTables
from graphtrees.graphs.large.tables import TableRows
from graphtrees.graphs.partition import EdgeRows, VertexRows, make_part

UNKNOWN = -1


def load_part(
    tables: GraphTables, n_steps: int, communicator: Communicator
) -> tuple[FlatGraphs, Halo]:
    """The part of this worker; all workers call this together."""
    here = communicator.rank, communicator.n_workers
    others = [tables.vertex_id, *filter(None, [tables.partition_by])]
    columns = list(dict.fromkeys([*others, *tables.feature_names]))
    rows = tables._vertices.read(columns, *here)
    ids = rows.ids(tables.vertex_id, tables._id_kind)
    owner = _workers_of(ids, communicator.n_workers)
    if tables.partition_by is not None:
        owner = _by_column(rows, tables.partition_by, communicator)
    values, categories = _read_features(rows, tables.feature_names, communicator)
    directory = Directory.of(tables, ids, rows.number, owner, communicator)
    read = VertexRows(rows.number, values, ids)
    pieces = [read.take(owner == k) for k in range(communicator.n_workers)]
    vertices = VertexRows.joined(communicator.exchange(pieces))
    edges, type_names = _read_edges(tables, directory, communicator)
    whole = FlatGraphs(
        starts_of(np.empty(0, np.int64)), starts_of(np.empty(0, np.int64)),
        np.zeros((2, 0), np.int64), tables.directed, np.empty((0, tables.n_features)),
        tables.feature_names, categories, edge_type_names=type_names,
        edge_feature_names=tables.edge_feature_names,
    )  # fmt: skip
    return make_part(vertices, edges, whole, tables.n_vertices, n_steps, communicator)


def own_vertices(flat: FlatGraphs, halo: Halo, chosen: np.ndarray) -> tuple[Vertices, np.ndarray]:
    """Those of the chosen vertices (numbers in the whole graph, in order) that are own; and which.

    They are vertices of this part, even where there are none of them.
    """
    is_mine = np.isin(chosen, halo.numbers[halo.is_own])
    places = np.searchsorted(halo.numbers, chosen[is_mine])
    graphs = Graphs._of(flat)
    return Vertices._of(graphs, np.zeros_like(places), places), np.flatnonzero(is_mine)


def _workers_of(ids: np.ndarray, n_workers: int) -> np.ndarray:
    """A worker for each id, the same on every machine."""
    hashes = mix_texts(ids) if ids.dtype == object else mix(ids)
    return (hashes % np.uint64(n_workers)).astype(np.int64)


def _by_column(rows: TableRows, column: str, communicator: Communicator) -> np.ndarray:
    """A worker for each row: the largest value goes first, to whoever has the fewest rows."""
    codes, labels = rows.codes(column)
    counts = np.bincount(codes + 1, minlength=len(labels) + 1).tolist()
    total: dict = {}
    for one in communicator.all_gather(dict(zip([None, *labels], counts, strict=True))):
        for label, count in one.items():
            total[label] = total.get(label, 0) + count
    known = in_order(label for label in total if label is not None)
    worker_of, has = {}, np.zeros(communicator.n_workers, np.int64)
    for label in sorted([*known, None], key=lambda label: -total[label]):
        worker_of[label] = int(np.argmin(has))
        has[worker_of[label]] += total[label]
    return np.array([worker_of[label] for label in (None, *labels)])[codes + 1]


def _read_features(
    rows: TableRows, names: tuple[str, ...], communicator: Communicator
) -> tuple[np.ndarray, dict[int, tuple]]:
    """Numbers, and codes of labels that any worker has, in the order that one would give them."""
    values, categories = np.empty((len(rows.number), len(names))), {}
    for place, name in enumerate(names):
        if rows.table.holds_text(name):
            codes, labels = _common_codes(rows, name, communicator)
            values[:, place] = np.where(codes < 0, np.nan, codes)
            if labels:  # a column that is missing everywhere is one of numbers
                categories[place] = labels
        else:
            values[:, place] = rows.numbers(name, missing_ok=True)
    return values, categories


def _common_codes(
    rows: TableRows, column: str, communicator: Communicator
) -> tuple[np.ndarray, tuple]:
    """Codes of the labels of all workers, -1 where there is none."""
    codes, labels = rows.codes(column)
    common = in_order(label for one in communicator.all_gather(labels) for label in one)
    code_of = {label: code for code, label in enumerate(common)}
    return np.array([*(code_of[label] for label in labels), -1])[codes], common


@dataclass(frozen=True)
class Directory:
    """Which number and which owner a vertex has: those whose ids this worker is to know."""

    ids: np.ndarray  # in order
    number: np.ndarray
    owner: np.ndarray
    communicator: Communicator

    @classmethod
    def of(
        cls, tables: GraphTables, ids: np.ndarray, number: np.ndarray, owner: np.ndarray,
        communicator: Communicator,
    ) -> Directory:  # fmt: skip
        to = _workers_of(ids, communicator.n_workers)
        chosen = [np.flatnonzero(to == k) for k in range(communicator.n_workers)]
        received = communicator.exchange([(ids[at], number[at], owner[at]) for at in chosen])
        ids, number, owner = (np.concatenate([one[k] for one in received]) for k in range(3))
        order = np.lexsort((number, ids)) if ids.dtype != object else _text_order(ids, number)
        ids, number, owner = ids[order], number[order], owner[order]
        twice = np.flatnonzero(ids[1:] == ids[:-1])
        if len(twice):
            first, second = number[twice[0]], number[twice[0] + 1]
            raise ValueError(
                f"{tables._vertices.place(int(second))}: {tables.vertex_id!r} "
                f"{plain(ids[twice[0]])!r} "
                f"came before, in {tables._vertices.place(int(first))}"
            )
        return cls(ids, number, owner, communicator)

    def find(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(number, owner) of each, UNKNOWN where there is no such vertex; all workers ask."""
        n_workers = self.communicator.n_workers
        to = _workers_of(ids, n_workers)
        chosen = [np.flatnonzero(to == k) for k in range(n_workers)]
        asked = self.communicator.exchange([ids[at] for at in chosen])
        received = self.communicator.exchange([self._look_up(some) for some in asked])
        places = np.empty((2, len(ids)), np.int64)
        for at, answer in zip(chosen, received, strict=True):
            places[:, at] = answer
        return places[0], places[1]

    def _look_up(self, ids: np.ndarray) -> np.ndarray:
        at = np.searchsorted(self.ids, ids)
        known = at < len(self.ids)
        known[known] = self.ids[at[known]] == ids[known]
        places = np.full((2, len(ids)), UNKNOWN)
        places[0, known], places[1, known] = self.number[at[known]], self.owner[at[known]]
        return places


def _text_order(ids: np.ndarray, number: np.ndarray) -> np.ndarray:
    by_number = np.argsort(number, kind="stable")
    return by_number[np.argsort(ids[by_number], kind="stable")]


def _read_edges(
    tables: GraphTables, directory: Directory, communicator: Communicator
) -> tuple[EdgeRows, tuple]:
    """Some edges by the numbers of their ends; the names of the types of all edges."""
    columns = list(dict.fromkeys([tables.source, tables.target, *tables._edge_columns]))
    rows = tables._edges.read(columns, communicator.rank, communicator.n_workers)
    ends = [rows.ids(name, tables._id_kind) for name in (tables.source, tables.target)]
    distinct, codes = np.unique(np.concatenate(ends), return_inverse=True)
    number, owner = directory.find(distinct)
    pairs = codes.reshape(2, -1).T
    unknown = number[pairs] == UNKNOWN
    if unknown.any():
        row, side = np.argwhere(unknown)[0].tolist()
        name = (tables.source, tables.target)[side]
        raise ValueError(f"{rows.place(row)}: {name!r} {plain(ends[side][row])!r} is no vertex")
    types, names = None, ()
    if tables.edge_type is not None:
        types, names = _common_codes(rows, tables.edge_type, communicator)
        if (types < 0).any():
            place = rows.place(int(np.argmin(types)))
            raise ValueError(f"{place}: {tables.edge_type!r} is missing")
        types = types.astype(np.int32)
    weights = None if tables.weight is None else rows.numbers(tables.weight, missing_ok=False)
    features = None
    if tables.edge_feature_names:
        features = np.stack(
            [rows.numbers(name, missing_ok=False) for name in tables.edge_feature_names], axis=1
        )
    return EdgeRows(rows.number, number[pairs], owner[pairs], weights, types, features), names
