"""A record is handed over by its address only while somebody else keeps its arrays."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from graphtrees import kernels

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
