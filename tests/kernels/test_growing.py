"""Trees grow inside one kernel, which does the same compiled and as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config

from kernels import growing
from kernels.watching import assert_same


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> dict[str, np.ndarray]:
    """All trees, grown in a process without compilation."""
    path = tmp_path_factory.mktemp("plain") / "trees.npz"
    folders = [str(Path(growing.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    told = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    command = [sys.executable, "-m", "kernels.growing", str(path)]
    done = subprocess.run(command, env=os.environ | told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with np.load(path) as trees:
        return dict(trees)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled to compare with")
@pytest.mark.parametrize("criterion", growing.CRITERIA)
@pytest.mark.parametrize("case", growing.CASES)
def test_compiled_and_plain_kernels_grow_the_same_tree(case, criterion, plain):
    grown = growing.grown(case, criterion)
    assert len(grown["left"]) >= 3
    for field, values in grown.items():
        assert_same("grow", field, values, plain[f"{case}/{criterion}/{field}"])
