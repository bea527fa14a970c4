"""Text files: how they are encoded and separated, and on which line a record stands."""

from __future__ import annotations

import codecs
import csv
import gzip
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphtrees.cli.errors import UserError

PIECE = 1 << 20
FALLBACKS = ("cp1252", "latin-1")  # Windows' variant has the euro sign, but not every byte
PACKING = (gzip.BadGzipFile, EOFError, zlib.error)  # what a damaged .gz raises
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_bytes(path: Path) -> Any:
    return (gzip.open if path.name.endswith(".gz") else open)(path, "rb")


def open_text(path: Path, encoding: str) -> Any:
    packed = path.name.endswith(".gz")
    return (gzip.open if packed else open)(path, "rt", encoding=encoding, newline="")


def find_encoding(path: Path, shown: str, asked: str | None) -> str:
    """UTF-8 where the file is that, else Latin-1 with a warning."""
    if asked is not None:
        try:
            codecs.lookup(asked)
        except LookupError:
            raise UserError(f"--encoding {asked}: there is no such encoding") from None
        if not _decodes(path, shown, asked):
            raise UserError(f"{shown}: is not a CSV file in {asked}")
        return asked
    if _decodes(path, shown, "utf-8-sig"):
        return "utf-8-sig"
    encoding = next(one for one in FALLBACKS if _decodes(path, shown, one))
    warnings.warn(
        f"{shown}: is no UTF-8 text; read as Latin-1 (--encoding names another)", stacklevel=2
    )
    return encoding


def _decodes(path: Path, shown: str, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open_bytes(path) as stream:
            while piece := stream.read(PIECE):
                if not encoding.lower().startswith("utf-16"):
                    _refuse_binary(piece, shown)
                decoder.decode(piece)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except PACKING as error:
        raise UserError(f"{shown}: is not a whole gzip file: {error}") from error
    return True


def _refuse_binary(piece: bytes, shown: str) -> None:
    if piece.startswith(UTF16):
        raise UserError(
            f"{shown}: is not a CSV file in UTF-8 but in UTF-16; save it as UTF-8, or add "
            "--encoding utf-16"
        )
    if b"\0" in piece:
        raise UserError(f"{shown}: is not a CSV file: it holds bytes that are no text")


def records(
    path: Path, shown: str, encoding: str, delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Every record that is not blank, with the line it starts on."""
    with open_text(path, encoding) as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        line = 1
        try:
            for record in reader:
                if len(record) > 1 or any(field.strip() for field in record):
                    yield line, record
                line = reader.line_num + 1
        except csv.Error as error:
            raise UserError(f"{shown}: line {line}: {error}") from error
