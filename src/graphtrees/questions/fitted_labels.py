"""Labels of new data by their place among the labels of training."""

from __future__ import annotations

from typing import Any

import numpy as np

UNSEEN = -1


def fitted_places(codes: np.ndarray, labels: tuple | None, fitted: tuple) -> np.ndarray:
    """The place of every label among those fitted: UNSEEN for others, NaN where it is missing.

    `codes` are places among `labels`; without these, the numbers are the labels themselves.
    """
    known = ~np.isnan(codes)
    theirs: Any = labels
    if labels is None:
        theirs, numbers = np.unique(codes[known], return_inverse=True)
    else:
        numbers = codes[known].astype(np.int64)
    place = {label: k for k, label in enumerate(fitted)}
    translate = np.array([place.get(label, UNSEEN) for label in theirs] or [UNSEEN])
    out = np.full(len(codes), np.nan)
    out[known] = translate[numbers]
    return out
