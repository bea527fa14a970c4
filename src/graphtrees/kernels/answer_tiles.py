"""Answers of full rows on their way to columns: gathered row by row, written column by column.

A row holds every feature of one vertex, a column one feature of every vertex. Written row by row,
each number would go to another page of memory. So the answers of some examples are gathered in a
tile that stays in the first-level cache, and leave it one column after the other.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.graph_values import column_at

# Examples whose answers are gathered: their numbers in one column fill two lines of the cache.
EXAMPLES_A_TILE = 32


@inner_kernel
def round_sums(high, low, first, n, by, out, to):
    """Round n sums, divided by `by`, to float32."""
    first, to = np.uint64(first), np.uint64(to)
    if by == 1.0:
        for k in range(np.uint64(n)):
            out[to + k] = np.float32(high[first + k] + low[first + k])
    else:
        for k in range(np.uint64(n)):
            out[to + k] = np.float32((high[first + k] + low[first + k]) / by)


@inner_kernel
def copy_row(row, first, n, out, to):
    """Copy n numbers; 0 stands for -0, as it does in sums."""
    first, to = np.uint64(first), np.uint64(to)
    for k in range(np.uint64(n)):
        out[to + k] = row[first + k] + np.float32(0.0)


@inner_kernel
def fill_zeros(out, to, n):
    to = np.uint64(to)
    for k in range(np.uint64(n)):
        out[to + k] = np.float32(0.0)


@inner_kernel
def write_columns(answers, position, first, n, place, n_signs, features, patterns, block):
    """The answers of n examples about (first feature, last + 1) to the columns of a question.

    In each column they go to position[first], position[first + 1], ...
    """
    width = features[1] - features[0]
    for s in range(n_signs if n > 0 else 0):
        p, at = column_at(place, s, n_signs, patterns)
        for f in range(features[0], min(features[1], patterns.n_features[p])):
            if patterns.is_kept[p, f]:
                start = np.uint64(at + patterns.feature_start[p, f])
                k = np.uint64(s * width + f - features[0])
                for i in range(np.uint64(n)):
                    block[start + np.uint64(position[np.uint64(first) + i])] = answers[i, k]
