"""Records that are handed over by their address.

Numba hands a record to a function piece by piece: a record of thirty arrays is some two hundred
numbers, at every call. Machine code does not mind, since most calls are inlined; but writing all
that down and optimizing it took most of the time to compile. `reference` puts the record on the
stack of the kernel that Python called; from there on kernels hand over its address, and read a
member when they name it. Without compilation it gives back the record itself.

An address keeps no array. So it is only taken of records that were handed to a kernel: those that
it made itself Numba frees after their last mention, and an address is none.

Python, too, hands a record over piece by piece, some 60 microseconds for 150 arrays, and one thread
at a time. A team shares its records: `stored` puts one into memory once, and every member is
handed its address.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, box, intrinsic, models, register_model, unbox

from graphtrees.kernels._jit import kernel

ROOM = 2**15  # bytes for a record that is stored


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

    def __init__(self, kind: Reference, number: int) -> None:
        self._numba_type_ = kind  # Numba asks for it by this name
        self.number = number
        self.kept: tuple[Any, ...] = ()


@box(Reference)
def _box(kind, address, c):
    make = c.pyapi.unserialize(c.pyapi.serialize_object(Address))
    kind = c.pyapi.unserialize(c.pyapi.serialize_object(kind))
    number = c.pyapi.long_from_ssize_t(c.builder.ptrtoint(address, cgutils.intp_t))
    made = c.pyapi.call_function_objargs(make, (kind, number))
    for part in (make, kind, number):
        c.pyapi.decref(part)
    return made


@unbox(Reference)
def _unbox(kind, address, c):
    number = c.pyapi.object_getattr_string(address, "number")
    pointer = c.pyapi.long_as_voidptr(number)
    pointer = c.builder.bitcast(pointer, c.context.get_value_type(kind))
    c.pyapi.decref(number)
    return NativeValue(pointer)


def _without_counts(context, builder, kind, value):
    """The same arrays without Numba's counts of references, which end with the call that stores."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        for index, member in enumerate(kind):
            part = builder.extract_value(value, index)
            part = _without_counts(context, builder, member, part)
            value = builder.insert_value(value, part, index)
    return value


@intrinsic
def _store(typing_context, record, room):
    def store(context, builder, signature, arguments):
        made = context.make_array(signature.args[1])(context, builder, arguments[1])
        pointer = builder.bitcast(made.data, context.get_value_type(signature.return_type))
        builder.store(_without_counts(context, builder, record, arguments[0]), pointer)
        return pointer

    return Reference(record)(record, room), store


@intrinsic
def _size_of(typing_context, record):
    def size(context, builder, signature, arguments):
        n = context.get_abi_sizeof(context.get_value_type(signature.args[0]))
        return context.get_constant(types.int64, n)

    return types.int64(record), size


@kernel
def _put(record, room):
    if _size_of(record) > room.shape[0]:
        raise RuntimeError("a record is larger than the room for it")
    return _store(record, room)


def _stored(record):
    """The address of a record, for kernels that are handed it instead of the record."""
    room = np.empty(ROOM, np.uint8)
    address = _put(record, room)
    address.kept = record, room
    return address


stored = _same if numba.config.DISABLE_JIT else _stored
