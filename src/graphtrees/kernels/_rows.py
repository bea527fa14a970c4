"""Eight numbers at a time: the vectors that kernels compute with.

A compiler finds such vectors by itself only in long loops. A molecule holds a handful of features,
so its rows of eight are short, but there are millions of them.

A row is eight float32, or eight float64 of an array that has these; int16 become float32 when they
are read. It is read from and written to 2-D arrays of eight columns, or anywhere (`read_at`,
`write_at`) in flat ones; `widen` makes eight float64 of it, `narrow` rounds those.
Without compilation a row is an array of eight numbers, and `_Plain` says what each function does.
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
        return values[row].astype(np.float32 if values.dtype.kind == "i" else values.dtype)

    @staticmethod
    def write(values, row, numbers):
        values[row] = numbers

    @staticmethod
    def read_at(values, at):
        return values[at : at + WIDTH].copy()

    @staticmethod
    def write_at(values, at, numbers):
        values[at : at + WIDTH] = numbers

    @staticmethod
    def fetch(values, at):
        """Ask for what will be read soon; changes nothing."""

    @staticmethod
    def fill(number):
        return np.full(WIDTH, number)

    @staticmethod
    def known(numbers):
        """1 where there is a number, 0 where it is missing."""
        return (~np.isnan(numbers)).astype(numbers.dtype)

    @staticmethod
    def fill_missing(numbers, otherwise):
        """The numbers, and something else where they are missing."""
        return np.where(np.isnan(numbers), otherwise, numbers)

    @staticmethod
    def where(flags, numbers, otherwise):
        """The numbers where there is no 0 among the flags."""
        return np.where(flags != 0, numbers, otherwise)

    @staticmethod
    def widen(numbers):
        return numbers.astype(np.float64)

    @staticmethod
    def narrow(numbers):
        return numbers.astype(np.float32)

    add = staticmethod(np.add)
    minus = staticmethod(np.subtract)
    times = staticmethod(np.multiply)
    over = staticmethod(np.divide)
    smaller = staticmethod(np.minimum)
    larger = staticmethod(np.maximum)


class _Row(types.Type):
    def __init__(self, of: types.Float) -> None:
        super().__init__(name=f"RowOfEight({of})")
        self.vector = ir.VectorType(ir.FloatType() if of.bitwidth == 32 else ir.DoubleType(), WIDTH)


_ROW, _WIDE = _Row(types.float32), _Row(types.float64)


@register_model(_Row)
class _RowModel(models.PrimitiveModel):
    def __init__(self, manager, row_type):
        super().__init__(manager, row_type, row_type.vector)


def _row_of(array_type: types.Array) -> _Row:
    return _WIDE if array_type.dtype == types.float64 else _ROW


def _address(context, builder, array_type, array, at):
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _row_of(array_type).vector.as_pointer())


def _read_whole(context, builder, array_type, array, at):
    """Eight int16 as float32."""
    data = context.make_array(array_type)(context, builder, array).data
    vector = ir.VectorType(ir.IntType(array_type.dtype.bitwidth), WIDTH)
    address = builder.bitcast(builder.gep(data, [at]), vector.as_pointer())
    return builder.sitofp(builder.load(address, align=2), _ROW.vector)


def _reading(step: int) -> Callable[..., Any]:
    def typed(typing_context, values, place):
        def make(context, builder, signature, given):
            at = builder.mul(given[1], ir.Constant(given[1].type, step))
            if isinstance(values.dtype, types.Integer):
                return _read_whole(context, builder, values, given[0], at)
            address = _address(context, builder, signature.args[0], given[0], at)
            return builder.load(address, align=4)

        return _row_of(values)(values, types.int64), make

    return intrinsic(typed)


def _writing(step: int) -> Callable[..., Any]:
    def typed(typing_context, values, place, numbers):
        def make(context, builder, signature, given):
            at = builder.mul(given[1], ir.Constant(given[1].type, step))
            address = _address(context, builder, signature.args[0], given[0], at)
            builder.store(given[2], address, align=4)
            return context.get_dummy_value()

        return types.void(values, types.int64, _row_of(values)), make

    return intrinsic(typed)


def _fetch(typing_context, values, place):
    def make(context, builder, signature, given):
        address = _address(context, builder, signature.args[0], given[0], given[1])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        to_read, to_keep, data = (ir.Constant(number, n) for n in (0, 3, 1))
        builder.call(hint, [builder.bitcast(address, byte), to_read, to_keep, data])
        return context.get_dummy_value()

    return types.void(values, types.int64), make


def _fill(typing_context, number):
    row_type = _ROW if number == types.float32 else _WIDE

    def make(context, builder, signature, given):
        row = ir.Constant(row_type.vector, ir.Undefined)
        for k in range(WIDTH):
            row = builder.insert_element(row, given[0], ir.Constant(ir.IntType(32), k))
        return row

    return row_type(number), make


def _widen(typing_context, numbers):
    return _WIDE(_ROW), lambda context, builder, signature, given: builder.fpext(
        given[0], _WIDE.vector
    )


def _narrow(typing_context, numbers):
    return _ROW(_WIDE), lambda context, builder, signature, given: builder.fptrunc(
        given[0], _ROW.vector
    )


def _is_known(builder, numbers):
    return builder.fcmp_ordered("ord", numbers, numbers)


def _known(typing_context, numbers):
    def make(context, builder, signature, given):
        vector = numbers.vector
        one, none = (ir.Constant(vector, [number] * WIDTH) for number in (1.0, 0.0))
        return builder.select(_is_known(builder, given[0]), one, none)

    return numbers(numbers), make


def _where(typing_context, flags, numbers, otherwise):
    def make(context, builder, signature, given):
        none = ir.Constant(flags.vector, [0.0] * WIDTH)
        return builder.select(builder.fcmp_unordered("!=", given[0], none), given[1], given[2])

    return numbers(flags, numbers, numbers), make


def _of_two(combine: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes one row of two."""

    def typed(typing_context, one, other):
        return one(one, one), lambda context, builder, signature, given: combine(builder, *given)

    return intrinsic(typed)


def _choose(sign: str) -> Callable[..., Any]:
    return lambda builder, a, b: builder.select(builder.fcmp_ordered(sign, a, b), a, b)


if numba.config.DISABLE_JIT:
    read, write, read_at, write_at = _Plain.read, _Plain.write, _Plain.read_at, _Plain.write_at
    fetch, fill, widen, narrow = _Plain.fetch, _Plain.fill, _Plain.widen, _Plain.narrow
    known, where, fill_missing = _Plain.known, _Plain.where, _Plain.fill_missing
    add, minus, times, over = _Plain.add, _Plain.minus, _Plain.times, _Plain.over
    smaller, larger = _Plain.smaller, _Plain.larger
else:
    read, write, read_at, write_at = _reading(WIDTH), _writing(WIDTH), _reading(1), _writing(1)
    fetch, fill = intrinsic(_fetch), intrinsic(_fill)
    widen, narrow = intrinsic(_widen), intrinsic(_narrow)
    known, where = intrinsic(_known), intrinsic(_where)
    fill_missing = _of_two(lambda builder, a, b: builder.select(_is_known(builder, a), a, b))
    add = _of_two(lambda builder, a, b: builder.fadd(a, b))
    minus = _of_two(lambda builder, a, b: builder.fsub(a, b))
    times = _of_two(lambda builder, a, b: builder.fmul(a, b))
    over = _of_two(lambda builder, a, b: builder.fdiv(a, b))
    smaller, larger = _of_two(_choose("<")), _of_two(_choose(">"))
