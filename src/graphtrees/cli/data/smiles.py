"""Molecules: a table with a column of SMILES, or a .smi or .sdf file. Each row is a molecule."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.alignment import with_columns
from graphtrees.cli.data.frames import feature_values
from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.roles import Roles, choose_features, with_hints, with_inferred
from graphtrees.cli.data.source import Data, check_target
from graphtrees.cli.data.table import Table, as_target
from graphtrees.cli.data.tablefile import TableFile
from graphtrees.cli.errors import UserError
from graphtrees.graphs.convert.smiles import ATOM_FEATURES, SmilesError, parse_smiles

NO_FEATURES: tuple[str, ...] = ()


class MoleculeFile:
    """Molecules, and what is known of each."""

    kind = "a file of molecules"
    uses = frozenset(
        {
            "target", "features", "as_text", "smiles_column", "dates", "decimal", "missing",
            "encoding", "on_error",
        }
    )  # fmt: skip

    def __init__(self, path: Path, reading: Reading, file: TableFile) -> None:
        self.name, self.path, self.reading, self.file = (
            Path(file.name).name,
            path,
            reading,
            file,
        )
        self.files = [path]
        column = smiles_column(file, reading)
        if column is None:
            raise UserError(
                f"{file.name}: no column is called 'smiles' (there is: {', '.join(file.columns)})"
                "; name it with --smiles-column, or put vertices.csv and edges.csv into a folder"
            )
        self.column = column

    def load(self, need_target: bool) -> Data:
        target = self.reading.target
        others = [name for name in self.file.columns if name != self.column]
        check_target(target, need_target, self.file.name, others)
        if target is not None and target not in self.file.columns and need_target:
            raise no_column(self.file.name, target, self.file.columns, "target")
        return self._data(Table(self.file, self.file.frame(), self.reading), labels=True)

    def stream(self, size: int) -> Iterator[Data]:
        for frame in self.file.frames(size):
            data = self._data(Table(self.file, frame, self.reading), labels=False)
            if len(data):
                yield data

    def _data(self, table: Table, labels: bool) -> Data:
        X, table, unreadable = self._read(table)
        X, columns, features = self._add_columns(X, table)
        y = None
        if labels and self.reading.target in self.file.columns:
            y = as_target(table.values(str(self.reading.target)))
        ids = {name: table.texts(name) for name in self.file.columns}
        reading = with_inferred(self.reading, [table], features)
        return Data(
            self.name, X, y, ids, columns={self.name: columns}, reading=reading,
            unreadable=unreadable,
        )  # fmt: skip

    # ---- molecules --------------------------------------------------------------------------

    def _read(self, table: Table) -> tuple[Any, Table, np.ndarray | None]:
        """Graphs, their rows, and a mask of rows without a molecule."""
        from graphtrees.graphs import from_smiles

        smiles = table.texts(self.column)
        try:
            return from_smiles([text or None for text in smiles]), table, None
        except SmilesError as error:
            faults = error.faults
        if self.reading.on_error == "raise":
            raise self._all_faults()
        what = "left out" if self.reading.on_error == "skip" else "no prediction"
        for row, reason in faults.items():
            fault = self._fault(table, row, reason)
            warnings.warn(f"{self.file.name}: {fault}: {what}", stacklevel=2)
        bad = np.zeros(len(table), bool)
        bad[list(faults)] = True
        if self.reading.on_error == "skip":
            table, bad = table.take(np.flatnonzero(~bad)), bad[~bad]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # every row has been named
            graphs = from_smiles([text or None for text in table.texts(self.column)], errors="none")
        return graphs, table, bad if bad.any() else None

    def _fault(self, table: Table, row: int, reason: str) -> str:
        missing = not table.texts(self.column)[row]
        what = f"{self.column!r} is missing" if missing else f"{self.column!r}: {reason}"
        return f"{table.row_name(row)}: {what}"

    def _all_faults(self) -> UserError:
        """The error that lists every row of the file without a molecule."""
        faults = []
        for frame in self.file.frames():
            table = Table(self.file, frame, self.reading)
            reasons = parse_smiles([text or None for text in table.texts(self.column)])[1]
            faults += [self._fault(table, row, reason) for row, reason in reasons.items()]
        count = f"{len(faults)} molecules cannot be read: " if len(faults) > 1 else ""
        listed = "; ".join(faults)
        return UserError(f"{self.file.name}: {count}{listed}; --on-error skip leaves such rows out")

    # ---- columns beside the molecule --------------------------------------------------------

    def _add_columns(self, graphs: Any, table: Table) -> tuple[Any, Roles, list[str]]:
        """The graphs with the columns asked for, and what every column was taken for."""
        asked = self.reading.features or NO_FEATURES
        beside = [name for name in asked if name not in ATOM_FEATURES]
        atoms = [name for name in asked if name in ATOM_FEATURES] or list(ATOM_FEATURES)
        for name in asked:
            if name in ATOM_FEATURES and name in self.file.columns and not self.reading.exact:
                raise UserError(
                    f"{self.file.name}: {name!r} is a column and a feature of atoms; rename it"
                )
            if name not in ATOM_FEATURES and name not in self.file.columns:
                there = [c for c in self.file.columns if c != self.column]
                raise no_column(self.file.name, name, there)
        keys = {self.column: "molecule"}
        if self.reading.target is not None:
            keys[self.reading.target] = "target"
        chosen = Table(self.file, table.frame, replace(self.reading, features=tuple(beside)))
        features, roles = choose_features(chosen, keys)
        table.with_commas |= chosen.with_commas
        values = {name: feature_values(table, name) for name in features}
        return with_columns(graphs, atoms, values), with_hints(roles), features


def smiles_column(file: TableFile, reading: Reading) -> str | None:
    """The column with SMILES: the one asked for, or one of that name."""
    asked = reading.smiles_column
    if asked is not None:
        if asked not in file.columns:
            raise no_column(file.name, asked, file.columns, "smiles_column")
        return asked
    return next((name for name in file.columns if name.lower() == "smiles"), None)
