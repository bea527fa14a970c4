"""`Data`, which every form of DATA is read into, and `Source`, which reads it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphtrees.cli.data.reading import Reading
from graphtrees.cli.errors import UserError

# Data that cannot be read in chunks is read whole up to this many bytes.
LARGEST_WHOLE = 1 << 29


class NotInPieces(Exception):
    """The rows of a graph are not adjacent, so the data cannot be read in chunks."""


@dataclass(frozen=True)
class Data:
    """Examples, their labels where there are any, and their ids."""

    name: str
    X: Any  # Graphs, Vertices or Edges
    y: np.ndarray | None
    ids: dict[str, list]  # columns that say which example is which
    splits: list[dict[str, np.ndarray]] = field(default_factory=list)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)  # table -> column -> its role
    reading: Reading | None = None  # with the columns of dates and decimal commas found
    unreadable: np.ndarray | None = None  # a mask: rows in whose place an empty graph stands

    def __len__(self) -> int:
        return len(self.X)

    def take(self, indices: np.ndarray) -> Data:
        """Some of the examples."""
        return replace(
            self,
            X=self.X[indices],
            y=None if self.y is None else self.y[indices],
            ids={name: [column[i] for i in indices] for name, column in self.ids.items()},
            splits=[],
            unreadable=None if self.unreadable is None else self.unreadable[indices],
        )

    def pieces(self, size: int) -> Iterator[Data]:
        """All examples, so many at a time."""
        for start in range(0, len(self), size):
            yield self.take(np.arange(start, min(start + size, len(self))))


class Source(Protocol):
    """A form of DATA, found but not yet read."""

    name: str
    kind: str  # in words

    @property
    def uses(self) -> AbstractSet[str]:
        """The options of `Reading` that mean something for it."""

    @property
    def files(self) -> list[Path]:
        """The files it is read from."""

    @property
    def path(self) -> Path | None:
        """Where it lies; None: it is no file of the user's."""

    def load(self, need_target: bool) -> Data:
        """Everything; without `need_target` a target that is not there is no error."""

    def stream(self, size: int) -> Iterator[Data]:
        """Everything without labels, `size` graphs at a time.

        Raises `NotInPieces`, perhaps late, where pieces cannot be had: use `load_small`.
        """


def load_small(source: Source) -> Data:
    """Everything, if it is small enough to be held."""
    if source.path is not None and bytes_of(source.path) > LARGEST_WHOLE:
        raise UserError(
            f"{source.path}: is too large to be held, and cannot be read in pieces: the rows of a "
            "graph do not lie together, or graphs come in another order in another file"
        )
    return source.load(need_target=False)


def chunk_error(path: Path, error: Exception) -> Exception:
    """The error to raise for a chunk that cannot be read.

    The chunk may be cut wrongly. So small data is read whole, whose error message is right.
    """
    return error if bytes_of(path) > LARGEST_WHOLE else NotInPieces()


def bytes_of(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def check_target(target: str | None, need_target: bool, where: str, columns: list[str]) -> None:
    """Refuse a missing --target, with the columns that it could name."""
    if need_target and target is None:
        raise UserError(f"{where}: name what is to be predicted with --target; there is: "
                        f"{', '.join(columns) or 'nothing'}")  # fmt: skip
