"""The decorators for compiled kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.extending import overload

from graphtrees.kernels._cache import KernelCache
from graphtrees.kernels._pipeline import InnerCompiler, KernelCompiler


def kernel(function):
    """Compile lazily, release the GIL, and keep the machine code on disk; see `_cache`."""
    dispatcher = _compiled(function, nogil=True, pipeline_class=KernelCompiler)
    if isinstance(dispatcher, Dispatcher):  # not so under NUMBA_DISABLE_JIT
        dispatcher._cache = KernelCache(function)
    return dispatcher


def making_kernel(function):
    """A kernel that only kernels call, and that makes arrays for them."""
    return _compiled(function, **_INNER)


def inner_kernel(function):
    """A kernel that only kernels call, and that neither makes nor returns arrays.

    It borrows the arrays of its caller. Counting references to them, which Numba does at every
    mention of an array in a record, took half the time of prediction.
    """
    return _compiled(function, **_INNER, _nrt=False)


def inlined_kernel(function):
    """The same for a small one in a hot loop: handing over records takes longer than its work.

    Not for large ones: what is inlined is compiled once more for every caller.
    """
    return _compiled(function, **_INNER, _nrt=False, forceinline=True)


_INNER = {
    "nogil": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": InnerCompiler,
}


def by_type(cases: dict[type, Callable]) -> Callable[..., Any]:
    """One name for several plain functions: the record that comes first tells which is compiled.

    They are inner kernels.
    """

    def chosen(first, *rest):
        return cases[type(first)](first, *rest)

    @overload(chosen, strict=False, jit_options={**_INNER, "_nrt": False})
    def typed(first, *rest):
        return cases[first.instance_class]

    return chosen


def by_numbers(real: Callable, whole: Callable) -> Callable[..., Any]:
    """One name for two plain functions: for arrays of real and of whole numbers, which come first.

    They are inner kernels.
    """

    def chosen(first, *rest):
        return (whole if first.dtype.kind == "i" else real)(first, *rest)

    @overload(chosen, strict=False, jit_options={**_INNER, "_nrt": False})
    def typed(first, *rest):
        return whole if isinstance(first.dtype, types.Integer) else real

    return chosen


def _compiled(function, **options: Any):
    dispatcher = numba.njit(**options)(function)
    if isinstance(dispatcher, Dispatcher):
        _compile_constants_as_numbers(dispatcher)
    return dispatcher


def _compile_constants_as_numbers(dispatcher: Dispatcher) -> None:
    """A kernel that calls another with a constant must not have that one compiled once more."""
    find = dispatcher.get_call_template

    def find_for_numbers(args, kws):
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return find(tuple(types.unliteral(kind) for kind in args), plain)

    dispatcher.get_call_template = find_for_numbers
