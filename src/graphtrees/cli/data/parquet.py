"""Parquet files with a row for each graph, as `Graphs.to_parquet` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.source import Data, check_target
from graphtrees.cli.data.table import as_target
from graphtrees.graphs.parquet import scan_parquet
from graphtrees.graphs.parquet.columns import LABEL, SOURCE, kind_of_type
from graphtrees.graphs.parquet.footers import open_parquet

ENDING = ".parquet"


def holds_graphs(path: Path) -> bool:
    """Whether this is a Parquet file whose rows are graphs: its edges are lists."""
    if path.suffix != ENDING:
        return False
    try:
        with open_parquet(path) as file:
            schema = file.schema_arrow
    except (ValueError, ImportError):  # the reader of tables says what is wrong
        return False
    if SOURCE not in schema.names:
        return False
    return kind_of_type(schema.field(schema.names.index(SOURCE)).type).depth > 0


class ParquetGraphs:
    """A folder of such files, or one of them; the labels are a column beside the graphs."""

    kind = "Parquet files of graphs"
    uses = frozenset({"target", "directed"})

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name, self.path, self.reading = path.resolve().name, path, reading
        self._files = scan_parquet(path, directed=reading.directed or None)

    @property
    def files(self) -> list[Path]:
        return [file.path for file in self._files.files]

    def load(self, need_target: bool) -> Data:
        X, y = self._files.read_all(), self._labels(need_target)
        return Data(self.name, X, y, {"graph": list(range(len(X)))})

    def stream(self, size: int) -> Iterator[Data]:
        first = 0
        for k in range(self._files.n_files):
            X = self._files.read(k)
            data = Data(self.name, X, None, {"graph": list(range(first, first + len(X)))})
            yield from data.pieces(size)
            first += len(X)

    def _labels(self, need_target: bool) -> np.ndarray | None:
        columns = list(self._files.label_columns)
        target = self.reading.target or (LABEL if LABEL in columns else None)
        check_target(target, need_target, str(self.path), columns)
        if target in columns:
            return as_target(self._files.labels(target))
        if need_target:
            raise no_column(str(self.path), str(target), columns)
        return None
