"""Finished recipes in a folder, so that a run can be taken up again."""

from __future__ import annotations

import hashlib
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

import graphtrees
from graphtrees._disk import replacing
from graphtrees.estimators.auto.recipes import Recipe


class Shelf:
    """A folder with a file for each finished recipe, or nothing at all.

    A file is written whole or not at all. It is used again only by the same recipe on the same
    examples, labels, weights and folds.
    """

    def __init__(self, folder: Any, about: str) -> None:
        self.folder = None if folder is None else Path(folder)
        self.about = about
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)

    def take(self, recipe: Recipe) -> tuple[np.ndarray, float, int] | None:
        """Predictions out of fold, the seconds they took and the number of folds, if there."""
        path = self._path(recipe)
        if path is None or not path.is_file():
            return None
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as content:
                predicted, seconds = content["told"], float(content["seconds"])
                n_folds = int(content["folds"])
                same = str(content["key"]) == self._key(recipe)
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            warnings.warn(f"checkpoint: {path} is damaged and made anew: {error}", stacklevel=6)
            return None
        sound = (
            predicted.ndim == 2 and predicted.dtype == np.float64 and np.isfinite(predicted).all()
        )
        sound = sound and 0 <= seconds < np.inf and n_folds > 0
        return (predicted, seconds, n_folds) if same and sound else None

    def put(self, recipe: Recipe, predicted: np.ndarray, seconds: float, n_folds: int) -> None:
        path = self._path(recipe)
        if path is not None:
            with replacing(path) as file:
                np.savez(
                    file, told=predicted, seconds=seconds, folds=n_folds, key=self._key(recipe)
                )

    def _path(self, recipe: Recipe) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{recipe.name.replace(' ', '-')}.npz"

    def _key(self, recipe: Recipe) -> str:
        text = f"{graphtrees.__version__} {self.about} {recipe!r}"
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
