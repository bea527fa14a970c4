"""Read the files of a data set from a folder, or from a zip without unpacking it."""

from __future__ import annotations

import contextlib
import errno
import gzip
import lzma
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

# What reading a damaged archive may raise: a flipped bit can ask for an unknown compression or a
# password, name a member that is not there, or claim a size that no machine has.
DAMAGES = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, struct.error,
    EOFError, KeyError, MemoryError, RuntimeError, ValueError, OverflowError, SyntaxError,
)  # fmt: skip


class PicklesRefused(ValueError):
    """A file of arrays holds Python objects, which loading would run as code."""


@contextlib.contextmanager
def reading(path: Path, name: str = "") -> Iterator[None]:
    """Turn what a damaged archive, or its member `name`, raises into an error that says so."""
    try:
        yield
    except PicklesRefused:
        raise
    except (*DAMAGES, OSError) as error:
        # Errors of the file system are clear enough; EINVAL is a seek before the start of the file.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        raise damaged(path, f"{name}: {error}" if name else str(error)) from error


class Collection:
    """The files of one data set, found by the end of their names.

    A zip is read in place. One with members that would land outside their folder, with links or
    with encrypted members is refused: none of our sources publish such files.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.zipped = not path.is_dir()
        self.names = _zip_names(path) if self.zipped else _folder_names(path)

    def find(self, ending: str) -> str | None:
        """The shortest name that is `ending` or ends in a folder's `ending`; None without one."""
        matches = [name for name in self.names if name == ending or name.endswith("/" + ending)]
        return min(matches, key=lambda name: (len(name), name), default=None)

    def read(self, ending: str) -> bytes:
        """The content of the file called `ending`, unzipped if it is a ``.gz``."""
        name = self.find(ending)
        if name is None:
            kind = "zip" if self.zipped else "folder"
            raise ValueError(f"{self.path}: the {kind} has no file {ending}")
        with reading(self.path, name):
            data = self._bytes(name)
            return gzip.decompress(data) if name.endswith(".gz") else data

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of one of `names`, one after another."""
        with reading(self.path, name), contextlib.ExitStack() as stack:
            if self.zipped:
                archive = stack.enter_context(zipfile.ZipFile(self.path))
                yield from stack.enter_context(archive.open(name))
            else:
                yield from stack.enter_context((self.path / name).open("rb"))

    def _bytes(self, name: str) -> bytes:
        if not self.zipped:
            return (self.path / name).read_bytes()
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(name)


def damaged(path: Path, why: str) -> ValueError:
    """The error for a file that is not what it should be."""
    return ValueError(f"{path} is damaged ({why}); delete it and get it again")


def _folder_names(path: Path) -> list[str]:
    return [file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()]


def _zip_names(path: Path) -> list[str]:
    with reading(path), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    for member in members:
        _refuse_unsafe(path, member)
    return [member.filename for member in members if member.filename and not member.is_dir()]


def _refuse_unsafe(path: Path, member: zipfile.ZipInfo) -> None:
    name = member.filename
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts or (parts and ":" in parts[0]):
        raise ValueError(f"{path}: refused, its member {name!r} points outside the archive")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise ValueError(f"{path}: refused, its member {name!r} is a link")
    if member.flag_bits & 1:
        raise ValueError(f"{path}: refused, its member {name!r} is encrypted")


def read_npz(path: Path, *required: str) -> dict[str, np.ndarray]:
    """All arrays of an ``.npz`` file; Python objects in it are refused, never loaded."""
    if not zipfile.is_zipfile(path):
        raise damaged(path, "it is no npz archive")
    with reading(path), open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
        arrays = {name: _member(path, file, name) for name in file.files}
    return require(path, arrays, *required)


def _member(path: Path, file: Any, name: str) -> np.ndarray:
    try:
        array = file[name]
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise PicklesRefused(
                f"{path} holds Python objects (pickles), which are not loaded"
            ) from error
        raise
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name} is no array")
    return array


def require(path: Path, arrays: dict[str, np.ndarray], *required: str) -> dict[str, np.ndarray]:
    """Check that the required arrays are there, and return all."""
    for name in required:
        if name not in arrays:
            raise ValueError(f"{path}: no array {name!r}; it has {', '.join(sorted(arrays))}")
    return arrays
