"""Lists of molecules without a header, .smi and .sdf, read like a table."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from graphtrees._optional import require
from graphtrees.cli.data.grouping import batches
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.tablefile import CHUNK_ROWS, object_frame
from graphtrees.cli.data.textfile import find_encoding, open_file

SMI_ENDINGS = (".smi", ".smi.gz", ".smiles")
SDF_ENDINGS = (".sdf", ".sdf.gz", ".sd")


class _MoleculeList:
    """Records of text that read like a table."""

    has_free_commas = False
    columns: list[str]

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path, self.name = path, str(path)
        self.encoding = find_encoding(path, self.name, reading.encoding)

    def frame(self) -> Any:
        return object_frame(self._records(), self.columns)

    def frames(self, size: int = CHUNK_ROWS) -> Iterator[Any]:
        first = 0
        for chunk in batches(self._records(), size):
            yield object_frame(chunk, self.columns, first)
            first += len(chunk)

    def kind(self, column: str) -> str | None:
        return None

    def _records(self) -> Iterator[list[str]]:
        raise NotImplementedError


class SmiFile(_MoleculeList):
    """A SMILES on each line, and perhaps a name after it."""

    columns = ["smiles", "name"]  # noqa: RUF012

    def place(self, record: int) -> str:
        return f"line {next(islice(self._lines(), record, None))[0]}"

    def _records(self) -> Iterator[list[str]]:
        for _, line in self._lines():
            smiles, _, name = line.replace("\t", " ").partition(" ")
            yield [smiles, name.strip()]

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Lines that are not blank, without a header, with their numbers."""
        with open_file(self.path, self.encoding) as stream:
            for number, line in enumerate(stream, 1):
                text = line.strip()
                if text and not (number == 1 and text.split()[0].lower() == "smiles"):
                    yield number, text


class SdfFile(_MoleculeList):
    """Molecules with named properties. One that RDKit cannot read has no SMILES."""

    def __init__(self, path: Path, reading: Reading) -> None:
        super().__init__(path, reading)
        properties = dict.fromkeys(
            name for molecule in self._molecules() if molecule for name in molecule.GetPropNames()
        )
        own = {"smiles", "name"} & {name.lower() for name in properties}
        self.columns = [c for c in ("smiles", "name") if c not in own] + list(properties)
        self.smiles = next(name for name in self.columns if name.lower() == "smiles")

    def place(self, record: int) -> str:
        return f"molecule {record + 1}"

    def _records(self) -> Iterator[list[str]]:
        chem = require("rdkit.Chem", extra="chem", purpose=f"reading {self.path.name}")
        for molecule in self._molecules():
            if molecule is None:
                yield ["" for _ in self.columns]
                continue
            fields = molecule.GetPropsAsDict(False, False, autoConvertStrings=False)
            title = molecule.GetProp("_Name") if molecule.HasProp("_Name") else ""
            row = {"name": title} | {name: str(value) for name, value in fields.items()}
            row[self.smiles] = chem.MolToSmiles(molecule)
            yield [row.get(name, "") for name in self.columns]

    def _molecules(self) -> Iterator[Any]:
        chem = require("rdkit.Chem", extra="chem", purpose=f"reading {self.path.name}")
        base = require("rdkit.rdBase", extra="chem", purpose=f"reading {self.path.name}")
        with open_file(self.path) as stream, base.BlockLogs():
            if not self.encoding.startswith("utf-8"):  # which RDKit expects
                stream = codecs.EncodedFile(stream, "utf-8", self.encoding)
            yield from chem.ForwardSDMolSupplier(stream)
