"""Words are packed without their zeros, and added to others."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees.kernels.sparse_words import add_packed
from graphtrees.trees.distributed_gains import packed


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_packed_words_add_up_to_the_same_sums(n, share):
    rng = np.random.default_rng(n)
    large = np.iinfo(np.int64).max // 4
    words, others = rng.integers(-large, large, (2, n)) * (rng.random((2, n)) < share)
    bits, kept = packed(words.copy())
    np.testing.assert_array_equal(kept, words[words != 0])
    assert bits.nbytes == -(-n // 8)
    sums = others.copy()
    add_packed(bits, kept, sums)
    np.testing.assert_array_equal(sums, words + others)
