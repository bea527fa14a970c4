"""A counter that threads share: each takes the next stretch of work, so none waits for another."""

from __future__ import annotations

import numba
from numba import types
from numba.extending import intrinsic


def _take(typing_context, counter, amount):
    def make(context, builder, signature, given):
        address = context.make_array(signature.args[0])(context, builder, given[0]).data
        amount = context.cast(builder, given[1], signature.args[1], types.int64)
        return builder.atomic_rmw("add", address, amount, "seq_cst")

    return types.int64(counter, amount), make


def _take_plain(counter, amount):
    """counter[0] before `amount` was added to it."""
    before = counter[0]
    counter[0] += amount
    return before


take = _take_plain if numba.config.DISABLE_JIT else intrinsic(_take)
