"""A record is handed over by its address only while somebody else keeps its arrays."""

from __future__ import annotations

import ast
import gc
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest

from graphtrees import kernels
from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._references import stored

FILES = sorted(Path(kernels.__file__).parent.rglob("*.py"))
USERS = [path for path in FILES if "reference(" in path.read_text() and path.stem[0] != "_"]


def own_records(path: Path) -> list[str]:
    """Where a function takes the address of something that was not handed to it."""
    found = []
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = {argument.arg for argument in function.args.args}
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "reference":
                (record,) = call.args
                if not (isinstance(record, ast.Name) and record.id in given):
                    found.append(f"{function.name}: {ast.unparse(call)}")
    return found


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.stem)
def test_only_what_the_caller_keeps_is_handed_over_by_its_address(path):
    # Numba frees what a kernel made right after the last mention of it, and an address is none.
    assert own_records(path) == []


def test_an_address_of_a_new_record_would_be_noticed(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("def f(a):\n    a = reference(a)\n    b = reference(make(a))\n")
    assert own_records(path) == ["f: reference(make(a))"]


class Numbers(NamedTuple):
    values: np.ndarray
    factor: float


class Pair(NamedTuple):
    numbers: Numbers
    counts: np.ndarray


@inner_kernel
def _add_up(pair):
    total = 0.0
    for i in range(pair.numbers.values.shape[0]):
        total += pair.numbers.factor * pair.numbers.values[i]
        pair.counts[0, i] += 1
    return total


@kernel
def add_up(pair):
    return _add_up(pair)


def test_a_stored_record_keeps_its_arrays():
    stored_pairs = [
        stored(Pair(Numbers(np.full(100_000, k, np.float32), 0.5), np.zeros((1, 100_000), np.int8)))
        for k in range(4)
    ]
    gc.collect()
    assert [add_up(pair) for pair in stored_pairs] == [0.0, 50_000.0, 100_000.0, 150_000.0]


def test_kernels_write_to_the_arrays_of_a_stored_record():
    counts = np.zeros((1, 3), np.int64)
    pair = stored(Pair(Numbers(np.ones(3), 2.0), counts))
    assert add_up(pair) == add_up(pair) == 6.0
    np.testing.assert_array_equal(counts, [[2, 2, 2]])


@kernel
def count_references(pair):
    """A kernel, unlike an inner one, counts references to what it reads."""
    values = pair.numbers.values
    total = 0.0
    for k in range(3):
        counts = pair.counts
        total += values[k] + counts[0, k]
    return total, values


def test_kernels_that_count_references_may_read_a_stored_record():
    pair = stored(Pair(Numbers(np.arange(5.0), 2.0), np.zeros((1, 5))))
    for _ in range(1000):
        total, values = count_references(pair)
        assert total == 3.0
    np.testing.assert_array_equal(values, np.arange(5.0))


def test_records_of_other_types_do_not_share_code():
    pairs = [Pair(Numbers(np.ones(2, kind), 1.0), np.zeros((1, 2))) for kind in ("f4", "f8", "i2")]
    assert [add_up(stored(pair)) for pair in pairs] == [2.0, 2.0, 2.0]


class Flagged(NamedTuple):
    is_first: bool
    pairs: Pair
    is_second: bool
    share: float
    counts: np.ndarray
    n: int


@kernel
def read_all(flagged):
    numbers = flagged.pairs.numbers
    return (
        flagged.is_first, numbers.values[1, 2], numbers.factor, flagged.pairs.counts[0],
        flagged.is_second, flagged.share, flagged.counts[3], flagged.n,
    )  # fmt: skip


def test_members_of_all_kinds_are_read_where_they_were_stored():
    # Bytes between words, records between numbers, arrays with strides: all have their places.
    every_second = np.arange(24.0).reshape(4, 6)[::2]
    numbers, counts = Numbers(every_second, 0.25), np.arange(7, 9, dtype=np.int8)
    flagged = Flagged(
        True, Pair(numbers, counts), False, 0.5, np.arange(9, dtype=np.int16), -(2**61)
    )
    assert read_all(stored(flagged)) == (True, 14.0, 0.25, 7, False, 0.5, 3, -(2**61))


class Namesake(NamedTuple):
    values: np.ndarray
    factor: float


Namesake.__name__ = "Numbers"


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is stored")
def test_records_of_two_classes_of_one_name_are_told_apart():
    kinds = [stored(record(np.ones(3), 2.0))._numba_type_ for record in (Numbers, Namesake)]
    assert [kind.instance_class for kind in kinds] == [Numbers, Namesake]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is stored")
def test_a_member_that_is_neither_an_array_nor_a_plain_number_is_refused():
    with pytest.raises(TypeError, match=r"factor.*complex"):
        stored(Numbers(np.ones(3), 2.0j))
