"""Files on disk, written whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

FOLDER_DRAFT, LOCK = ".draft-folder", ".lock"

lock: Callable[[BinaryIO], Any] | None
try:
    import fcntl

    def lock(file: BinaryIO) -> None:
        """Lock an open file until it is closed; OSError where another has it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows, where a file that is open cannot be removed anyway
    lock = None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a reader never sees half of it; see `replacing`."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A neighbouring file that takes the place of `path` once the block has succeeded.

    A new file has the rights that the umask gives, a file that is written anew keeps its own.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # a folder: an error; a device: written to
        with open(path, "wb") as device:
            yield device
        return
    with draft_of(path) as (draft, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        with suppress(OSError):  # there is no such file yet, or it is not ours
            os.chmod(draft, stat.S_IMODE(path.stat().st_mode))


@contextmanager
def draft_of(path: Path, ending: str = ".draft") -> Iterator[tuple[Path, BinaryIO]]:
    """A new file beside `path`, moved there if the block succeeds, and removed if it fails.

    It is locked until then. Drafts without a lock, which a killed process left, are removed.
    """
    _remove_abandoned(path, ending)
    draft, file = _open_draft(path, ending)
    try:
        with file:
            yield draft, file
            if lock is not None:  # a locked draft is not taken for an abandoned one
                os.replace(draft, path)
        if lock is None:
            os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A neighbouring folder that becomes `path` once the block has succeeded.

    There is nothing at `path`, or an empty folder. The draft is locked until it is moved, and
    removed if the block fails. Drafts without a lock, which a killed process left, are removed.
    """
    path = Path(os.path.realpath(path))
    _remove_abandoned_folders(path)
    draft = path.with_name(f"{_prefix(path)}{secrets.token_hex(4)}{FOLDER_DRAFT}")
    draft.mkdir()
    try:
        with open(draft / LOCK, "xb") as file:
            _is_ours(file)
            yield draft
        (draft / LOCK).unlink()
        with suppress(OSError):  # there is no such folder yet, or it is not ours
            os.chmod(draft, stat.S_IMODE(path.stat().st_mode))
        if os.name == "nt" and path.is_dir():  # POSIX replaces an empty folder by itself
            path.rmdir()
        os.replace(draft, path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def sync(path: Path) -> None:
    """Wait until a file that was written is on the disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _open_draft(path: Path, ending: str) -> tuple[Path, BinaryIO]:
    while True:
        draft = path.with_name(f"{_prefix(path)}{secrets.token_hex(4)}{ending}")
        try:
            file = open(draft, "xb")  # noqa: SIM115 - handed on to be closed
        except OSError as error:
            error.filename = str(path)  # the draft is nothing that the user knows of
            raise
        if _is_ours(file) and draft.exists():
            return draft, file
        file.close()  # another writer took it for abandoned, in the moment before it was locked


def _is_ours(file: BinaryIO) -> bool:
    try:
        if lock is not None:
            lock(file)
    except BlockingIOError:
        return False
    except OSError:  # a folder without locks, where nothing is taken for abandoned
        return True
    return True


def _prefix(path: Path) -> str:
    return f".{path.name[:40]}."


def _remove_abandoned(path: Path, ending: str) -> None:
    """Remove drafts whose writer is gone, and with it its lock."""
    for name in glob.glob(f"{glob.escape(str(path.parent / _prefix(path)))}????????{ending}"):
        with suppress(OSError):
            if lock is None:
                os.unlink(name)
                continue
            with open(name, "rb") as file:
                lock(file)
                os.unlink(name)


def _remove_abandoned_folders(path: Path) -> None:
    """Remove draft folders whose writer is gone; one without a lock file is about to be moved."""
    pattern = f"{glob.escape(str(path.parent / _prefix(path)))}????????{FOLDER_DRAFT}"
    for name in glob.glob(pattern):
        with suppress(OSError), open(Path(name, LOCK), "rb") as file:
            if lock is not None:
                lock(file)
                shutil.rmtree(name, ignore_errors=True)
