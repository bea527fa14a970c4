"""One table in a file, CSV or Parquet: rows one after another, and places for messages."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from graphtrees._optional import require
from graphtrees.cli.errors import UserError

ENDINGS = (".csv", ".csv.gz", ".parquet")
PACKING = (gzip.BadGzipFile, EOFError, zlib.error)  # what a damaged .gz raises

# Rows are lists of fields: text from CSV, Python values from Parquet.
Row = list[Any]


class CsvFile:
    """Comma-, semicolon- or tab-separated text with a header."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _open(path) as stream:
            header = stream.readline()
        self._delimiter = max(",;\t", key=header.count)
        self.columns = [name.strip() for name in next(self._records(0), (0, []))[1]]
        if not self.columns:
            raise UserError(f"{path}: is empty; a header with the names of the columns is wanted")
        for name in self.columns:
            if self.columns.count(name) > 1:
                raise UserError(f"{path}: line 1: two columns are called {name!r}")

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Every row with its place."""
        width = len(self.columns)
        for line, row in self._records(1):
            if not row:
                continue  # an empty line
            if len(row) != width:
                raise UserError(
                    f"{self.path}: line {line}: {len(row)} fields; the header has {width}"
                )
            yield f"line {line}", row

    def kind(self, column: str) -> str | None:
        """Text files do not say."""
        return None

    def _records(self, skip: int) -> Iterator[tuple[int, Row]]:
        """Records with the line each starts on."""
        with _open(self.path) as stream:
            reader = csv.reader(stream, delimiter=self._delimiter, strict=True)
            line = 1
            try:
                for number, record in enumerate(reader):
                    if number >= skip:
                        yield line, record
                    line = reader.line_num + 1
            except csv.Error as error:
                raise UserError(f"{self.path}: line {line}: {error}") from error
            except UnicodeDecodeError as error:
                raise _no_text(self.path) from error
            except PACKING as error:
                raise _damaged(self.path, error) from error


def _open(path: Path) -> TextIO:
    packed = path.name.endswith(".gz")
    stream: Any = (gzip.open if packed else open)(path, "rt", encoding="utf-8-sig", newline="")
    try:
        stream.read(1)  # decodes the first few thousand bytes
        stream.seek(0)
    except UnicodeDecodeError as error:
        stream.close()
        raise _no_text(path) from error
    except PACKING as error:
        stream.close()
        raise _damaged(path, error) from error
    return stream


def _no_text(path: Path) -> UserError:
    return UserError(f"{path}: is not a CSV file: it holds bytes that are no UTF-8 text")


def _damaged(path: Path, error: Exception) -> UserError:
    return UserError(f"{path}: is not a whole gzip file: {error}")


class ParquetFile:
    """A Parquet file, read by pyarrow a batch at a time."""

    def __init__(self, path: Path) -> None:
        parquet = require("pyarrow.parquet", extra="arrow", purpose=f"reading {path.name}")
        self.path = path
        try:
            self._file = parquet.ParquetFile(path)
        except Exception as error:
            if type(error).__module__.startswith("pyarrow"):
                raise UserError(f"{path}: is not a Parquet file: {error}") from error
            raise
        self.columns = list(self._file.schema_arrow.names)

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Every row with its place, counted from 1."""
        number = 0
        for batch in self._file.iter_batches():
            columns = [column.to_pylist() for column in batch.columns]
            for row in zip(*columns, strict=True):
                number += 1
                yield f"row {number}", list(row)

    def kind(self, column: str) -> str | None:
        """What the file says its values are."""
        kind = str(self._file.schema_arrow.field(column).type)
        return "text" if kind.startswith(("string", "large_string", "dictionary")) else "number"


TableFile = CsvFile | ParquetFile


def open_table(path: Path) -> TableFile:
    return ParquetFile(path) if path.suffix == ".parquet" else CsvFile(path)


def find_table(folder: Path, name: str) -> Path | None:
    """The file that holds the table of this name; two of them are one too many."""
    found = [folder / f"{name}{end}" for end in ENDINGS if (folder / f"{name}{end}").is_file()]
    if len(found) > 1:
        raise UserError(f"{folder}: holds both {found[0].name} and {found[1].name}; keep one")
    return found[0] if found else None
