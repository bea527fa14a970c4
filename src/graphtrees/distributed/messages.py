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
        yield bytes(_after(part.nbytes) - part.nbytes)


def from_bytes(data: bytes | memoryview) -> Any:
    """The value. Its arrays can be written to; each of them keeps the whole message in memory."""
    view = memoryview(data)
    if view.readonly:
        view = memoryview(bytearray(view))
    n = int(np.frombuffer(view, np.int64, 1)[0])
    parts, at = [], _after(8 * (n + 1))
    for size in np.frombuffer(view, np.int64, n, 8).tolist():
        parts.append(view[at : at + size])
        at += _after(size)
    return pickle.loads(parts[0], buffers=parts[1:])


def _after(size: int) -> int:
    """Where the next part begins."""
    return size + -size % ALIGNED
