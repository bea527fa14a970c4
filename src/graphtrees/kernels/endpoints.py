"""One step from edge to edge, by way of the vertices that edges share."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel
from graphtrees.kernels._sums import two_sum


@kernel
def step_through(
    values, indptr, endpoints, divisor, skips_itself, into_indptr, into_edges, high, low, out
):
    """out = A values, one number for each edge; `high` and `low` have room for the endpoints.

    into_edges[into_indptr[m]:...] enter endpoint m, and edge e is reached from the endpoints
    endpoints[indptr[e]:...]. With `skips_itself` an edge enters those endpoints too, and is taken
    out of the sum again. No rounding takes place before that.
    """
    for m in range(into_indptr.shape[0] - 1):
        hi = 0.0
        lo = 0.0
        for k in range(into_indptr[m], into_indptr[m + 1]):
            hi, lo = two_sum(hi, lo, np.float64(values[into_edges[k]]))
        high[m] = hi
        low[m] = lo
    for e in range(indptr.shape[0] - 1):
        hi = 0.0
        lo = 0.0
        for k in range(indptr[e], indptr[e + 1]):
            m = endpoints[k]
            hi, lo = two_sum(hi, lo, high[m])
            lo += low[m]
        if skips_itself:
            hi, lo = two_sum(hi, lo, -np.float64(indptr[e + 1] - indptr[e]) * values[e])
        by = divisor[e] if divisor.shape[0] > 0 else 1.0
        out[e] = np.float32((hi + lo) / by)
