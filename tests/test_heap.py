"""Memory that set-up has freed goes back to the system before trees grow."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from graphtrees import _heap
from graphtrees._heap import give_back_freed


def resident() -> int:
    """Bytes of memory that the process has."""
    n_pages = int(Path("/proc/self/statm").read_text().split()[1])
    return n_pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux" or _heap.glibc() is None, reason="needs glibc")
def test_what_small_arrays_have_left_goes_back():
    kept = [np.ones(2_000) for _ in range(4_000)]  # 64 MB on the heap, one array after the other
    before = resident()
    last = kept[-1]  # nothing below it could go back by itself
    kept.clear()
    give_back_freed()
    assert resident() < before - 40e6
    assert last.sum() == 2_000


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr(_heap, "os", SimpleNamespace(name="nt"))
    assert _heap.glibc() is None
    give_back_freed()
