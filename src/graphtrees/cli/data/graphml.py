"""GraphML and GML files: one graph with labelled vertices, or a folder of labelled graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.columns import Rows, as_target
from graphtrees.cli.data.grouping import batches
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Data, check_target
from graphtrees.cli.data.tablefile import find_table, open_table
from graphtrees.cli.errors import UserError

ENDINGS = (".graphml", ".graphml.gz", ".gml", ".gml.gz")


OF_NETWORKX = {"node_default", "edge_default"}  # what networkx adds to a graph it reads


def graph_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))


class GraphFiles:
    """One file, whose vertices are the examples, or a folder, whose graphs are.

    The label of a graph is an attribute of the graph, or stands in graphs.csv beside the files,
    whose graph id is the name of a file, with or without its ending.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name, self.path, self.reading = path.resolve().name, path, reading
        self.files = graph_files(path) if path.is_dir() else [path]

    kind = "GraphML and GML files"

    @property
    def uses(self) -> set[str]:
        """The options that mean something for these files."""
        options = {"target", "examples", "features", "weight", "edge_type", "edge_features"}
        table = find_table(self.path, "graphs") if self.path.is_dir() else None
        return options if table is None else options | {"graph_column", "as_text"}

    def load(self, need_target: bool) -> Data:
        graphs = [self._read(file) for file in self.files]
        kinds = self._examples(graphs)
        if kinds == "vertices":
            return self._of_vertices(graphs, need_target)
        X = self._convert(graphs, self.files)
        y = self._graph_labels(graphs, need_target)
        return Data(self.name, X, y, self._file_ids(self.files))

    def stream(self, size: int) -> Iterator[Data]:
        if self._examples([]) == "vertices":
            yield self.load(need_target=False)
            return
        for files in batches(self.files, size):
            graphs = [self._read(file) for file in files]
            yield Data(self.name, self._convert(graphs, files), None, self._file_ids(files))

    def _examples(self, graphs: list[Any]) -> str:
        """What was asked for; else the whole graphs of a folder, the vertices of a lone file."""
        if self.reading.examples == "edges":
            raise UserError(f"{self.path}: labels of edges are read from tables only")
        if self.reading.examples is not None:
            return self.reading.examples
        if not self.path.is_dir():
            return "vertices"
        target = self.reading.target
        on_vertices = target in _attributes(graphs)
        on_graphs = any(target in g.graph for g in graphs) or self._table_has(target)
        return "vertices" if on_vertices and not on_graphs else "graphs"

    # ---- reading ----------------------------------------------------------------------------

    def _read(self, path: Path) -> Any:
        networkx = require("networkx", extra="networkx", purpose="reading GraphML")
        is_gml = ".gml" in path.suffixes
        try:
            return (networkx.read_gml if is_gml else networkx.read_graphml)(path)
        except OSError:
            raise
        except Exception as error:
            kind = "GML" if is_gml else "GraphML"
            raise UserError(f"{path}: could not be read as {kind}: {error}") from error

    def _convert(self, graphs: list[Any], files: Sequence[Path]) -> Any:
        from graphtrees.graphs import from_networkx

        reading = self.reading
        features = self._features(graphs) if reading.features is None else list(reading.features)
        self._refuse_mixed(graphs, files, features)
        try:
            return from_networkx(
                graphs,
                features,
                weight=reading.weight or "weight",
                edge_type=reading.edge_type,
                edge_features=list(reading.edge_features) or None,
            )
        except ValueError as error:
            raise UserError(f"{self._where(str(error), files)}") from error

    def _features(self, graphs: list[Any]) -> list[str]:
        return sorted(_attributes(graphs) - {self.reading.target})

    def _refuse_mixed(self, graphs: list[Any], files: Sequence[Path], features: list[str]) -> None:
        """An attribute holds text everywhere or nowhere."""
        first: dict[str, bool] = {}
        if self.reading.exact:
            first = {name: name in self.reading.as_text for name in features}
        for graph, file in zip(graphs, files, strict=True):
            for vertex, attributes in graph.nodes(data=True):
                for name in features:
                    value = attributes.get(name)
                    if value is not None and isinstance(value, str) != first.setdefault(
                        name, isinstance(value, str)
                    ):
                        among = "labels" if first[name] else "numbers"
                        raise UserError(
                            f"{file}: vertex {vertex!r}: {name!r} is {value!r} among {among}"
                        )

    def _where(self, text: str, files: Sequence[Path]) -> str:
        """The message with the name of the file for the number of the graph."""
        head, _, rest = text.partition(":")
        number = head.removeprefix("graph ")
        if number != head and number.isdigit() and int(number) < len(files):
            return f"{files[int(number)]}:{rest}"
        return f"{self.path}: {text}"

    # ---- labels -----------------------------------------------------------------------------

    def _file_ids(self, files: Sequence[Path]) -> dict[str, list]:
        return {"file": [file.name for file in files]}

    def _of_vertices(self, graphs: list[Any], need_target: bool) -> Data:
        check_target(self.reading.target, need_target, str(self.path), self._features(graphs))
        target = self.reading.target
        names = [key for g in graphs for key in g.nodes]
        ids: dict[str, list] = {"id": names}
        if len(graphs) > 1:
            owners = zip(self.files, graphs, strict=True)
            ids = {"file": [file.name for file, g in owners for _ in g]} | ids
        found = [attributes.get(target) for g in graphs for _, attributes in g.nodes(data=True)]
        y = None
        if any(value is not None for value in found):
            y = _column(found)
        elif need_target:
            there = ", ".join(self._features(graphs)) or "none"
            raise UserError(
                f"{self.path}: no vertex has the attribute {target!r} (there is: {there})"
            )
        return Data(self.name, self._convert(graphs, self.files).vertices, y, ids)

    def _graph_labels(self, graphs: list[Any], need_target: bool) -> np.ndarray | None:
        target = self.reading.target
        there = sorted({name for g in graphs for name in g.graph} - OF_NETWORKX)
        check_target(target, need_target, str(self.path), there)
        if self._table_has(target):
            return self._labels_from_table()
        found = [g.graph.get(target) for g in graphs]
        if any(value is not None for value in found):
            return _column(found)
        if need_target:
            listed = ", ".join(there) or "none"
            raise UserError(
                f"{self.path}: no graph has the attribute {target!r} (there is: {listed}), and no "
                "graphs.csv beside them has such a column"
            )
        return None

    def _table_has(self, target: str | None) -> bool:
        table = find_table(self.path, "graphs") if self.path.is_dir() else None
        return table is not None and target in open_table(table).columns

    def _labels_from_table(self) -> np.ndarray:
        path = find_table(self.path, "graphs")
        assert path is not None
        file = open_table(path)
        rows = Rows(file, file.frame(), self.reading)
        values = rows.values(str(self.reading.target))
        place = {
            name: row
            for row, name in enumerate(rows.ids(self.reading.graph_column, "graph_column"))
        }
        chosen = []
        for one in self.files:
            stem = one.name.partition(".")[0]
            if one.name not in place and stem not in place:
                raise UserError(f"{path}: no row for the file {one.name}")
            chosen.append(place.get(one.name, place.get(stem)))
        return as_target(values[np.array(chosen, dtype=int)])


def _attributes(graphs: list[Any]) -> set[str]:
    """The attributes that some vertex has."""
    return {name for g in graphs for _, attributes in g.nodes(data=True) for name in attributes}


def _column(values: list[Any]) -> np.ndarray:
    """Numbers where all are, else labels."""
    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        return as_target(np.array([np.nan if v is None else float(v) for v in values]))
    labels = np.empty(len(values), dtype=object)
    labels[:] = [None if value is None else str(value) for value in values]
    return labels
