"""A folder with a table of vertices, a table of edges and perhaps a table of graphs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.columns import Rows, as_target
from graphtrees.cli.data.frames import feature_columns, make_frames, with_place
from graphtrees.cli.data.grouping import Groups, Seen, batches
from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.source import Data, NotInPieces, check_target, in_doubt
from graphtrees.cli.data.tablefile import TableFile, find_table, open_table
from graphtrees.cli.errors import UserError


class TableFolder:
    """vertices.csv, edges.csv and graphs.csv, each also as .csv.gz or .parquet."""

    def __init__(self, folder: Path, reading: Reading) -> None:
        self.name, self.path, self.reading = folder.resolve().name, folder, reading
        self.vertices = _need(folder, "vertices")
        self.edges = _need(folder, "edges")
        graphs = find_table(folder, "graphs")
        self.graphs = None if graphs is None else open_table(graphs)
        self._check_columns()

    @property
    def many(self) -> bool:
        """Whether there is a graph id, and so more than one graph."""
        return self.reading.graph_column in self.vertices.columns

    def load(self, need_target: bool) -> Data:
        self._check_target(need_target)
        tables = {
            name: Rows.of(file, file.rows())
            for name, file in (("vertices", self.vertices), ("edges", self.edges))
        }
        if self.graphs is not None:
            tables["graphs"] = Rows.of(self.graphs, self.graphs.rows())
        return self._build(tables)

    def stream(self, size: int) -> Iterator[Data]:
        """Graphs in the order of the files."""
        graph = self.reading.graph_column
        if not self.many or graph not in self.edges.columns:
            raise NotInPieces
        vertices, edges, seen = Groups(self.vertices, graph), Groups(self.edges, graph), Seen()
        listed = Groups(self.graphs, graph) if self.graphs else vertices
        for batch in batches(listed.runs(), size):
            keys = [key for key, _ in batch]
            rows = [row for _, run in batch for row in run]
            tables = {"edges": Rows.of(self.edges, edges.take(keys))}
            if self.graphs is None:
                tables["vertices"] = Rows.of(self.vertices, rows)
            else:
                tables["vertices"] = Rows.of(self.vertices, vertices.take(keys))
                tables["graphs"] = Rows.of(self.graphs, rows)
            if not seen.add(keys) or vertices.next_key in seen or edges.next_key in seen:
                raise NotInPieces
            try:
                data = self._build(tables, labels=False)
            except UserError as problem:
                raise in_doubt(self.path, problem) from problem
            yield data
        if vertices.next_key is not None or edges.next_key is not None:
            raise NotInPieces

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
        for file, option in wanted:
            if getattr(reading, option) not in file.columns:
                name = getattr(reading, option)
                raise no_column(str(file.path), name, file.columns, option)

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
        asked = [f for f in self._labelled() if self.reading.examples in (None, _stem(f))]
        there = list(dict.fromkeys(column for file in asked for column in file.columns))
        where = " or ".join(map(_stem, asked))
        raise no_column(f"{self.path} ({where})", target, there, "target")

    def _labelled(self) -> list[TableFile]:
        return [file for file in (self.graphs, self.vertices, self.edges) if file is not None]

    def _places_of_target(self) -> list[str]:
        """The kinds of example that have a column of the target's name."""
        reading = self.reading
        ids = (
            reading.graph_column,
            reading.id_column,
            reading.source_column,
            reading.target_column,
        )
        if reading.target in ids:
            return []
        return [_stem(file) for file in self._labelled() if reading.target in file.columns]

    def _examples(self) -> str:
        if self.reading.examples == "graphs" and not self.many:
            raise no_column(
                str(self.vertices.path), self.reading.graph_column, self.vertices.columns,
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

    def _build(self, tables: dict[str, Rows], labels: bool = True) -> Data:
        from graphtrees.graphs import from_tables

        reading = self.reading
        features = feature_columns(reading, self.vertices.columns)
        frames = make_frames(tables, reading, features)
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
                directed=reading.directed,
            )
        except (ValueError, TypeError) as error:
            raise with_place(error, tables) from error
        examples = self._examples()
        if examples == "graphs":
            return self._of_graphs(graphs, tables, labels)
        return self._of_parts(getattr(graphs, examples), examples, tables, labels)

    # ---- labels and names -------------------------------------------------------------------

    def _of_graphs(self, graphs: Any, tables: dict[str, Rows], labels: bool) -> Data:
        column = self.reading.graph_column
        listed = tables.get("graphs", tables["vertices"]).ids(column)
        ids = {column: list(dict.fromkeys(listed))}
        y = None
        if labels and self.reading.target and "graphs" in self._places_of_target():
            y = self._labels(tables["graphs"])
        return Data(self.name, graphs, y, ids)

    def _of_parts(self, X: Any, examples: str, tables: dict[str, Rows], labels: bool) -> Data:
        """Vertices or edges, which lie graph by graph whatever the order of their rows."""
        rows, reading = tables[examples], self.reading
        names = [reading.id_column]
        if examples == "edges":
            names = [reading.source_column, reading.target_column]
        columns = {name: rows.ids(name) for name in names}
        order = np.arange(len(rows))
        if self.many:
            owners = self._owners(examples, tables)
            listed = tables.get("graphs", tables["vertices"]).ids(reading.graph_column)
            number = {key: place for place, key in enumerate(dict.fromkeys(listed))}
            order = np.argsort([number[owner] for owner in owners], kind="stable")
            columns = {reading.graph_column: owners} | columns
        ids = {name: [column[row] for row in order] for name, column in columns.items()}
        y = None
        if labels and reading.target and examples in self._places_of_target():
            y = self._labels(rows)[order]
        return Data(self.name, X, y, ids)

    def _owners(self, examples: str, tables: dict[str, Rows]) -> list[str]:
        """The graph of each row; edges without one belong where their source does."""
        column = self.reading.graph_column
        if column in tables[examples].columns:
            return tables[examples].ids(column)
        vertices = tables["vertices"]
        pairs = zip(vertices.ids(self.reading.id_column), vertices.ids(column), strict=True)
        graph_of = dict(pairs)
        return [graph_of[source] for source in tables["edges"].ids(self.reading.source_column)]

    def _labels(self, rows: Rows) -> np.ndarray:
        target = str(self.reading.target)
        return as_target(rows.values(target, target in self.reading.as_text))


def _need(folder: Path, name: str) -> TableFile:
    path = find_table(folder, name)
    if path is None:
        raise UserError(f"{folder}: there is no {name}.csv (or .csv.gz, or .parquet)")
    return open_table(path)


def _stem(file: TableFile) -> str:
    """The table that a file holds, by its name."""
    return file.path.name.partition(".")[0]
