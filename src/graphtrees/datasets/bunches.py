"""The `Bunch` that every loader returns, and the splits in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import Bunch

# Part of a split -> its names in files.
PARTS = {"train": ("train",), "validation": ("val", "valid"), "test": ("test",)}

Split = dict[str, np.ndarray]


def bunch(
    name: str, X: Any, y: np.ndarray, splits: list[Split], description: str, **more: Any
) -> Bunch:
    """Examples, targets, splits, description, and what else there is (None is left out)."""
    rest = {key: value for key, value in more.items() if value is not None}
    return Bunch(name=name, X=X, y=y, splits=splits, description=description.strip(), **rest)


def splits_from(arrays: Mapping[str, np.ndarray], prefix: str = "") -> list[Split]:
    """The splits among packed arrays.

    Index arrays ``train_idx``, ``val_idx``, ``test_idx`` make one split; masks ``train_mask`` (or
    ``train_masks``) and so on, one row per split, make several.
    """
    indices = _parts(arrays, prefix, ("_idx",))
    if indices:
        return [{part: array.astype(np.int64) for part, array in indices.items()}]
    masks = _parts(arrays, prefix, ("_mask", "_masks"))
    masks = {part: np.atleast_2d(mask) for part, mask in masks.items()}
    n_splits = min((len(mask) for mask in masks.values()), default=0)
    return [
        {part: np.flatnonzero(mask[i]) for part, mask in masks.items()} for i in range(n_splits)
    ]


def _parts(
    arrays: Mapping[str, np.ndarray], prefix: str, endings: tuple[str, ...]
) -> dict[str, np.ndarray]:
    return {
        part: arrays[name]
        for part, spellings in PARTS.items()
        for name in (prefix + word + ending for word in spellings for ending in endings)
        if name in arrays
    }
