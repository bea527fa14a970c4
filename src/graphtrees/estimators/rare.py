"""Classes so rare that accuracy says little, and that average precision is told beside it."""

from __future__ import annotations

import numpy as np

RARE = 0.1  # of two classes, the share below which one is rare


def rare_class(counts: np.ndarray) -> int | None:
    """The place of the rarer of two classes with these counts; None where neither is rare."""
    if len(counts) != 2 or not 0 < counts.min() < RARE * counts.sum():
        return None
    return int(counts.argmin())
