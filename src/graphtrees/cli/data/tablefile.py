"""One table in a file, CSV or Parquet: read whole or in pieces, with places for messages."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphtrees._optional import require
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.textfile import find_encoding, open_text, records
from graphtrees.cli.errors import UserError

TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
ENDINGS = (*TEXT_ENDINGS, ".parquet")
PIECE = 250  # rows that are read at a time


class TextTable:
    """Comma-, semicolon- or tab-separated text with a header.

    Frames hold text; their index is the number of the record, from 0. pandas reads the file; where
    something is wrong, or may be, a second look by the csv module says on which line.
    """

    def __init__(self, path: Path, reading: Reading | None = None, shown: str | None = None):
        self.path, self.shown = path, shown or str(path)
        self.encoding = find_encoding(path, self.shown, reading.encoding if reading else None)
        with open_text(path, self.encoding) as stream:
            header = stream.readline()
        self.delimiter = max(",;\t", key=header.count)
        self.columns = [name.strip() for name in next(self._records(), (0, []))[1]]
        self._checked = False
        if not self.columns:
            raise UserError(
                f"{self.shown}: is empty; a header with the names of the columns is wanted"
            )
        for name in self.columns:
            if self.columns.count(name) > 1:
                raise UserError(f"{self.shown}: line 1: two columns are called {name!r}")

    @property
    def has_free_commas(self) -> bool:
        """Whether a comma may be a decimal mark: it does not separate fields."""
        return self.delimiter != ","

    def frame(self) -> Any:
        """Every row."""
        return self._read(None)

    def frames(self, size: int = PIECE) -> Iterator[Any]:
        """The rows, so many at a time."""
        with open_text(self.path, self.encoding) as stream:
            pieces = self._read(size, _Slowly(stream))
            yield from (self._check(piece) for piece in self._guard(iter(pieces)))

    def place(self, record: int) -> str:
        """Where a row stands."""
        for number, (line, _) in enumerate(self._records(), -1):
            if number == record:
                return f"line {line}"
        return f"row {record + 1}"

    def kind(self, column: str) -> str | None:
        """Text files do not say."""
        return None

    def _read(self, size: int | None, stream: Any = None) -> Any:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        options: dict[str, Any] = {
            "sep": self.delimiter, "dtype": object, "na_filter": False, "index_col": False,
            "encoding": self.encoding, "chunksize": size, "names": self.columns, "header": 0,
        }  # fmt: skip
        file = self.path if stream is None else stream
        frame = next(self._guard(iter([file]), lambda file: pandas.read_csv(file, **options)))
        return frame if size else self._check(frame)

    def _guard(self, pieces: Iterator[Any], read: Any = lambda piece: piece) -> Iterator[Any]:
        """The pieces; what pandas has against the file is told with its line."""
        from pandas.errors import ParserError, ParserWarning

        while True:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", ParserWarning)
                    piece = read(next(pieces))
            except StopIteration:
                return
            except (ParserError, ParserWarning) as error:
                self._find_fault()
                raise UserError(f"{self.shown}: {' '.join(str(error).split())}") from error
            yield piece

    def _check(self, frame: Any) -> Any:
        """pandas fills up short rows with empty text: look twice where the last field is empty."""
        if not self._checked and len(self.columns) > 1 and (frame.iloc[:, -1] == "").any():
            self._find_fault()
            self._checked = True
        return frame

    def _find_fault(self) -> None:
        width = len(self.columns)
        for line, record in self._records():
            if len(record) != width:
                raise UserError(
                    f"{self.shown}: line {line}: {len(record)} fields; the header has {width}"
                )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        return records(self.path, self.shown, self.encoding, self.delimiter)


class _Slowly:
    """A stream that is read a little at a time: pandas would hold a quarter of a megabyte."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> str:
        return self._stream.read(1 << 14 if size < 0 else min(size, 1 << 14))

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)


class ParquetTable:
    """A Parquet file, read by pyarrow a batch at a time; frames hold Python values."""

    has_free_commas = False

    def __init__(self, path: Path) -> None:
        parquet = require("pyarrow.parquet", extra="arrow", purpose=f"reading {path.name}")
        self.path, self.shown = path, str(path)
        with self._readable("is not a Parquet file"):
            self._file = parquet.ParquetFile(path)
        self.columns = list(self._file.schema_arrow.names)

    def frame(self) -> Any:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        frames = list(self.frames(1 << 20))
        return pandas.concat(frames) if frames else self._frame([[] for _ in self.columns], 0)

    def frames(self, size: int = PIECE) -> Iterator[Any]:
        first, batches = 0, self._file.iter_batches(size)
        while True:
            with self._readable("is a damaged Parquet file"):
                batch = next(batches, None)
                columns = [] if batch is None else [one.to_pylist() for one in batch.columns]
            if batch is None:
                return
            yield self._frame(columns, first)
            first += batch.num_rows

    @contextmanager
    def _readable(self, otherwise: str) -> Iterator[None]:
        """Tell errors of pyarrow, and text that is none, as a fault of the file."""
        try:
            yield
        except Exception as error:
            if isinstance(error, UnicodeDecodeError) or type(error).__module__[:7] == "pyarrow":
                raise UserError(f"{self.path}: {otherwise}: {error}") from error
            raise

    def place(self, record: int) -> str:
        return f"row {record + 1}"

    def kind(self, column: str) -> str | None:
        """What the file says its values are."""
        kind = str(self._file.schema_arrow.field(column).type)
        if kind.startswith(("timestamp", "date")):
            return "date"
        return "text" if kind.startswith(("string", "large_string", "dictionary")) else "number"

    def _frame(self, columns: list[list], first: int) -> Any:
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        n = len(columns[0]) if columns else 0
        index = range(first, first + n)
        pairs = zip(self.columns, columns, strict=True)
        return pandas.DataFrame(
            {name: pandas.Series(values, index, dtype=object) for name, values in pairs}, index
        )


TableFile = Any  # a TextTable, a ParquetTable, or a list of molecules that reads like one


def open_table(path: Path, reading: Reading | None = None) -> TableFile:
    return ParquetTable(path) if path.suffix == ".parquet" else TextTable(path, reading)


def find_table(folder: Path, name: str) -> Path | None:
    """The file that holds the table of this name; two of them are one too many."""
    found = [folder / f"{name}{end}" for end in ENDINGS if (folder / f"{name}{end}").is_file()]
    if len(found) > 1:
        raise UserError(f"{folder}: holds both {found[0].name} and {found[1].name}; keep one")
    return found[0] if found else None
