"""Eight float32 at a time: the one vector type that kernels compute with.

A compiler finds such vectors by itself only in long loops. A molecule holds a handful of features,
so its rows of eight are short, but there are millions of them.

Rows are read from and written to 2-D arrays of eight columns. Without compilation a row is an
array of eight numbers, and `_Plain` says what each function does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

WIDTH = 8


class _Plain:
    """The functions as NumPy would have them."""

    @staticmethod
    def read(values, row):
        return values[row].copy()

    @staticmethod
    def write(values, row, numbers):
        values[row] = numbers

    @staticmethod
    def fill(number):
        return np.full(WIDTH, number, np.float32)

    add = staticmethod(np.add)
    times = staticmethod(np.multiply)
    over = staticmethod(np.divide)
    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)


class _Row(types.Type):
    def __init__(self) -> None:
        super().__init__(name="RowOfEight")


_ROW = _Row()
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)


@register_model(_Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager, row_type):
        super().__init__(manager, row_type, _VECTOR)


def _address(context, builder, array_type, array, row):
    data = context.make_array(array_type)(context, builder, array).data
    first = builder.gep(data, [builder.mul(row, ir.Constant(row.type, WIDTH))])
    return builder.bitcast(first, _VECTOR.as_pointer())


def _read(typing_context, values, row):
    def make(context, builder, signature, given):
        address = _address(context, builder, signature.args[0], given[0], given[1])
        return builder.load(address, align=4)

    return _ROW(values, types.int64), make


def _write(typing_context, values, row, numbers):
    def make(context, builder, signature, given):
        address = _address(context, builder, signature.args[0], given[0], given[1])
        builder.store(given[2], address, align=4)
        return context.get_dummy_value()

    return types.void(values, types.int64, _ROW), make


def _fill(typing_context, number):
    def make(context, builder, signature, given):
        row = ir.Constant(_VECTOR, ir.Undefined)
        for k in range(WIDTH):
            row = builder.insert_element(row, given[0], ir.Constant(ir.IntType(32), k))
        return row

    return _ROW(types.float32), make


def _of_two(combine: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes one row of two."""

    def typed(typing_context, one, other):
        return _ROW(_ROW, _ROW), lambda context, builder, signature, given: combine(builder, *given)

    return intrinsic(typed)


def _choose(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.select(builder.fcmp_ordered(sign, a, b), a, b)


if numba.config.DISABLE_JIT:
    read, write, fill = _Plain.read, _Plain.write, _Plain.fill
    add, times, over = _Plain.add, _Plain.times, _Plain.over
    smaller, larger = _Plain.smaller, _Plain.larger
else:
    read, write, fill = intrinsic(_read), intrinsic(_write), intrinsic(_fill)
    add = _of_two(lambda builder, a, b: builder.fadd(a, b))
    times = _of_two(lambda builder, a, b: builder.fmul(a, b))
    over = _of_two(lambda builder, a, b: builder.fdiv(a, b))
    smaller, larger = _of_two(_choose("<")), _of_two(_choose(">"))
