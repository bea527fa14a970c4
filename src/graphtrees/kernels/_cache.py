"""Compiled kernels on disk, found by a hash of everything they are made of.

    <cache>/graphtrees/kernels/<sources and versions>/<kernel>-<types, processor, settings>.bin

Kernels may call kernels of any file of this package: an edit of any of them changes the hash.
Where the sources cannot be read, nothing is cached. NUMBA_CACHE_DIR names another folder.
Files are written under another name and then moved, so processes never see half a file. Of several
processes that need the same kernel at once one compiles it, and the others wait for it.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import platform
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import llvmlite
import numba
import numpy as np
from numba.core import compiler, serialize

from graphtrees._disk import lock, write_whole
from graphtrees._folders import cache_folder

PACKAGE = Path(__file__).parent
SOURCES = (PACKAGE, PACKAGE.parent / "_layout.py")  # folders count with all their files
VERSIONS = (numba.__version__, llvmlite.__version__, np.__version__, sys.version)
SETTINGS = (  # of Numba, that change what a kernel is compiled to
    "BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "ENABLE_PROFILING",
    "DEBUGINFO_DEFAULT", "FULL_TRACEBACKS", "LLVM_REFPRUNE_PASS",
)  # fmt: skip
KEPT_KEYS = 8  # how many sets of kernels stay on disk, the last used first
RECENT = 24 * 3600.0  # seconds; what was used since then is kept
LONGEST_TURN, LOOK_EVERY = 120.0, 0.1  # seconds that others wait, and how often they look
PURPOSES = {"answer": "prediction", "importance": "explanations"}

_printed: set[str] = set()


def print_once(topic: str, message: str) -> None:
    """One line on stderr, at most once per topic and process."""
    if topic not in _printed:
        _printed.add(topic)
        print(f"graphtrees: {message}", file=sys.stderr, flush=True)


class Sources:
    """The files that a kernel may be made of, and whether they are still what was hashed."""

    def __init__(self, *paths: Path) -> None:
        self.files = sorted({file for path in paths for file in _python_files(path)})
        self._stamps = self._stamp()
        self.key = self._hash()

    def unchanged(self) -> bool:
        """False after an edit: this process may then hold code of before and of after."""
        with suppress(OSError):
            return self._stamps == self._stamp()
        return False

    def _stamp(self) -> list[tuple[int, int]]:
        return [(stat.st_mtime_ns, stat.st_size) for stat in map(os.stat, self.files)]

    def _hash(self) -> str:
        digest = hashlib.sha256(repr(VERSIONS).encode())
        for file in self.files:
            content = file.read_bytes()
            digest.update(f"{file.name} {len(content)} ".encode() + content)
        return digest.hexdigest()[:32]


def _python_files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


_known: dict[str, Sources] = {}


def sources_of(function) -> Sources | None:
    """What the function is made of; None where that cannot be read (a zip file, bare bytecode)."""
    file = inspect.getfile(function)
    if file not in _known:
        try:
            _known[file] = Sources(*SOURCES, Path(file))
        except OSError:
            return None
    return _known[file]


class KernelCache:
    """What Numba asks for compiled code, and gives it to: one for each kernel."""

    def __init__(self, function) -> None:
        self._function = function
        self._sources = sources_of(function)
        self._turn: Turn | None = None

    @property
    def cache_path(self) -> str | None:
        folder = self._folder()
        return None if folder is None else str(folder)

    def load_overload(self, signature, context):
        """Compiled code from disk, or None: it will be compiled now."""
        context.refresh()
        path = self._path(signature, context.codegen())
        loaded = _load(path, context)
        if loaded is None and path is not None:
            self._end_turn()  # of a kernel that could not be compiled
            self._turn = Turn(path)
            loaded = _load(path, context)  # another process may have come first
        if loaded is None:
            print_once("compiling", self._describe_compilation())
        else:
            self._end_turn()
        return loaded

    def save_overload(self, signature, compiled) -> None:
        path = self._path(signature, compiled.codegen)
        try:
            if path is not None and not (compiled.library.has_dynamic_globals or compiled.lifted):
                _write(path, serialize.dumps(compiled._reduce()))
                _tidy(path.parent)
        except OSError as error:
            print_once("unwritable", _describe_unwritable(path.parent, error))
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._turn.end()
            self._turn = None

    def _describe_compilation(self) -> str:
        purpose = PURPOSES.get(self._function.__module__.rpartition(".")[2], "training")
        return f"compiling kernels for {purpose} (once on this machine; up to a minute) ..."

    def _folder(self) -> Path | None:
        if self._sources is None or not self._sources.unchanged():
            return None
        named = numba.config.CACHE_DIR
        try:
            base = Path(named) / "graphtrees" if named else cache_folder() / "kernels"
        except RuntimeError:  # there is no home folder
            print_once("unwritable", _describe_unwritable(None, "there is no home folder"))
            return None
        return base / self._sources.key

    def _path(self, signature, codegen) -> Path | None:
        folder = self._folder()
        if folder is None:
            return None
        settings = [getattr(numba.config, name, None) for name in SETTINGS]
        machine = (codegen.magic_tuple(), platform.machine(), settings)
        name = f"{self._function.__module__.rpartition('.')[2]}.{self._function.__qualname__}"
        digest = hashlib.sha256(f"{name} {signature} {machine}".encode()).hexdigest()
        return folder / f"{name}-{digest[:24]}.bin"

    def enable(self) -> None:
        """Numba may call this: the cache is always on."""

    def disable(self) -> None:
        self._sources = None

    def flush(self) -> None:
        """Numba may call this: damaged files are overwritten one by one."""


class Turn:
    """The right to compile a kernel, which one process has at a time where files can be locked.

    Who has waited for long, say for a process that was stopped, goes on without it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_suffix(".lock")
        self._file: BinaryIO | None = None
        if lock is not None:
            with suppress(OSError):  # nothing can be written here: then all compile
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._file = self._locked()

    def _locked(self) -> BinaryIO | None:
        file = open(self._path, "wb")
        until = time.monotonic() + LONGEST_TURN
        while time.monotonic() < until:
            try:
                lock(file)
            except BlockingIOError:
                print_once("waiting", "waiting for another process that compiles kernels ...")
                time.sleep(LOOK_EVERY)
            except OSError:  # a file system without locks
                with suppress(OSError):
                    self._path.unlink()
                break
            else:
                return file
        file.close()
        return None

    def end(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
            self._file.close()


def _load(path: Path | None, context):
    """Compiled code from a file; None: there is none, or it is damaged in whatever way."""
    if path is None:
        return None
    try:
        return compiler.CompileResult._rebuild(context, *_read(path))
    except Exception:
        return None


def _read(path: Path):
    """The content of a file, if it is whole: a checksum comes first."""
    content = path.read_bytes()
    checksum, content = content[:32], content[32:]
    if hashlib.sha256(content).digest() != checksum:
        raise OSError(f"{path} is damaged")
    _mark_as_used(path.parent)
    return pickle.loads(content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, hashlib.sha256(content).digest() + content)


_used: set[Path] = set()


def _mark_as_used(folder: Path) -> None:
    if folder not in _used:
        _used.add(folder)
        with suppress(OSError):
            os.utime(folder)


_tidied: set[Path] = set()


def _tidy(folder: Path) -> None:
    """Remove the kernels of other sources and versions that have not been used for long."""
    if folder.parent in _tidied:
        return
    _tidied.add(folder.parent)
    with suppress(OSError):
        keys = [path for path in folder.parent.iterdir() if _is_key(path) and path != folder]
        keys.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in keys[KEPT_KEYS - 1 :]:
            if path.stat().st_mtime < time.time() - RECENT:
                shutil.rmtree(path, ignore_errors=True)


def _is_key(path: Path) -> bool:
    return len(path.name) == 32 and set(path.name) <= set("0123456789abcdef") and path.is_dir()


def _describe_unwritable(folder: Path | None, reason: object) -> str:
    where = "" if folder is None else f" in {folder.parent}"
    return (
        f"compiled kernels cannot be kept{where} ({reason}), so every process compiles them anew. "
        "Set NUMBA_CACHE_DIR to a folder that can be written."
    )
