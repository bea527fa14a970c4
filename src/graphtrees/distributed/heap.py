"""Where a fit on a worker of a cluster has its large arrays from.

Dask starts workers with MALLOC_TRIM_THRESHOLD_ set, so that memory no longer used goes back to the
system. With it glibc also asks the system anew for every array of 128 kB and more, and each page
of such an array is a fault: a third of the time before the first tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graphtrees import _heap

MMAP_THRESHOLD = -3  # the number by which glibc's mallopt knows it
USUAL, LARGEST = 128 * 2**10, 32 * 2**20  # bytes: without any setting, and the most it takes


@contextmanager
def arrays_from_heap() -> Iterator[None]:
    """Inside, arrays of up to 32 MB come from the heap; what is free goes back at the end."""
    library = _glibc()
    if library is None:
        yield
        return
    library.mallopt(MMAP_THRESHOLD, LARGEST)
    try:
        yield
    finally:
        library.mallopt(MMAP_THRESHOLD, USUAL)
        library.malloc_trim(0)


def _glibc() -> Any:
    """The library, where it is in use and set as Dask sets it; else None."""
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ or "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return None
    return _heap.glibc()
