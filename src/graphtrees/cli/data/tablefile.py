"""A table in a file, CSV or Parquet: read whole or in chunks, with places for messages."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from graphtrees._optional import require
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.textfile import find_encoding, open_file, records
from graphtrees.cli.errors import UserError

TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
ENDINGS = (*TEXT_ENDINGS, ".parquet")
CHUNK_ROWS = 250  # rows that are read at a time
CHUNK_CHARACTERS = 1 << 14


class TableInfo(Protocol):
    """The columns of a table, and how messages call it and its rows."""

    path: Path
    name: str
    columns: list[str]
    has_free_commas: bool  # whether a comma may be a decimal mark

    def place(self, record: int) -> str:
        """How messages call a row: "line 3"."""

    def kind(self, column: str) -> str | None:
        """Either "date", "number" or "text" where the file says so; else None."""


class TableFile(TableInfo, Protocol):
    """A table in a file. The index of a frame is the record number, from 0."""

    def frame(self) -> Any:
        """Every row, as a DataFrame of objects."""

    def frames(self, size: int = CHUNK_ROWS) -> Iterator[Any]:
        """The rows, `size` at a time."""


class TextTable:
    """Comma-, semicolon- or tab-separated text with a header.

    pandas reads the file, as text. Where it finds a fault, or hides a short row, the csv module
    reads the file once more to find the line.
    """

    def __init__(self, path: Path, reading: Reading | None = None, name: str | None = None):
        self.path, self.name = path, name or str(path)
        self.encoding = find_encoding(path, self.name, reading.encoding if reading else None)
        with open_file(path, self.encoding) as stream:
            header = stream.readline()
        self.delimiter = max(",;\t", key=header.count)
        self.has_free_commas = self.delimiter != ","
        self.columns = [name.strip() for name in next(self._records(), (0, []))[1]]
        self._has_full_rows = False
        if not self.columns:
            raise UserError(
                f"{self.name}: is empty; a header with the names of the columns is wanted"
            )
        _refuse_repeats(self.columns, f"{self.name}: line 1")

    def frame(self) -> Any:
        with self._faults_by_line():
            frame = self._read_csv(self.path)
        return self._checked(frame)

    def frames(self, size: int = CHUNK_ROWS) -> Iterator[Any]:
        with open_file(self.path, self.encoding) as stream:
            with self._faults_by_line():
                chunks = self._read_csv(_SmallReads(stream), chunksize=size)
            while True:
                with self._faults_by_line():
                    frame = next(chunks, None)
                if frame is None:
                    return
                yield self._checked(frame)

    def place(self, record: int) -> str:
        for number, (line, _) in enumerate(self._records(), -1):
            if number == record:
                return f"line {line}"
        return f"row {record + 1}"

    def kind(self, column: str) -> str | None:
        return None

    def _read_csv(self, file: Any, **options: Any) -> Any:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        return pandas.read_csv(
            file, sep=self.delimiter, dtype=object, na_filter=False, index_col=False, header=0,
            names=self.columns, encoding=self.encoding, **options,
        )  # fmt: skip

    @contextmanager
    def _faults_by_line(self) -> Iterator[None]:
        """Raise the errors of pandas with the line in the file."""
        errors = require("pandas.errors", extra="pandas", purpose="reading tables")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", errors.ParserWarning)
                yield
        except (errors.ParserError, errors.ParserWarning) as error:
            self._find_fault()
            raise UserError(f"{self.name}: {' '.join(str(error).split())}") from error

    def _checked(self, frame: Any) -> Any:
        """pandas fills short rows with empty text: check the file if a last field is empty."""
        if not self._has_full_rows and len(self.columns) > 1 and (frame.iloc[:, -1] == "").any():
            self._find_fault()
            self._has_full_rows = True
        return frame

    def _find_fault(self) -> None:
        width = len(self.columns)
        for line, record in self._records():
            if len(record) != width:
                raise UserError(
                    f"{self.name}: line {line}: {len(record)} fields; the header has {width}"
                )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        return records(self.path, self.name, self.encoding, self.delimiter)


class _SmallReads:
    """A stream that returns a few characters per read: pandas asks for a quarter of a megabyte."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> str:
        return self._stream.read(CHUNK_CHARACTERS if size < 0 else min(size, CHUNK_CHARACTERS))

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)


class ParquetTable:
    """A Parquet file, read by pyarrow; frames hold Python values."""

    has_free_commas = False

    def __init__(self, path: Path) -> None:
        parquet = require("pyarrow.parquet", extra="arrow", purpose=f"reading {path.name}")
        self.path, self.name = path, str(path)
        with self._faults("is not a Parquet file"):
            self._file = parquet.ParquetFile(path)
        self.columns = list(self._file.schema_arrow.names)
        _refuse_repeats(self.columns, self.name)

    def frame(self) -> Any:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        frames = list(self.frames(1 << 20))
        return pandas.concat(frames) if frames else object_frame([], self.columns)

    def frames(self, size: int = CHUNK_ROWS) -> Iterator[Any]:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        first, batches = 0, self._file.iter_batches(size)
        while True:
            with self._faults("is a damaged Parquet file"):
                batch = next(batches, None)
                columns = [] if batch is None else [one.to_pylist() for one in batch.columns]
            if batch is None:
                return
            index = range(first, first + batch.num_rows)
            named = dict(zip(self.columns, columns, strict=True))
            yield pandas.DataFrame(named, index, dtype=object)
            first += batch.num_rows

    @contextmanager
    def _faults(self, fault: str) -> Iterator[None]:
        """Raise the errors of pyarrow, and of text that does not decode, as a fault of the file."""
        try:
            yield
        except Exception as error:
            if isinstance(error, UnicodeDecodeError) or type(error).__module__[:7] == "pyarrow":
                raise UserError(f"{self.path}: {fault}: {error}") from error
            raise

    def place(self, record: int) -> str:
        return f"row {record + 1}"

    def kind(self, column: str) -> str | None:
        kind = str(self._file.schema_arrow.field(column).type)
        if kind.startswith(("timestamp", "date")):
            return "date"
        return "text" if kind.startswith(("string", "large_string", "dictionary")) else "number"


def _refuse_repeats(columns: list[str], where: str) -> None:
    for name in columns:
        if columns.count(name) > 1:
            raise UserError(f"{where}: two columns are called {name!r}")


def object_frame(records: Iterable[Any], columns: list[str], first: int = 0) -> Any:
    """A DataFrame of Python objects, whose index counts from `first`."""
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    rows = list(records)
    index = range(first, first + len(rows))
    return pandas.DataFrame(rows, index, columns=columns, dtype=object)


def open_table(path: Path, reading: Reading | None = None) -> TableFile:
    return ParquetTable(path) if path.suffix == ".parquet" else TextTable(path, reading)


def find_table(folder: Path, name: str) -> Path | None:
    """The file of the table of this name, None without one; two are refused."""
    files = [folder / f"{name}{end}" for end in ENDINGS if (folder / f"{name}{end}").is_file()]
    if len(files) > 1:
        raise UserError(f"{folder}: holds both {files[0].name} and {files[1].name}; keep one")
    return files[0] if files else None
