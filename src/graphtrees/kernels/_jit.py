"""The one decorator for compiled kernels, and the one line a first-ever run prints."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import numba
from numba import types
from numba.core.dispatcher import Dispatcher

_announced = False

# Kernels call only kernels of their own file, because Numba tells whether a cached kernel is stale
# by its file alone. The vectors that some of them compute with are the one exception.
_SHARED = Path(__file__).with_name("_rows.py")


def kernel(function):
    """Compile lazily, release the GIL, and cache on disk wherever some folder is writable."""
    try:
        dispatcher = numba.njit(function, nogil=True, cache=True)
    except RuntimeError:  # no writable place for the cache next to the file or in the home folder
        return numba.njit(function, nogil=True)
    if isinstance(dispatcher, Dispatcher):
        _tell_stale_vectors(dispatcher)
        _survive_a_damaged_cache(dispatcher)
        _compile_constants_as_numbers(dispatcher)
    return dispatcher


def _compile_constants_as_numbers(dispatcher: Dispatcher) -> None:
    """A kernel that calls another with a constant must not have that one compiled once more."""
    find = dispatcher.get_call_template

    def find_for_numbers(args, kws):
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return find(tuple(types.unliteral(kind) for kind in args), plain)

    dispatcher.get_call_template = find_for_numbers


def _tell_stale_vectors(dispatcher: Dispatcher) -> None:
    """Compile again also when the file of the shared vectors has changed."""
    with suppress(AttributeError, OSError):
        index = dispatcher._cache._cache_file
        shared = _SHARED.stat()
        index._source_stamp = (index._source_stamp, shared.st_mtime, shared.st_size)


def _survive_a_damaged_cache(dispatcher: Dispatcher) -> None:
    """A cut or unreadable cache file means compiling again, never a crash."""
    cache = dispatcher._cache
    load = cache.load_overload
    save = cache.save_overload

    def careful_load(sig, target_context):
        try:
            loaded = load(sig, target_context)
        except Exception:
            cache.flush()
            loaded = None
        if loaded is None:
            _announce()
        return loaded

    def careful_save(sig, data):
        try:
            save(sig, data)
        except OSError:  # a full or vanished disk: the kernel still runs, it is just not kept
            pass

    cache.load_overload = careful_load
    cache.save_overload = careful_save


def _announce() -> None:
    global _announced
    if not _announced:
        _announced = True
        print(
            "graphtrees: compiling its kernels for this machine (once; some seconds) ...",
            file=sys.stderr,
            flush=True,
        )
