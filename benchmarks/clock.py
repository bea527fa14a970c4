"""Time a call often enough to trust the median."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import Any

AT_LEAST, AT_MOST = 3, 9


def repeat(call: Callable[[], Any], budget: float) -> list[float]:
    """Seconds of each call: 3 to 9 of them within `budget`, one alone if it takes all of it.

    A budget of 0 asks for a single call.
    """
    seconds: list[float] = []
    while not _enough(seconds, budget):
        gc.collect()
        seconds.append(once(call))
    return seconds


def once(call: Callable[[], Any]) -> float:
    """Seconds of a single call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _enough(seconds: list[float], budget: float) -> bool:
    if not seconds:
        return False
    if seconds[0] >= budget or len(seconds) >= AT_MOST:
        return True
    return sum(seconds) >= budget and len(seconds) >= AT_LEAST


def summary(seconds: list[float]) -> dict[str, Any]:
    """The median and the range, as every measurement reports them."""
    return {
        "seconds": median(seconds),
        "fastest": min(seconds),
        "slowest": max(seconds),
        "repeats": len(seconds),
    }
