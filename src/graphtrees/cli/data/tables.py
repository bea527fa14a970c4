"""A table of edges, perhaps a table of vertices, and perhaps a table of graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.frames import known_edges, make_frames
from graphtrees.cli.data.grouping import Groups, SeenKeys
from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.roles import Roles, choose_features, edge_roles, with_hints, with_inferred
from graphtrees.cli.data.source import Data, NotInPieces, check_target, chunk_error
from graphtrees.cli.data.table import ImpliedVertices, Table, as_target
from graphtrees.cli.data.tablefile import TableFile, TableInfo, find_table, open_table
from graphtrees.cli.errors import UserError
from graphtrees.graphs.convert._tables import UnknownVertexError

PARTS = ("graphs", "vertices", "edges")


class TableFolder:
    """vertices.csv, edges.csv and graphs.csv, each also as .tsv, .csv.gz or .parquet.

    Without a table of vertices, the vertices are the ends of the edges. A lone file is a table of
    edges.
    """

    kind = "tables of vertices and edges"

    def __init__(self, path: Path, reading: Reading, edges: TableFile | None = None) -> None:
        self.name, self.path, self.reading = path.resolve().name, path, reading
        paths = {} if edges else {part: find_table(path, part) for part in PARTS}
        if edges is None and paths["edges"] is None:
            raise UserError(f"{path}: there is no edges.csv (or .tsv, .csv.gz, .parquet)")
        self._files: dict[str, TableFile] = {
            part: open_table(file, reading) for part, file in paths.items() if file is not None
        }
        if edges is not None:
            self._files["edges"] = edges
        self.edges, self.graphs = self._files["edges"], self._files.get("graphs")
        self.vertices: TableInfo = ImpliedVertices(self.edges, reading)
        self.has_vertices = "vertices" in self._files
        if self.has_vertices:
            self.vertices = self._files["vertices"]
        self._check_columns()

    @property
    def uses(self) -> set[str]:
        """The options that mean something for these tables."""
        options = {
            "target", "examples", "as_text", "directed", "weight", "edge_type", "edge_features",
            "source_column", "target_column", "graph_column", "decimal", "missing", "encoding",
        }  # fmt: skip
        if self.has_vertices:
            return options | {"features", "id_column", "dates", "unknown_ids"}
        return options | {"features", "dates"} if self.graphs else options

    @property
    def files(self) -> list[Path]:
        return [file.path for file in self._parts().values()]

    @property
    def many(self) -> bool:
        """Whether there is a graph id, and so more than one graph."""
        return self.reading.graph_column in self.vertices.columns

    def load(self, need_target: bool) -> Data:
        self._check_target(need_target)
        return self._build(self._tables({part: file.frame() for part, file in self._files.items()}))

    def stream(self, size: int) -> Iterator[Data]:
        """Graphs in the order of the first table that lists them."""
        graph = self.reading.graph_column
        if not self.many or graph not in self.edges.columns:
            raise NotInPieces
        groups = {part: Groups(file, graph) for part, file in self._files.items()}
        first, *others = groups
        seen = SeenKeys()
        while (chosen := groups[first].next_graphs(size))[0]:
            keys, frame = chosen
            frames = {first: frame} | {part: groups[part].take(keys) for part in others}
            tables = self._tables(frames)
            if not seen.add(keys) or any(group.next_key in seen for group in groups.values()):
                raise NotInPieces
            try:
                data = self._build(tables, labels=False)
            except UserError as error:
                raise chunk_error(self.path, error) from error
            yield data
        if any(group.next_key is not None for group in groups.values()):
            raise NotInPieces

    def _tables(self, frames: dict[str, Any]) -> dict[str, Table]:
        """Frames of the files as tables, that of the vertices made from the edges if need be."""
        tables = {part: Table(self._files[part], f, self.reading) for part, f in frames.items()}
        if isinstance(self.vertices, ImpliedVertices):
            frame = self.vertices.frame_of(tables["edges"])
            tables["vertices"] = Table(self.vertices, frame, self.reading)
        return tables

    # ---- columns ----------------------------------------------------------------------------

    def _check_columns(self) -> None:
        wanted: list[tuple[TableInfo, str]] = [
            (self.vertices, "id_column"),
            (self.edges, "source_column"),
            (self.edges, "target_column"),
        ]
        if self.graphs is not None:
            wanted += [(self.graphs, "graph_column"), (self.vertices, "graph_column")]
        faults = [
            str(no_column(file.name, getattr(self.reading, option), file.columns, option))
            for file, option in wanted
            if getattr(self.reading, option) not in file.columns
        ]
        if faults:
            raise UserError("; ".join(faults))

    def _check_target(self, need_target: bool) -> None:
        reading, parts = self.reading, self._parts()
        ids = {reading.id_column, reading.graph_column}
        columns = [c for c in _columns(parts.values()) if c not in ids]
        check_target(reading.target, need_target, str(self.path), columns)
        places = self._places_of_target()
        if reading.target is None or not need_target or reading.examples in places:
            return
        if places and reading.examples is None:
            return
        asked = {part: parts[part] for part in parts if reading.examples in (None, part)}
        where = f"{self.path} ({' or '.join(asked)})"
        raise no_column(where, reading.target, _columns(asked.values()), "target")

    def _parts(self) -> dict[str, TableInfo]:
        """The tables that may hold labels."""
        every = {"graphs": self.graphs, "vertices": self.vertices, "edges": self.edges}
        return {part: table for part, table in every.items() if table is not None}

    def _keys(self) -> dict[str, str]:
        """Columns of ids, and what they identify."""
        reading = self.reading
        keys = {reading.id_column: "id of a vertex", reading.graph_column: "id of a graph"}
        ends = {reading.source_column: "start of an edge", reading.target_column: "end of an edge"}
        return keys | ends

    def _places_of_target(self) -> list[str]:
        """The kinds of example that have a column of the target's name."""
        if self.reading.target in self._keys():
            return []
        return [part for part, file in self._parts().items() if self.reading.target in file.columns]

    def _examples(self) -> str:
        if self.reading.examples == "graphs" and not self.many:
            raise no_column(
                self.vertices.name, self.reading.graph_column, self.vertices.columns,
                "graph_column",
            )  # fmt: skip
        if self.reading.examples is not None:
            return self.reading.examples
        places = self._places_of_target() if self.reading.target else []
        if len(places) > 1:
            raise UserError(
                f"{self.path}: {' and '.join(places)} have a column {self.reading.target!r}; "
                "choose with --examples"
            )
        return places[0] if places else ("graphs" if self.many else "vertices")

    # ---- building graphs --------------------------------------------------------------------

    def _build(self, tables: dict[str, Table], labels: bool = True) -> Data:
        from graphtrees.graphs import from_tables

        reading = self.reading
        if reading.unknown_ids == "drop":
            tables["edges"] = known_edges(tables, reading)
        features, graph_features, roles = self._roles(tables)
        frames = make_frames(tables, reading, features, graph_features)
        try:
            graphs = from_tables(
                frames["vertices"],
                frames["edges"],
                frames.get("graphs"),
                vertex_id=reading.id_column,
                source=reading.source_column,
                target=reading.target_column,
                graph_id=reading.graph_column,
                features=features,
                weight=reading.weight,
                edge_type=reading.edge_type,
                edge_features=list(reading.edge_features) or None,
                graph_features=graph_features or None,
                directed=reading.directed,
            )
        except UnknownVertexError as error:
            raise UserError(f"{error}; --unknown-ids drop leaves such edges out") from error
        except (ValueError, TypeError) as error:
            raise UserError(str(error)) from error
        examples = self._examples()
        X = graphs if examples == "graphs" else getattr(graphs, examples)
        ids, order = self._ids(examples, tables)
        y = self._labels(tables[examples], order) if labels and self._has(examples) else None
        inferred = with_inferred(reading, tables.values(), features + graph_features)
        return Data(self.name, X, y, ids, columns=roles, reading=inferred)

    def _asked_features(self) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """The features asked for: of vertices (None: all columns), and of graphs alone."""
        asked, graph_columns = self.reading.features, self.graphs.columns if self.graphs else ()
        of_graphs = [
            n for n in asked or () if n in graph_columns and n not in self.vertices.columns
        ]
        of_vertices = [name for name in asked or () if name not in of_graphs]
        all_columns = asked is None or (of_graphs and not of_vertices and not self.reading.exact)
        return None if all_columns else tuple(of_vertices), tuple(of_graphs)

    def _roles(self, tables: dict[str, Table]) -> tuple[list[str], list[str], dict[str, Roles]]:
        """The features of vertices, those of graphs, and the role of every column by table."""
        keys, target = self._keys(), self.reading.target
        target_role = {target: "target"} if target is not None else {}
        # In a table of vertices, columns named like the ends of an edge are no keys.
        own_keys = {k: v for k, v in keys.items() if not v.endswith("of an edge")} | target_role
        of_vertices, of_graphs = self._asked_features()
        features, roles = choose_features(tables["vertices"].with_features(of_vertices), own_keys)
        by_table = {"vertices": roles} if self.has_vertices else {}
        by_table["edges"] = edge_roles(tables["edges"], keys | target_role, self.reading)
        graph_features: list[str] = []
        if "graphs" in tables:
            table = tables["graphs"].with_features(of_graphs)
            graph_features, roles = choose_features(table, own_keys)
            by_table["graphs"] = with_hints(roles)
        return features, graph_features, by_table

    # ---- labels and names -------------------------------------------------------------------

    def _has(self, examples: str) -> bool:
        return self.reading.target is not None and examples in self._places_of_target()

    def _ids(self, examples: str, tables: dict[str, Table]) -> tuple[dict[str, list], np.ndarray]:
        """The ids of the examples, graph by graph, and the order of their rows."""
        reading, graph = self.reading, self.reading.graph_column
        listed = tables.get("graphs", tables["vertices"])
        keys = list(dict.fromkeys(listed.ids(graph))) if self.many else []
        if examples == "graphs":
            return {graph: keys}, np.arange(len(keys))
        names = [reading.id_column]
        if examples == "edges":
            names = [reading.source_column, reading.target_column]
        columns = {name: tables[examples].ids(name) for name in names}
        order = np.arange(len(tables[examples]))
        if self.many:
            owners = self._owners(examples, tables)
            number = {key: place for place, key in enumerate(keys)}
            order = np.argsort([number[owner] for owner in owners], kind="stable")
            columns = {graph: owners} | columns
        return {name: [column[row] for row in order] for name, column in columns.items()}, order

    def _owners(self, examples: str, tables: dict[str, Table]) -> list[str]:
        """The graph of each row; edges without one belong where their source does."""
        column = self.reading.graph_column
        if column in tables[examples].columns:
            return tables[examples].ids(column)
        vertices = tables["vertices"]
        graph_of = dict(
            zip(vertices.ids(self.reading.id_column), vertices.ids(column), strict=True)
        )
        return [graph_of[source] for source in tables["edges"].ids(self.reading.source_column)]

    def _labels(self, table: Table, order: np.ndarray) -> np.ndarray:
        return as_target(table.values(str(self.reading.target)))[order]


def _columns(tables: Iterable[TableInfo]) -> list[str]:
    """The columns of all tables, each once."""
    return list(dict.fromkeys(column for table in tables for column in table.columns))
