"""Error-carrying addition: a sum as hi + lo, where lo holds what rounding took from hi.

A sum of float64 terms kept this way has the same float32 value in any order of its terms.
"""

from __future__ import annotations

from graphtrees.kernels._jit import inlined_kernel
from graphtrees.kernels._rows import add, minus


@inlined_kernel
def two_sum(hi, lo, term):
    """(hi, lo) with one more term."""
    total = hi + term
    back = total - hi
    return total, lo + ((hi - (total - back)) + (term - back))


@inlined_kernel
def two_sum_rows(hi, lo, term):
    """The same for eight sums at a time; see `_rows`."""
    total = add(hi, term)
    back = minus(total, hi)
    return total, add(lo, add(minus(hi, minus(total, back)), minus(term, back)))
