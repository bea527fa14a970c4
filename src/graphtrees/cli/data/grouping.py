"""Read tables larger than memory graph by graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.table import Table
from graphtrees.cli.data.tablefile import TableFile
from graphtrees.graphs.labels import object_array


class Groups:
    """The rows of a table, graph by graph; only the rows not yet taken are in memory."""

    def __init__(self, file: TableFile, graph_column: str) -> None:
        self._file, self._name = file, graph_column
        self._pandas = require("pandas", extra="pandas", purpose="reading tables")
        self._frames = file.frames()
        self._frame: Any = None  # rows that were read and not yet taken
        self._keys = np.empty(0, dtype=object)  # the graph of each of them
        self._read_more()

    @property
    def next_key(self) -> str | None:
        """The graph of the row that comes next; None at the end."""
        return self._keys[0] if len(self._keys) else None

    def next_graphs(self, size: int) -> tuple[list[str], Any]:
        """The ids of the next so many graphs, and their rows."""
        while True:
            first = np.flatnonzero(np.append(True, self._keys[1:] != self._keys[:-1]))
            if len(first) > size or not self._read_more():
                break
        if not len(self._keys):
            return [], self._frame
        stop = int(first[size]) if len(first) > size else len(self._keys)
        keys = self._keys[first[:size]].tolist()
        return keys, self._cut(stop)

    def take(self, keys: list[str]) -> Any:
        """The rows that come next and belong to these graphs."""
        wanted, parts = set(keys), []
        while len(self._keys):
            inside = np.array([key in wanted for key in self._keys], dtype=bool)
            stop = len(inside) if inside.all() else int(np.argmin(inside))
            parts.append(self._cut(stop))
            if len(self._keys) or not self._read_more():
                break
        return self._pandas.concat(parts) if parts else self._frame

    def _cut(self, stop: int) -> Any:
        part = self._frame.iloc[:stop]
        self._frame, self._keys = self._frame.iloc[stop:], self._keys[stop:]
        return part

    def _read_more(self) -> bool:
        """Read the next chunk; False at the end of the file."""
        frame = next(self._frames, None)
        if frame is None:
            if self._frame is None:
                self._frame = self._pandas.DataFrame(columns=self._file.columns, dtype=object)
            return False
        keys = object_array(Table(self._file, frame, Reading()).ids(self._name))
        has_rows = self._frame is not None and len(self._frame)
        self._frame = self._pandas.concat([self._frame, frame]) if has_rows else frame
        self._keys = np.concatenate([self._keys, keys])
        return True


class SeenKeys:
    """A set of keys that takes eight bytes a key: sorted arrays of their hashes.

    A collision of hashes only means that the data is read whole, not in chunks.
    """

    def __init__(self) -> None:
        self._levels: list[np.ndarray] = []

    def __contains__(self, key: str | None) -> bool:
        return key is not None and self._contains(_hashes([key]))

    def add(self, keys: list[str]) -> bool:
        """Add keys; return whether all of them are new."""
        hashes = np.unique(_hashes(keys))
        are_new = len(hashes) == len(keys) and not self._contains(hashes)
        # Merge arrays of similar length, so that there are only a few (as in an LSM tree).
        while self._levels and len(self._levels[-1]) <= 2 * len(hashes):
            hashes = np.concatenate([hashes, self._levels.pop()])
            hashes.sort()
        self._levels.append(hashes)
        return are_new

    def _contains(self, hashes: np.ndarray) -> bool:
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
