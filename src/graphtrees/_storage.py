"""Large NumPy arrays in files, for a fit that needs more memory than it may use.

After `keep_in_files` every large array that NumPy makes lies in a temporary file of its own, which
is mapped into memory. The system keeps as much of it in memory as there is room for, and the rest
on the disk. Nothing that makes or reads an array need know; a file goes when its array does.

NumPy lets a program choose who allocates its arrays ("Memory management in NumPy", NEP 49). The
choice holds for one thread, and every array remembers who allocated it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

# Places of functions in the table that NumPy hands to other compiled code; they never change.
_SET_HANDLER, _GET_HANDLER = 304, 305

# The folder of the large arrays that this thread makes.
_folder: ContextVar[str | None] = ContextVar("graphtrees folder of large arrays", default=None)


def is_possible() -> bool:
    """Whether the allocator works here; elsewhere everything stays in memory."""
    is_plain = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
    return sys.platform == "linux" and sys.maxsize > 2**32 and not is_plain


def temporary_folder() -> str:
    """Where files go: TMPDIR if it is set, else /var/tmp, since /tmp may be kept in memory."""
    if "TMPDIR" not in os.environ and os.access("/var/tmp", os.W_OK):
        return "/var/tmp"
    return tempfile.gettempdir()


def keep_in_files(folder: str) -> None:
    """From here on, large arrays of this thread lie in files, until `storage_scope` ends."""
    _folder.set(folder)
    _set_handler(_handler_of(folder))


@contextlib.contextmanager
def storage_scope() -> Iterator[None]:
    """At its end arrays are made again as they were before."""
    if not is_possible():
        yield
        return
    before, token = _get_handler(), _folder.set(_folder.get())
    try:
        yield
    finally:
        _folder.reset(token)
        _set_handler(before)


def in_same_storage(function: Callable) -> Callable:
    """The function for another thread: its large arrays lie where those of this thread do."""
    folder = _folder.get()
    if folder is None:
        return function

    def stored(*given: Any) -> Any:
        with storage_scope():
            keep_in_files(folder)
            return function(*given)

    return stored


# ---- NumPy's interface ---------------------------------------------------------------------------


class _Handler(ctypes.Structure):
    """NumPy's `PyDataMem_Handler`: a name, a version, an argument for the functions, and these."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("functions", ctypes.c_void_p * 4),
    )


@cache
def _handler_of(folder: str) -> Any:
    """A handler that puts large arrays into this folder, as NumPy takes it. It is never freed."""
    from graphtrees import _allocator

    pattern = ctypes.create_string_buffer(os.fsencode(os.path.join(folder, "graphtrees-XXXXXX")))
    functions = (ctypes.c_void_p * 4)(*_allocator.addresses())
    handler = _Handler(b"graphtrees files", 1, ctypes.addressof(pattern), functions)
    _kept.append((handler, pattern))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p,) * 3
    return new(ctypes.addressof(handler), ctypes.addressof(_capsule_name), None)


_kept: list[Any] = []
_capsule_name = ctypes.create_string_buffer(b"mem_handler")


def _set_handler(handler: Any) -> None:
    ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(_function(_SET_HANDLER))(handler)


def _get_handler() -> Any:
    return ctypes.PYFUNCTYPE(ctypes.py_object)(_function(_GET_HANDLER))()


@cache
def _function(place: int) -> int:
    """The address of a function of NumPy's C interface."""
    core = "numpy._core" if int(np.__version__.split(".")[0]) > 1 else "numpy.core"
    compiled = import_module(f"{core}._multiarray_umath")
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_void_p)
    table = pointer(compiled._ARRAY_API, None)
    address = (ctypes.c_void_p * (place + 1)).from_address(table)[place]
    assert address is not None
    return address
