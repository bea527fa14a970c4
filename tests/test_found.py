"""Every case with which the library was once broken; `benchmarks/fuzz.py` writes them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.fixture(scope="module")
def child():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        from fuzzing.pool import Child

        process = Child(seconds=600)
        yield process
        process.stop()
    finally:
        sys.path.remove(str(BENCHMARKS))


def load(path: Path):
    from fuzzing.cases import load_case

    return load_case(path)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_once_is_mended(path, child):
    case = load(path)
    assert {"kind", "seed", "complaint"} <= set(case)
    result = child.ask(case)
    assert result["outcome"] in ("fine", "refused"), result.get("trace")
