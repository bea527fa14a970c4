"""Compiled kernels on disk, found by a hash of everything they are made of.

    <cache>/graphtrees/kernels/<sources and versions>/<kernel>-<types, processor, settings>.bin

Kernels may call kernels of any file of this package: an edit of any of them changes the hash.
Where the sources cannot be read, nothing is cached. NUMBA_CACHE_DIR names another folder.
Files are written under another name and then moved, so processes never see half a file.
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

import llvmlite
import numba
import numpy as np
from numba.core import compiler, serialize

from graphtrees._disk import write_whole
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

    @property
    def cache_path(self) -> str | None:
        folder = self._folder()
        return None if folder is None else str(folder)

    def load_overload(self, signature, context):
        """Compiled code from disk, or None: it will be compiled now."""
        context.refresh()
        loaded = None
        path = self._path(signature, context.codegen())
        if path is not None:
            try:
                loaded = compiler.CompileResult._rebuild(context, *_read(path))
            except Exception:  # absent, or damaged in whatever way: compile again
                loaded = None
        if loaded is None:
            print_once("compiling", self._describe_compilation())
        return loaded

    def save_overload(self, signature, compiled) -> None:
        path = self._path(signature, compiled.codegen)
        if path is None or compiled.library.has_dynamic_globals or compiled.lifted:
            return
        try:
            _write(path, serialize.dumps(compiled._reduce()))
        except OSError as error:
            print_once("unwritable", _describe_unwritable(path.parent, error))
        else:
            _tidy(path.parent)

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
