"""Random numbers of a node: the same whatever the order in which they are asked for."""

from __future__ import annotations

import numba
import numpy as np

from graphtrees.kernels._jit import inner_kernel


def _mixed_plainly(number):
    """A random-looking number for every number (splitmix64)."""
    z = (int(number) + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    z ^= z >> 31
    return np.int64(z - 2**64 if z >= 2**63 else z)


@inner_kernel
def _mixed(number):
    z = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(z ^ (z >> np.uint64(31)))


# NumPy's own numbers warn where they overflow, and do not turn negative ones into unsigned ones.
mixed = _mixed_plainly if numba.config.DISABLE_JIT else _mixed


@inner_kernel
def uniform(key, number):
    """The number-th random number in [0, 1) of a node."""
    return (mixed(key ^ mixed(number)) >> 11) * 2.0**-53 + 0.5


@inner_kernel
def draw_walk_types(growth, key):
    """The walk types that a node may ask about, one bit each."""
    if growth.walk_type_probability >= 1.0:
        return growth.all_walk_types
    drawn = 0
    for t in range(4):
        bit = 1 << t
        if growth.all_walk_types & bit and uniform(key, t) < growth.walk_type_probability:
            drawn |= bit
    return drawn
