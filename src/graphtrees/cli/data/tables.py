"""A table of edges, perhaps a table of vertices, and perhaps a table of graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.columns import Table, as_target
from graphtrees.cli.data.frames import known_edges, make_frames
from graphtrees.cli.data.grouping import Groups, Seen
from graphtrees.cli.data.implied import ImpliedVertices
from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.source import Data, NotInPieces, check_target, in_doubt
from graphtrees.cli.data.survey import Roles, choose_features, edge_roles, settle
from graphtrees.cli.data.tablefile import TableFile, find_table, open_table
from graphtrees.cli.errors import UserError
from graphtrees.graphs.convert._membership import UnknownVertexError

PARTS = ("graphs", "vertices", "edges")


class TableFolder:
    """vertices.csv, edges.csv and graphs.csv, each also as .tsv, .csv.gz or .parquet.

    Without a table of vertices, those are the vertices that edges name. A lone file is a table of
    edges.
    """

    kind = "tables of vertices and edges"

    def __init__(self, path: Path, reading: Reading, edges: TableFile | None = None) -> None:
        self.name, self.path, self.reading = path.resolve().name, path, reading
        found = {part: None if edges else find_table(path, part) for part in PARTS}
        self.edges = edges or _need(path, found["edges"], reading)
        self.graphs = found["graphs"] and open_table(found["graphs"], reading)
        self.vertices: TableFile = ImpliedVertices(self.edges, reading)
        if found["vertices"]:
            self.vertices = open_table(found["vertices"], reading)
        self._check_columns()

    @property
    def uses(self) -> set[str]:
        """The options that mean something for these tables."""
        options = {
            "target", "examples", "as_text", "directed", "weight", "edge_type", "edge_features",
            "source_column", "target_column", "graph_column", "decimal", "missing", "encoding",
        }  # fmt: skip
        if not isinstance(self.vertices, ImpliedVertices):
            return options | {"features", "id_column", "dates", "unknown_ids"}
        return options | {"features", "dates"} if self.graphs else options

    @property
    def files(self) -> list[Path]:
        return [file.path for file in self._labelled()]

    @property
    def many(self) -> bool:
        """Whether there is a graph id, and so more than one graph."""
        return self.reading.graph_column in self.vertices.columns

    def load(self, need_target: bool) -> Data:
        self._check_target(need_target)
        files = {"edges": self.edges, "graphs": self.graphs}
        tables = {
            name: Table(file, file.frame(), self.reading) for name, file in files.items() if file
        }
        tables["vertices"] = self._vertices(tables["edges"], None)
        return self._build(tables)

    def stream(self, size: int) -> Iterator[Data]:
        """Graphs in the order of the files."""
        graph, reading = self.reading.graph_column, self.reading
        if not self.many or graph not in self.edges.columns:
            raise NotInPieces
        implied = isinstance(self.vertices, ImpliedVertices)
        edges, seen = Groups(self.edges, graph), Seen()
        vertices = edges if implied else Groups(self.vertices, graph)
        listed = Groups(self.graphs, graph) if self.graphs else vertices
        while (chosen := listed.next_graphs(size))[0]:
            keys, rows = chosen
            frames = {"graphs": rows} if self.graphs else {}
            own = rows if listed is edges else edges.take(keys)
            tables = {"edges": Table(self.edges, own, reading)}
            tables |= {name: Table(self.graphs, rows, reading) for name in frames}
            mine = None if implied else rows if listed is vertices else vertices.take(keys)
            tables["vertices"] = self._vertices(tables["edges"], mine)
            if not seen.add(keys) or vertices.next_key in seen or edges.next_key in seen:
                raise NotInPieces
            try:
                data = self._build(tables, labels=False)
            except UserError as problem:
                raise in_doubt(self.path, problem) from problem
            yield data
        if vertices.next_key is not None or edges.next_key is not None:
            raise NotInPieces

    def _vertices(self, edges: Table, frame: Any) -> Table:
        if isinstance(self.vertices, ImpliedVertices):
            frame = self.vertices.frame_of(edges)
        elif frame is None:
            frame = self.vertices.frame()
        return Table(self.vertices, frame, self.reading)

    # ---- what is in the files ---------------------------------------------------------------

    def _check_columns(self) -> None:
        reading = self.reading
        wanted = [
            (self.vertices, "id_column"),
            (self.edges, "source_column"),
            (self.edges, "target_column"),
        ]
        if self.graphs is not None:
            wanted += [(self.graphs, "graph_column"), (self.vertices, "graph_column")]
        faults = [
            str(no_column(file.shown, getattr(reading, option), file.columns, option))
            for file, option in wanted
            if getattr(reading, option) not in file.columns
        ]
        if faults:
            raise UserError("; ".join(faults))

    def _check_target(self, need_target: bool) -> None:
        ids = {self.reading.id_column, self.reading.graph_column}
        there = list(dict.fromkeys(c for file in self._labelled() for c in file.columns))
        check_target(
            self.reading.target, need_target, str(self.path), [c for c in there if c not in ids]
        )
        target, places = self.reading.target, self._places_of_target()
        if target is None or not need_target or self.reading.examples in places:
            return
        if places and self.reading.examples is None:
            return
        asked = {
            part: file
            for part, file in self._parts().items()
            if self.reading.examples in (None, part)
        }
        there = list(dict.fromkeys(column for file in asked.values() for column in file.columns))
        raise no_column(f"{self.path} ({' or '.join(asked)})", target, there, "target")

    def _parts(self) -> dict[str, TableFile]:
        return {part: getattr(self, part) for part in PARTS if getattr(self, part) is not None}

    def _labelled(self) -> list[TableFile]:
        return list(self._parts().values())

    def _keys(self) -> dict[str, str]:
        """Columns with a task of their own."""
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
                self.vertices.shown, self.reading.graph_column, self.vertices.columns,
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
        features, of_graphs, roles = self._roles(tables)
        frames = make_frames(tables, reading, features, of_graphs)
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
                graph_features=of_graphs or None,
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
        settled = settle(reading, tables.values(), features + of_graphs)
        return Data(self.name, X, y, ids, columns=roles, reading=settled)

    def _asked_features(self) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
        """The features asked for: of vertices (None: all there are), and of graphs alone."""
        asked, there = self.reading.features, self.graphs.columns if self.graphs else ()
        beside = [n for n in asked or () if n in there and n not in self.vertices.columns]
        own = [name for name in asked or () if name not in beside]
        all_there_are = asked is None or (beside and not own and not self.reading.exact)
        return None if all_there_are else tuple(own), tuple(beside)

    def _roles(self, tables: dict[str, Table]) -> tuple[list[str], list[str], dict[str, Roles]]:
        """The features of vertices, those of graphs, and what every column was taken for."""
        keys, target = self._keys(), self.reading.target
        of_target = {target: "target"} if target is not None else {}
        # An edge's columns may share their names with those of a vertex, and be no keys there.
        mine = {k: v for k, v in keys.items() if not v.endswith("of an edge")} | of_target
        own, beside = self._asked_features()
        features, roles = choose_features(tables["vertices"].with_features(own), mine)
        of_graphs: list[str] = []
        found = {"edges": edge_roles(tables["edges"], keys | of_target, self.reading)}
        if not isinstance(self.vertices, ImpliedVertices):
            found = {"vertices": roles} | found
        if "graphs" in tables:
            of_graphs, roles = choose_features(tables["graphs"].with_features(beside), mine)
            hint = "not used (use with --features {})"
            found["graphs"] = {
                name: hint.format(name) if role == "not used" else role
                for name, role in roles.items()
            }
        return features, of_graphs, found

    # ---- labels and names -------------------------------------------------------------------

    def _has(self, examples: str) -> bool:
        return self.reading.target is not None and examples in self._places_of_target()

    def _ids(self, examples: str, tables: dict[str, Table]) -> tuple[dict[str, list], np.ndarray]:
        """What examples are called, and their rows: they lie graph by graph."""
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

    def _labels(self, rows: Table, order: np.ndarray) -> np.ndarray:
        return as_target(rows.values(str(self.reading.target)))[order]


def _need(folder: Path, path: Path | None, reading: Reading) -> TableFile:
    if path is None:
        raise UserError(f"{folder}: there is no edges.csv (or .tsv, .csv.gz, .parquet)")
    return open_table(path, reading)
