"""How many threads each of several trees gets."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from graphtrees._threads import Workers
from graphtrees.trees.training_data import TrainingData


@pytest.mark.parametrize(
    ("n_threads", "n_trees", "expected"),
    [
        (1, 3, [1, 1, 1]),
        (2, 1, [2]),
        (2, 4, [1, 1, 1, 1]),
        (2, 5, [1, 1, 1, 1, 2]),
        (4, 3, [1, 1, 1]),
        (4, 6, [1, 1, 1, 1, 2, 2]),
        (8, 3, [2, 2, 2]),
        (3, 0, []),
    ],
)
def test_trees_that_are_left_share_the_threads_evenly(n_threads, n_trees, expected):
    with Workers(n_threads) as workers:
        data = SimpleNamespace(share=None, workers=workers)
        given = TrainingData.each(data, lambda k, n: (k, n), [(k,) for k in range(n_trees)])
    assert given == list(enumerate(expected))
