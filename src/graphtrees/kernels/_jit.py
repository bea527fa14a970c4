"""The one decorator for compiled kernels."""

from __future__ import annotations

import numba
from numba import types
from numba.core.dispatcher import Dispatcher

from graphtrees.kernels._cache import KernelCache


def kernel(function):
    """Compile lazily, release the GIL, and keep the machine code on disk; see `_cache`."""
    return _compiled(function, numba.njit(function, nogil=True))


# Not counted: an array that a kernel was given outlives the kernel. Counting references would cost
# some atomic additions for every array of a record, at every call. Such kernels cannot allocate.
BORROWING = {"nogil": True, "_nrt": False}


def borrowing_kernel(function):
    """The same for kernels that allocate no arrays: they count no references."""
    return _compiled(function, numba.njit(function, **BORROWING))


def _compiled(function, dispatcher):
    if isinstance(dispatcher, Dispatcher):  # not so under NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(function)
        _compile_constants_as_numbers(dispatcher)
    return dispatcher


def _compile_constants_as_numbers(dispatcher: Dispatcher) -> None:
    """A kernel that calls another with a constant must not have that one compiled once more."""
    find = dispatcher.get_call_template

    def find_for_numbers(args, kws):
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return find(tuple(types.unliteral(kind) for kind in args), plain)

    dispatcher.get_call_template = find_for_numbers
