"""A team of threads inside compiled code: atomic counters, and a barrier that gives way.

Every member of a team calls the same kernel with the same arrays and its own rank. Members meet
at barriers and take tasks from shared counters, so Python is entered once for much work. `state`
is an int64 array whose slots lie on cache lines of their own:

    ARRIVED      how many members wait at the barrier
    GENERATION   how many times the barrier has opened
    NEXT_TASK    the next task of the current stage
    STOP         not 0: every member returns at its next barrier
"""

from __future__ import annotations

import sys

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from graphtrees.kernels._jit import inner_kernel

_LINE = 16  # int64 slots: two cache lines, because processors fetch them in pairs
ARRIVED, GENERATION, NEXT_TASK, STOP = 0, _LINE, 2 * _LINE, 3 * _LINE
STATE_SIZE = 4 * _LINE

# A waiting thread looks so often before it gives its core away, and gives it away so often before
# it sleeps. On a busy machine, spinning 2,000 times cost 700 microseconds a barrier.
_SPINS, _YIELDS, _NAP = 60, 2_000, 50


def new_state() -> np.ndarray:
    """The shared state of a new team."""
    return np.zeros(STATE_SIZE, np.int64)


def _slot(context, builder, array_type, array, index):
    struct = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, struct, [index], wraparound=False)


def _typed_add(typing_context, array, index, value):
    def make(context, builder, signature, given):
        pointer = _slot(context, builder, signature.args[0], given[0], given[1])
        return builder.atomic_rmw("add", pointer, given[2], "seq_cst")

    return types.int64(array, types.int64, types.int64), make


def _typed_load(typing_context, array, index):
    def make(context, builder, signature, given):
        pointer = _slot(context, builder, signature.args[0], given[0], given[1])
        return builder.load_atomic(pointer, "seq_cst", 8)

    return types.int64(array, types.int64), make


def _plain_add(array, index, value):
    before = array[index]
    array[index] += value
    return before


def _plain_load(array, index):
    return array[index]


if numba.config.DISABLE_JIT:
    atomic_add, atomic_load = _plain_add, _plain_load

    def _give_way():
        raise RuntimeError("a team of several threads needs compiled code")

    def _sleep():
        raise RuntimeError("a team of several threads needs compiled code")

else:
    atomic_add, atomic_load = intrinsic(_typed_add), intrinsic(_typed_load)

    # External functions, unlike pointers made by ctypes, can be cached on disk.
    if sys.platform == "win32":
        _switch = types.ExternalFunction("SwitchToThread", types.int32())
        _nap = types.ExternalFunction("Sleep", types.void(types.uint32))
        _NAP = 1  # milliseconds
    else:
        _switch = types.ExternalFunction("sched_yield", types.int32())
        _nap = types.ExternalFunction("usleep", types.int32(types.uint32))

    @inner_kernel
    def _give_way():
        _switch()

    @inner_kernel
    def _sleep():
        _nap(np.uint32(_NAP))


@inner_kernel
def comes_last(state, n_members):
    """True for the last member to come here; the others wait until it has called `let_go`.

    What one member must do alone, between two stages, is done by the last one while the others
    wait for it anyway: a barrier less than if they met once before it and once after it.
    """
    if n_members == 1:
        return True
    generation = atomic_load(state, GENERATION)
    if atomic_add(state, ARRIVED, 1) == n_members - 1:
        return True
    n = 0
    while atomic_load(state, GENERATION) == generation and atomic_load(state, STOP) == 0:
        n += 1
        if n > _SPINS + _YIELDS:
            _sleep()
        elif n > _SPINS:
            _give_way()
    return False


@inner_kernel
def let_go(state, n_members):
    """Let the others go on, and start the tasks again from 0."""
    if n_members == 1:
        state[NEXT_TASK] = 0
        return
    atomic_add(state, ARRIVED, -n_members)
    atomic_add(state, NEXT_TASK, -atomic_load(state, NEXT_TASK))
    atomic_add(state, GENERATION, 1)


@inner_kernel
def goes_on(state):
    """False where the team was told to stop."""
    return atomic_load(state, STOP) == 0


@inner_kernel
def barrier(state, n_members):
    """Wait until every member is here; False where the team was told to stop."""
    if comes_last(state, n_members):
        let_go(state, n_members)
    return goes_on(state)


@inner_kernel
def next_task(state, n_members, size):
    """The first of the next `size` tasks of this stage; a barrier starts again from 0."""
    if n_members == 1:
        first = state[NEXT_TASK]
        state[NEXT_TASK] += size
        return first
    return atomic_add(state, NEXT_TASK, size)


@inner_kernel
def stop(state):
    """Tell every member to return at its next barrier."""
    atomic_add(state, STOP, 1)
