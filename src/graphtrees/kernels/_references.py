"""Records that are handed over by their address.

Numba hands a record to a function piece by piece: a record of thirty arrays is some two hundred
numbers, at every call. Machine code does not mind, since most calls are inlined; but writing all
that down and optimizing it took most of the time to compile. So kernels hand over the address of a
record, and read a member when they name it.

Python, too, would hand a record over piece by piece, one thread at a time, and the code for it
takes seconds to compile where there are many arrays. `stored` lays a record out in memory, as
kernels read it, and every member of a team is handed its address. An address keeps no array; the
`Address` that `stored` returns does.

`reference` puts a record that a kernel was handed piece by piece on that kernel's stack. Not one
that it made itself: Numba frees its arrays after their last mention, and an address is none.

Without compilation both give back the record itself.
"""

from __future__ import annotations

import ctypes
import struct
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import _dispatcher, _helperlib, types
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, models, register_model, unbox


class Reference(types.Type):
    """The address of a record."""

    def __init__(self, record: types.NamedTuple) -> None:
        self.record = record
        self.instance_class = record.instance_class  # tells `by_type` what it is
        super().__init__(f"Reference({record.name})")

    @property
    def key(self):
        return self.record


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type) -> None:
        super().__init__(dmm, fe_type, dmm.lookup(fe_type.record).get_value_type().as_pointer())


@infer_getattr
class _ReferenceMembers(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        fields = reference.record.fields
        return _seen_as(reference.record[fields.index(name)]) if name in fields else None


@lower_getattr_generic(Reference)
def _read_member(context, builder, kind, address, name):
    index = kind.record.fields.index(name)
    member = cgutils.gep_inbounds(builder, address, 0, index)
    if _is_record(kind.record[index]):
        return member
    return impl_ret_borrowed(context, builder, kind.record[index], builder.load(member))


def _is_record(kind) -> bool:
    return isinstance(kind, types.BaseNamedTuple)


def _seen_as(kind):
    return Reference(kind) if _is_record(kind) else kind


@intrinsic
def _reference(typing_context, record):
    if not _is_record(record):
        return None

    def put_on_stack(context, builder, signature, arguments):
        return cgutils.alloca_once_value(builder, arguments[0])

    return Reference(record)(record), put_on_stack


def _same(record):
    return record


reference = _same if numba.config.DISABLE_JIT else _reference


class Address:
    """Where a record is stored. It keeps the arrays, to which kernels then count no references."""

    def __init__(self, kind: Reference, room: np.ndarray, record: tuple[Any, ...]) -> None:
        self._numba_type_ = kind  # Numba asks for it by this name
        self.number = room.ctypes.data
        self.record = record
        self._room = room


@unbox(Reference)
def _unbox(kind, address, c):
    number = c.pyapi.object_getattr_string(address, "number")
    pointer = c.pyapi.long_as_voidptr(number)
    pointer = c.builder.bitcast(pointer, c.context.get_value_type(kind))
    c.pyapi.decref(number)
    return NativeValue(pointer)


# How Numba describes an array: data, shape and strides, here without a count of references.
_describe_array = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(
    _helperlib.c_helpers["adapt_ndarray"]
)

_NUMBERS = {
    types.int64: struct.Struct("q"),
    types.float64: struct.Struct("d"),
    types.boolean: struct.Struct("?"),
}


@lru_cache
def _size_of(kind: types.Type) -> tuple[int, int]:
    """Bytes of a value in a record, and the multiple at which it begins."""
    context = cpu_target.target_context
    with global_compiler_lock:
        value_type = context.get_value_type(kind)
        return context.get_abi_sizeof(value_type), context.get_abi_alignment(value_type)


class _Layout(NamedTuple):
    """Where the arrays and numbers of a record, and of the records in it, lie in memory."""

    kind: Reference
    size: int
    places: list[tuple[int, struct.Struct | None]]  # offset; None: an array

    @classmethod
    def of(cls, record: tuple[Any, ...]) -> _Layout:
        kind = numba.typeof(record)
        places: list[tuple[int, struct.Struct | None]] = []
        _lay_out(kind, 0, places)
        return cls(Reference(kind), _size_of(kind)[0], places)


def _lay_out(kind: types.NamedTuple, start: int, places: list) -> None:
    at = start
    for name, member in zip(kind.fields, kind, strict=True):
        size, alignment = _size_of(member)
        at = -(-at // alignment) * alignment
        if _is_record(member):
            _lay_out(member, at, places)
        elif isinstance(member, types.Array):
            places.append((at, None))
        elif member in _NUMBERS:
            places.append((at, _NUMBERS[member]))
        else:
            raise TypeError(f"{name}: a record holds arrays, int64, float64 and bool, not {member}")
        at += size
    if at > start + _size_of(kind)[0]:
        raise RuntimeError(f"{kind} is laid out in another way than thought")


_layouts: dict[Any, _Layout] = {}


def _take_apart(record: tuple[Any, ...], classes: list[type], values: list[Any]) -> None:
    classes.append(type(record))
    for member in record:
        if isinstance(member, tuple):
            _take_apart(member, classes, values)
        else:
            values.append(member)


def _stored(record):
    """The address of a record, for kernels that are handed it instead of the record."""
    classes: list[type] = []
    values: list[Any] = []
    _take_apart(record, classes, values)
    # Numba's fingerprint has dtypes and dimensions, and of classes of records their names alone.
    key = *classes, _dispatcher.compute_fingerprint(record)
    layout = _layouts.get(key) or _layouts.setdefault(key, _Layout.of(record))
    room = np.empty(layout.size, np.uint8)
    start = room.ctypes.data
    for value, (offset, number) in zip(values, layout.places, strict=True):
        if number is None:
            _describe_array(value, start + offset)
        else:
            number.pack_into(room, offset, value)
    return Address(layout.kind, room, record)


stored = _same if numba.config.DISABLE_JIT else _stored
