"""An allocator for NumPy that puts large arrays into temporary files; see `graphtrees._storage`.

It is compiled, since arrays are freed at times when Python code must not run. Before each array
lies a header of 64 bytes: how many bytes were asked for, and whether they are in a file.
"""

from __future__ import annotations

import mmap
import os
from functools import cache

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

# Smaller arrays stay in memory.
LARGE = 2**20

HEADER = 64
_SIZE, _IN_FILE = 0, 8
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE if hasattr(mmap, "PROT_READ") else 0
_SHARED = getattr(mmap, "MAP_SHARED", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)

_intp, _int = types.intp, types.int32
_malloc = types.ExternalFunction("malloc", _intp(_intp))
_calloc = types.ExternalFunction("calloc", _intp(_intp, _intp))
_free = types.ExternalFunction("free", types.void(_intp))
_copy = types.ExternalFunction("memcpy", _intp(_intp, _intp, _intp))
_text_size = types.ExternalFunction("strlen", _intp(_intp))
_make_file = types.ExternalFunction("mkostemp", _int(_intp, _int))
_unlink = types.ExternalFunction("unlink", _int(_intp))
_reserve = types.ExternalFunction("posix_fallocate", _int(_int, _intp, _intp))
_close = types.ExternalFunction("close", _int(_int))
_map = types.ExternalFunction("mmap", _intp(_intp, _intp, _int, _int, _int, _intp))
_unmap = types.ExternalFunction("munmap", _int(_intp, _intp))


@intrinsic
def _load(typing_context, address):
    """The number at an address."""

    def make(context, builder, signature, given):
        return builder.load(builder.inttoptr(given[0], ir.IntType(64).as_pointer()))

    return _intp(_intp), make


@intrinsic
def _store(typing_context, address, value):
    """Write a number to an address."""

    def make(context, builder, signature, given):
        builder.store(given[1], builder.inttoptr(given[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(_intp, _intp), make


@numba.njit
def _new_file(pattern, n_bytes):
    """So many zeros in a file that has no name any more; 0 where there is no room."""
    size = _text_size(pattern) + 1
    name = _malloc(size)
    if name == 0:
        return 0
    _copy(name, pattern, size)
    file = _make_file(name, _CLOSE_ON_EXEC)
    if file >= 0:
        _unlink(name)
    _free(name)
    if file < 0:
        return 0
    # Room on the disk is taken now: later, a full disk would end the process.
    address = 0
    if _reserve(file, 0, n_bytes) == 0:
        address = _map(0, n_bytes, _READ_WRITE, _SHARED, file, 0)
    _close(file)
    return 0 if address == -1 else address


@numba.njit
def _new(pattern, size, zeroed):
    in_file = size >= LARGE
    if in_file:
        address = _new_file(pattern, size + HEADER)
    elif zeroed:
        address = _calloc(size + HEADER, 1)
    else:
        address = _malloc(size + HEADER)
    if address == 0:
        return 0
    _store(address + _SIZE, size)
    _store(address + _IN_FILE, int(in_file))
    return address + HEADER


@numba.njit
def _release(array):
    if array == 0:
        return
    address = array - HEADER
    if _load(address + _IN_FILE):
        _unmap(address, _load(address + _SIZE) + HEADER)
    else:
        _free(address)


def _allocate(pattern, size):
    return _new(pattern, size, False)


def _allocate_zeros(pattern, count, size):
    return _new(pattern, count * size, True)


def _resize(pattern, array, size):
    resized = _new(pattern, size, False)
    if resized and array:
        _copy(resized, array, min(size, _load(array - HEADER + _SIZE)))
        _release(array)
    return resized


def _deallocate(pattern, array, size):
    _release(array)


def addresses() -> list[int]:
    """Of the functions that NumPy calls: allocate, allocate zeros, resize, free."""
    return [function.address for function in _compiled()]


@cache
def _compiled() -> list:
    """Kept for as long as the process runs."""
    return [
        numba.cfunc(_intp(_intp, _intp))(_allocate),
        numba.cfunc(_intp(_intp, _intp, _intp))(_allocate_zeros),
        numba.cfunc(_intp(_intp, _intp, _intp))(_resize),
        numba.cfunc(types.void(_intp, _intp, _intp))(_deallocate),
    ]
