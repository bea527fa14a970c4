"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from graphtrees.cli.errors import UserError


def check_place(path: Path, endings: tuple[str, ...] = ()) -> None:
    """Refuse, before any work is done, a file that could not be written at its end."""
    if endings and not path.name.endswith(endings):
        raise UserError(f"{path}: the name must end in {' or '.join(endings)}")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file")
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"{path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise UserError(f"{path}: the folder {folder} cannot be written to")


def refuse_inputs(path: Path | None, inputs: Iterable[Path], option: str = "-o") -> None:
    """Refuse to write over a file that is read."""
    if path is None or not path.exists():
        return
    for one in inputs:
        if one.exists() and path.samefile(one):
            raise UserError(f"{option} {path}: is read from; name another file to write")


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[TextIO]:
    """A stream whose lines become the file when all went well; None: they are printed then."""
    if path is None:
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as stream:
            yield stream
            stream.seek(0)
            shutil.copyfileobj(stream, sys.stdout)
        return
    from graphtrees.files import replacing

    with replacing(path) as file:
        stream = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        try:
            yield stream
        finally:
            stream.detach()


def as_text(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: text that begins like one gets a ' in front.

    >>> as_text("=1+2"), as_text("-cmd"), as_text("-1.5"), as_text("-"), as_text(-1.5)
    ("'=1+2", "'-cmd", '-1.5', '-', -1.5)
    """
    if not isinstance(cell, str) or not cell.startswith(("=", "@", "+", "-", "\t", "\r", "\n")):
        return cell
    return cell if cell in ("+", "-") or _is_number(cell) else f"'{cell}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
