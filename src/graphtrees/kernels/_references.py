"""Records that are handed over by their address.

Numba hands a record to a function piece by piece: a record of thirty arrays is some two hundred
numbers, at every call. Machine code does not mind, since most calls are inlined; but writing all
that down and optimizing it took most of the time to compile. `reference` puts the record on the
stack of the kernel that Python called; from there on kernels hand over its address, and read a
member when they name it. Without compilation it gives back the record itself.

An address keeps no array. So it is only taken of records that were handed to a kernel: those that
it made itself Numba frees after their last mention, and an address is none.
"""

from __future__ import annotations

import numba
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, register_model


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
