"""Values come back from bytes as they were, with arrays that can be computed with."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("distributed")

from graphtrees.distributed.messages import from_bytes, to_bytes

ARRAYS = [
    np.arange(5), np.ones((3, 4), np.float32), np.empty(0), np.arange(3, dtype=np.uint8),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(10)[::2], np.zeros((0, 2), np.int8),
    np.array(["x", "yy"]), np.array([None, 1], object), np.array(7.5), np.array([np.nan, 1]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [bytes, lambda data: memoryview(bytearray(data))])
def test_arrays_come_back_equal_aligned_and_free_to_be_changed(wrap):
    data = to_bytes({"arrays": ARRAYS, "number": 3})
    value = from_bytes(wrap(data))
    assert value["number"] == 3
    for array, given in zip(value["arrays"], ARRAYS, strict=True):
        np.testing.assert_array_equal(array, given)
        assert array.dtype == given.dtype
        assert array.flags.writeable
        assert array.flags.aligned


def test_a_message_is_a_copy():
    """The sender may change its arrays at once, the receiver those that it got."""
    array = np.arange(1000)
    data = to_bytes(array)
    array[:] = 0
    first = from_bytes(data)
    first[:] = -1
    np.testing.assert_array_equal(from_bytes(data), np.arange(1000))


@pytest.mark.parametrize("value", [None, 3, "words", b"", (), [1, (2.5, {"a": None})]])
def test_values_without_arrays_come_back(value):
    assert from_bytes(to_bytes(value)) == value
