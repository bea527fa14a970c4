"""Rows of one graph after another: how tables larger than memory are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.tablefile import TableFile
from graphtrees.cli.errors import UserError


class Groups:
    """The rows of a table, graph by graph; only those at hand are held."""

    def __init__(self, file: TableFile, graph_column: str) -> None:
        self._file, self._name = file, graph_column
        self._pandas = require("pandas", extra="pandas", purpose="reading tables")
        self._frames = file.frames()
        self._rest: Any = None  # rows read and not yet taken
        self._keys = np.empty(0, dtype=object)  # the graph of each of them
        self._read_on()

    @property
    def next_key(self) -> str | None:
        """The graph of the row that comes next; None at the end."""
        return self._keys[0] if len(self._keys) else None

    def next_graphs(self, size: int) -> tuple[list[str], Any]:
        """The ids of the next so many graphs, and their rows."""
        while True:
            first = np.flatnonzero(np.append(True, self._keys[1:] != self._keys[:-1]))
            if len(first) > size or not self._read_on():
                break
        if not len(self._keys):
            return [], self._rest
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
            if len(self._keys) or not self._read_on():
                break
        return self._pandas.concat(parts) if parts else self._rest

    def _cut(self, stop: int) -> Any:
        part = self._rest.iloc[:stop]
        self._rest, self._keys = self._rest.iloc[stop:], self._keys[stop:]
        return part

    def _read_on(self) -> bool:
        """Read some more rows; False: there are none."""
        frame = next(self._frames, None)
        if frame is None:
            if self._rest is None:
                self._rest = self._pandas.DataFrame(columns=self._file.columns, dtype=object)
            return False
        keys = np.empty(len(frame), dtype=object)
        for row, value in enumerate(frame[self._name].tolist()):
            text = value.strip() if isinstance(value, str) else value
            if text is None or text == "" or text != text:
                place = self._file.place(int(frame.index[row]))
                raise UserError(f"{self._file.shown}: {place}: {self._name!r} is missing")
            keys[row] = str(text)
        has_rest = self._rest is not None and len(self._rest)
        self._rest = self._pandas.concat([self._rest, frame]) if has_rest else frame
        self._keys = np.concatenate([self._keys, keys])
        return True


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
            hashes = np.concatenate([hashes, self._levels.pop()])
            hashes.sort()
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
