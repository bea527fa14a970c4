"""How much memory some work takes at its peak."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_of(work: Callable[[], Any]) -> int:
    """The most bytes that Python and NumPy held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def peak_once_compiled(work: Callable[[], Any]) -> int:
    """The same when it is done for the second time: compiling kernels takes memory, too."""
    work()
    return peak_of(work)
