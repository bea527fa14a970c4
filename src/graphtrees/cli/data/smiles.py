"""A CSV file with a column of SMILES: each row is a molecule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphtrees.cli.data.columns import Rows, as_target
from graphtrees.cli.data.grouping import batches
from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.source import Data, check_target
from graphtrees.cli.data.tablefile import CsvFile
from graphtrees.cli.errors import UserError


class SmilesFile:
    """Molecules, and what is known of each."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self.name, self.path, self.reading = path.name, path, reading
        self.file = CsvFile(path)
        self.column = self._smiles_column()

    def load(self, need_target: bool) -> Data:
        target = self.reading.target
        others = [name for name in self.file.columns if name != self.column]
        check_target(target, need_target, str(self.path), others)
        if target is not None and target not in self.file.columns:
            if need_target:
                raise no_column(str(self.path), target, self.file.columns, "target")
            target = None
        rows = Rows.of(self.file, self.file.rows())
        y = None
        if target is not None:
            y = as_target(rows.values(target, target in self.reading.as_text))
        return Data(self.name, self._graphs(rows), y, {self.column: self._smiles(rows)})

    def stream(self, size: int) -> Iterator[Data]:
        for batch in batches(self.file.rows(), size):
            rows = Rows.of(self.file, batch)
            yield Data(self.name, self._graphs(rows), None, {self.column: self._smiles(rows)})

    def _smiles_column(self) -> str:
        asked = self.reading.smiles_column
        if asked is not None:
            if asked not in self.file.columns:
                raise no_column(str(self.path), asked, self.file.columns, "smiles_column")
            return asked
        for name in self.file.columns:
            if name.lower() == "smiles":
                return name
        raise UserError(
            f"{self.path}: no column is called 'smiles' (there is: {', '.join(self.file.columns)})"
            "; name it with --smiles-column, or put vertices.csv and edges.csv into a folder"
        )

    def _smiles(self, rows: Rows) -> list[str]:
        return rows.ids(self.column)

    def _graphs(self, rows: Rows):
        from graphtrees.graphs import from_smiles

        try:
            return from_smiles(self._smiles(rows))
        except ValueError as error:
            found = re.match(r"molecule (\d+): (.*)", str(error), re.DOTALL)
            if found is None:
                raise
            place = rows.place(int(found[1]))
            raise UserError(f"{place}: {self.column!r}: {found[2]}") from error
