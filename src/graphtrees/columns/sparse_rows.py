"""Values of vertices as lists without the zeros."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SparseRows:
    """Vertex v owns the (lane, value) pairs start[v]:stop[v]."""

    start: np.ndarray
    stop: np.ndarray
    lane: np.ndarray
    value: np.ndarray

    @classmethod
    def empty(cls, n: int, room: int, kind: type) -> SparseRows:
        """n rows without entries, and room for some."""
        none = np.zeros(n, np.int64)
        return cls(none, none.copy(), np.empty(room, np.int32), np.empty(room, kind))

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """In the order kernels take them."""
        return self.start, self.stop, self.lane, self.value
