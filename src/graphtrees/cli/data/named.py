"""Data sets by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.data.alignment import with_features
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Data
from graphtrees.cli.errors import UserError

TU_PREFIX = "tu:"


class NamedSet:
    """A data set that `graphtrees.datasets` knows."""

    path = None
    files: list[Path] = []  # noqa: RUF012
    kind = "a data set by name"
    uses = frozenset({"target", "examples"})

    def __init__(self, name: str, reading: Reading) -> None:
        self.reading = reading
        self.loader, self.name = _find(name)

    def load(self, need_target: bool) -> Data:
        from graphtrees import datasets

        load = getattr(datasets, self.loader)
        bunch = load(self.name) if self.loader not in ("load_county", "load_flights") else load()
        X, reading = bunch.X, self.reading
        what = type(X).__name__.lower()
        if reading.examples not in (None, what):
            raise UserError(f"{self.name}: the examples of this data set are its {what}")
        if reading.exact and reading.features is not None and what == "graphs":
            X = with_features(X, reading.features, self.name)
        y = self._target(bunch.y)
        return Data(self.name, X, y, _ids(X), list(bunch.splits))

    def stream(self, size: int) -> Iterator[Data]:
        """Pieces of what is held in memory: a data set of a known size."""
        return self.load(need_target=False).pieces(size)

    def _target(self, y: np.ndarray) -> np.ndarray:
        asked = self.reading.target
        if y.ndim == 1:
            if asked is not None:
                raise UserError(f"{self.name}: brings its own labels; leave --target out")
            return y
        if asked is None or not asked.isdigit() or int(asked) >= y.shape[1]:
            raise UserError(
                f"{self.name}: has {y.shape[1]} targets; choose one with --target, a number from "
                f"0 to {y.shape[1] - 1}"
            )
        return y[:, int(asked)]


def _find(name: str) -> tuple[str, str]:
    """The loader, and the name as it wants it."""
    from graphtrees.datasets import available
    from graphtrees.datasets.files import normalised

    if name.lower().startswith(TU_PREFIX):
        return "load_tu", name[len(TU_PREFIX) :]
    for entry in available():
        if normalised(entry.name) == normalised(name):
            return entry.loader.partition("(")[0], entry.name
    raise UserError(
        f"{name}: there is no such file or folder, and no data set of that name "
        "(`graphtrees datasets` lists them)"
    )


def _ids(X: Any) -> dict[str, list]:
    if hasattr(X, "vertex_of"):
        owners = {"graph": X.graph_of.tolist()} if len(X.graphs) > 1 else {}
        return owners | {"vertex": X.vertex_of.tolist()}
    return {"graph": list(range(len(X)))}
