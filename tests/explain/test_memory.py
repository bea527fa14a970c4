"""Explaining a large graph touches no memory that is not its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

EXPLAIN = """
import numpy as np
import graphtrees as gt
from graphtrees.explain import explain_many

rng = np.random.default_rng(0)

def path_of(n):
    return gt.Graph(rng.normal(size=(n, 2)), [(v, v + 1) for v in range(n - 1)])

X = [path_of(6) for _ in range(20)]
y = [int(graph.features[:, 0].max() > 1) for graph in X]
model = gt.GraphBoostingClassifier(3, min_samples_leaf=1, random_state=0, n_jobs=1).fit(X, y)
(explanation,) = explain_many(model, [path_of(40_000)], method=METHOD)
print(round(explanation.vertex_importance.sum(), 9))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of glibc")
@pytest.mark.parametrize("method", ["attribution", "paper"])
def test_arrays_are_not_freed_before_they_are_read(method):
    # Every array of 4 kB is on pages of its own here, which are gone once it is freed.
    ran = subprocess.run(
        [sys.executable, "-c", EXPLAIN.replace("METHOD", repr(method))],
        env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "4096"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "1.0\n"), ran.stderr
