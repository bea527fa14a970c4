"""Large arrays of a fit come from the heap where Dask's setting would ask the system for each."""

from __future__ import annotations

import ctypes
import sys

import pytest

pytest.importorskip("distributed")

from graphtrees.distributed import heap


class Library:
    """Keeps what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple] = []

    def mallopt(self, name: int, value: int) -> None:
        self.asked.append((name, value))

    def malloc_trim(self, pad: int) -> None:
        self.asked.append(("trim", pad))


@pytest.fixture
def library(monkeypatch) -> Library:
    fake = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: fake)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    return fake


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is the library of Linux")
def test_the_setting_is_as_before_when_a_fit_fails(library):
    def fit():
        with heap.arrays_from_heap():
            assert library.asked == [(heap.MMAP_THRESHOLD, heap.LARGEST)]
            raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        fit()
    assert library.asked[1:] == [(heap.MMAP_THRESHOLD, heap.USUAL), ("trim", 0)]


@pytest.mark.parametrize("is_set", [True, False])
def test_settings_of_a_user_stay(library, monkeypatch, is_set):
    if is_set:
        monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "1000000")
    else:
        monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_")
    with heap.arrays_from_heap():
        pass
    assert library.asked == []


def test_other_libraries_are_left_alone(library, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    with heap.arrays_from_heap():
        pass
    assert library.asked == []
