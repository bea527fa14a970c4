"""Rows of one graph after another: how tables larger than memory are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any

import numpy as np

from graphtrees.cli.data.tablefile import Row, TableFile
from graphtrees.cli.errors import UserError

Placed = tuple[str, Row]


class Groups:
    """The rows of a table in runs of one graph id; only the run at hand is held."""

    def __init__(self, file: TableFile, graph_column: str) -> None:
        self._file, self._name = file, graph_column
        self._column = file.columns.index(graph_column)
        self._runs = groupby(file.rows(), self._key)
        self._next: tuple[str, Iterator[Placed]] | None = next(self._runs, None)

    @property
    def next_key(self) -> str | None:
        """The graph of the rows that come next; None at the end."""
        return None if self._next is None else self._next[0]

    def pop(self) -> list[Placed]:
        """The rows of the next graph."""
        assert self._next is not None
        rows = list(self._next[1])
        self._next = next(self._runs, None)
        return rows

    def take(self, keys: list[str]) -> list[Placed]:
        """The rows of these graphs, as far as they come next and in this order."""
        rows: list[Placed] = []
        for key in keys:
            if self.next_key == key:
                rows += self.pop()
        return rows

    def runs(self) -> Iterator[tuple[str, list[Placed]]]:
        """Every run that is left."""
        while (key := self.next_key) is not None:
            yield key, self.pop()

    def _key(self, placed: Placed) -> str:
        place, row = placed
        value = row[self._column]
        if value is None or value == "":
            raise UserError(f"{self._file.path}: {place}: {self._name!r} is missing")
        return value.strip() if isinstance(value, str) else str(value)


class Seen:
    """Which keys came before, in eight bytes a key."""

    def __init__(self) -> None:
        self._levels: list[np.ndarray] = []

    def __contains__(self, key: str | None) -> bool:
        return key is not None and self._holds(_hashes([key]))

    def add(self, keys: list[str]) -> bool:
        """Whether all of them are new; they are known from now on."""
        hashes = np.unique(_hashes(keys))
        new = len(hashes) == len(keys) and not self._holds(hashes)
        # Arrays of about one length are merged, so that there are only a few.
        while self._levels and len(self._levels[-1]) <= 2 * len(hashes):
            hashes = np.union1d(hashes, self._levels.pop())
        self._levels.append(hashes)
        return new

    def _holds(self, hashes: np.ndarray) -> bool:
        for level in self._levels:
            at = np.minimum(np.searchsorted(level, hashes), len(level) - 1)
            if (level[at] == hashes).any():
                return True
        return False


def _hashes(keys: list[str]) -> np.ndarray:
    return np.array([hash(key) for key in keys], dtype=np.int64)


def batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` items, the last one perhaps shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
