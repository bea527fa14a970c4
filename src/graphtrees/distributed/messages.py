"""Values as bytes: a pickle, then the arrays in it, which are read where they stand."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

ALIGNED = 16  # bytes: each part begins at a multiple of it, so that arrays are aligned


def to_bytes(value: Any) -> bytes:
    """A copy of a value, to be sent: the sizes of its parts, the pickle, the arrays."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(one.raw() for one in buffers)]
    sizes = np.array([len(parts), *(part.nbytes for part in parts)], np.int64)
    return b"".join(_padded(memoryview(sizes).cast("B"), *parts))


def _padded(*parts: memoryview) -> Iterator[memoryview | bytes]:
    for part in parts:
        yield part
        yield bytes(-part.nbytes % ALIGNED)


def from_bytes(data: bytes | memoryview) -> Any:
    """The value. Its arrays can be written to; each of them keeps the whole message in memory."""
    view = memoryview(data)
    if view.readonly:
        view = memoryview(bytearray(view))
    n = int(np.frombuffer(view, np.int64, 1)[0])
    sizes = np.r_[8 * (n + 1), np.frombuffer(view, np.int64, n, 8)]
    starts = np.r_[0, np.cumsum(sizes + -sizes % ALIGNED)]
    head, *arrays = (view[a : a + size] for a, size in zip(starts[1:-1], sizes[1:], strict=True))
    return pickle.loads(head, buffers=arrays)
