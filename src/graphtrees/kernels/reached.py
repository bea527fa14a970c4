"""What walks from one place have reached, with the weight of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._sums import two_sum


class Reached(NamedTuple):
    """members[:n] lists what was reached; hi + lo is the weight of each, is_in marks them."""

    hi: Any
    lo: Any
    members: Any
    is_in: Any


def room_for(n: int) -> Reached:
    """Room for n places, none of them reached."""
    return Reached(np.empty(n), np.empty(n), np.empty(n, np.int64), np.zeros(n, np.uint8))


@inner_kernel
def add_to(reached, n, k, term):
    """Add to the weight of k; returns how many are reached."""
    if reached.is_in[k] == 0:
        reached.is_in[k] = 1
        reached.hi[k] = 0.0
        reached.lo[k] = 0.0
        reached.members[n] = k
        n += 1
    reached.hi[k], reached.lo[k] = two_sum(reached.hi[k], reached.lo[k], term)
    return n
