"""Text files: their encoding, and the line of each record."""

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

CHUNK = 1 << 20
FALLBACKS = ("cp1252", "latin-1")  # cp1252 has the euro sign, latin-1 decodes every byte
DAMAGED_GZIP = (gzip.BadGzipFile, EOFError, zlib.error)
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_file(path: Path, encoding: str | None = None) -> Any:
    """A file opened as text, or as bytes without an encoding; ``.gz`` is unpacked."""
    opener = gzip.open if path.name.endswith(".gz") else open
    if encoding is None:
        return opener(path, "rb")
    return opener(path, "rt", encoding=encoding, newline="")


def find_encoding(path: Path, name: str, asked: str | None) -> str:
    """The encoding asked for; else UTF-8 where the file decodes so, or Latin-1 with a warning."""
    if asked is not None:
        try:
            "".encode(asked)  # some codecs, as hex, are not of text
        except (LookupError, UnicodeError):
            raise UserError(f"--encoding {asked}: there is no such encoding") from None
        if not _decodes(path, name, asked):
            raise UserError(f"{name}: is not a CSV file in {asked}")
        return asked
    if _decodes(path, name, "utf-8-sig"):
        return "utf-8-sig"
    encoding = next(one for one in FALLBACKS if _decodes(path, name, one))
    warnings.warn(
        f"{name}: is no UTF-8 text; read as Latin-1 (--encoding names another)",
        stacklevel=2,
    )
    return encoding


def _decodes(path: Path, name: str, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with open_file(path) as stream:
            while chunk := stream.read(CHUNK):
                if not encoding.lower().startswith("utf-16"):
                    _refuse_binary(chunk, name)
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    except DAMAGED_GZIP as error:
        raise UserError(f"{name}: is not a whole gzip file: {error}") from error
    return True


def _refuse_binary(chunk: bytes, name: str) -> None:
    if chunk.startswith(UTF16):
        raise UserError(
            f"{name}: is not a CSV file in UTF-8 but in UTF-16; save it as UTF-8, or add "
            "--encoding utf-16"
        )
    if b"\0" in chunk:
        raise UserError(f"{name}: is not a CSV file: it holds bytes that are no text")


def records(
    path: Path, name: str, encoding: str, delimiter: str
) -> Iterator[tuple[int, list[str]]]:
    """Every record that is not blank, with the line it starts on; pandas does not tell lines."""
    with open_file(path, encoding) as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        line = 1
        try:
            for record in reader:
                if len(record) > 1 or any(field.strip() for field in record):
                    yield line, record
                line = reader.line_num + 1
        except csv.Error as error:
            raise UserError(f"{name}: line {line}: {error}") from error
