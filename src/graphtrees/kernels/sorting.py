"""Sort the entries of a column by value, in place."""

from __future__ import annotations

from graphtrees.kernels._jit import inner_kernel


@inner_kernel
def _sort_few(values, rows, n):
    """Sort entries by value, in place; for few of them."""
    for i in range(1, n):
        value = values[i]
        row = rows[i]
        k = i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            rows[k] = rows[k - 1]
            k -= 1
        values[k] = value
        rows[k] = row


@inner_kernel
def _sink(values, rows, at, n):
    """Restore the heap (the largest on top) below `at`."""
    value = values[at]
    row = rows[at]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at] = values[child]
        rows[at] = rows[child]
        at = child
    values[at] = value
    rows[at] = row


@inner_kernel
def sort(values, rows, n):
    """Sort entries by value, in place."""
    if n <= 32:
        _sort_few(values, rows, n)
        return
    for at in range(n // 2 - 1, -1, -1):
        _sink(values, rows, at, n)
    for last in range(n - 1, 0, -1):
        value, row = values[last], rows[last]
        values[last], rows[last] = values[0], rows[0]
        values[0], rows[0] = value, row
        _sink(values, rows, 0, last)


@inner_kernel
def missing_last(values, rows, n):
    """Move missing values behind the others; returns how many there are of these."""
    known = 0
    for i in range(n):
        if values[i] == values[i]:
            value, row = values[i], rows[i]
            values[i], rows[i] = values[known], rows[known]
            values[known], rows[known] = value, row
            known += 1
    return known
