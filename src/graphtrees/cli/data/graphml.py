"""GraphML and GML files: one graph with labelled vertices, or a folder of labelled graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.grouping import batches
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Data, check_target
from graphtrees.cli.data.table import Table, as_target
from graphtrees.cli.data.tablefile import find_table, open_table
from graphtrees.cli.errors import UserError
from graphtrees.graphs.convert.graphml import read_graph_file
from graphtrees.graphs.labels import object_array

ENDINGS = (".graphml", ".graphml.gz", ".gml", ".gml.gz")
OF_NETWORKX = {"node_default", "edge_default"}  # attributes that networkx adds when it reads


def graph_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))


class GraphFiles:
    """One file, whose vertices are the examples, or a folder, whose graphs are.

    The label of a graph is an attribute of the graph, or a column of graphs.csv beside the files,
    whose graph id is the name of a file, with or without its ending.
    """

    kind = "GraphML and GML files"

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name, self.path, self.reading = path.resolve().name, path, reading
        self.files = graph_files(path) if path.is_dir() else [path]

    @property
    def uses(self) -> set[str]:
        """The options that mean something for these files."""
        options = {"target", "examples", "features", "weight", "edge_type", "edge_features"}
        table = find_table(self.path, "graphs") if self.path.is_dir() else None
        return options if table is None else options | {"graph_column", "as_text"}

    def load(self, need_target: bool) -> Data:
        graphs = [read_graph_file(file) for file in self.files]
        if self._examples(graphs) == "vertices":
            return self._of_vertices(graphs, need_target)
        X = self._convert(graphs, self.files)
        y = self._graph_labels(graphs, need_target)
        return Data(self.name, X, y, self._file_ids(self.files))

    def stream(self, size: int) -> Iterator[Data]:
        if self._examples([]) == "vertices":
            yield self.load(need_target=False)
            return
        for files in batches(self.files, size):
            graphs = [read_graph_file(file) for file in files]
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

    def _convert(self, graphs: list[Any], files: Sequence[Path]) -> Any:
        from graphtrees.graphs.convert._attributed import AttributeNames
        from graphtrees.graphs.convert.networkx import read_networkx

        reading = self.reading
        features = self._features(graphs) if reading.features is None else list(reading.features)
        self._refuse_mixed(graphs, files, features)
        names = AttributeNames(
            features,
            reading.weight or "weight",
            reading.edge_type,
            list(reading.edge_features) or None,
        )
        try:
            in_folder = self.path.is_dir()
            name_graph = (lambda graph: files[graph].name) if in_folder else None
            return read_networkx(graphs, names, name_graph)
        except ValueError as error:
            raise UserError(f"{self.path}: {error}") from error

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
        labels = [attributes.get(target) for g in graphs for _, attributes in g.nodes(data=True)]
        y = None
        if any(label is not None for label in labels):
            y = _column(labels)
        elif need_target:
            listed = ", ".join(self._features(graphs)) or "none"
            raise UserError(
                f"{self.path}: no vertex has the attribute {target!r} (there is: {listed})"
            )
        return Data(self.name, self._convert(graphs, self.files).vertices, y, ids)

    def _graph_labels(self, graphs: list[Any], need_target: bool) -> np.ndarray | None:
        target = self.reading.target
        attributes = sorted({name for g in graphs for name in g.graph} - OF_NETWORKX)
        check_target(target, need_target, str(self.path), attributes)
        if self._table_has(target):
            return self._labels_from_table()
        labels = [g.graph.get(target) for g in graphs]
        if any(label is not None for label in labels):
            return _column(labels)
        if need_target:
            listed = ", ".join(attributes) or "none"
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
        table = Table(file, file.frame(), self.reading)
        values = table.values(str(self.reading.target))
        names = table.ids(self.reading.graph_column, "graph_column")
        row_of = {name: row for row, name in enumerate(names)}
        rows = []
        for one in self.files:
            row = row_of.get(one.name, row_of.get(one.name.partition(".")[0]))
            if row is None:
                raise UserError(f"{path}: no row for the file {one.name}")
            rows.append(row)
        return as_target(values[np.array(rows, dtype=int)])


def _attributes(graphs: list[Any]) -> set[str]:
    """The attributes that some vertex has."""
    return {name for g in graphs for _, attributes in g.nodes(data=True) for name in attributes}


def _column(values: list[Any]) -> np.ndarray:
    """Numbers where all are, else labels."""
    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        return as_target(np.array([np.nan if v is None else float(v) for v in values]))
    return object_array(None if value is None else str(value) for value in values)
