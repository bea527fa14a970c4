"""A cached kernel is used again, and compiled again when anything it is made of has changed."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import numba
import pytest

from graphtrees.kernels import _jit

SOURCE = """
from graphtrees.kernels._jit import kernel

@kernel
def double(number):
    return 2 * number
"""


def read_again(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernels_of_its_own", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_kernel_is_compiled_again_when_the_vectors_have_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    vectors, kernels = tmp_path / "_rows.py", tmp_path / "kernels.py"
    vectors.write_text("")
    kernels.write_text(SOURCE)
    monkeypatch.setattr(_jit, "_SHARED", vectors)
    hits = []
    for changed in (False, False, True):
        if changed:
            os.utime(vectors, (1, 1))
        double = read_again(kernels).double
        assert double(4) == 8
        hits.append(sum(double.stats.cache_hits.values()))
    assert hits == [0, 1, 0]
