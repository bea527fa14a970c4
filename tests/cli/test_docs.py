"""The sessions in the pages about the command line, run as printed."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def sessions(page: Path) -> list[tuple[str, str]]:
    """Commands with the output printed below each; '> ' goes on with the command before."""
    found: list[list[str]] = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append([line[2:], ""])
            elif line.startswith("> "):
                found[-1][0] += line[2:]
            else:
                found[-1][1] += line
    return [(command, wanted) for command, wanted in found]


def test_the_page_about_the_command_line_is_true(shell):
    pytest.importorskip("rdkit")
    checker = doctest.OutputChecker()
    steps = sessions(DOCS / "command-line.md")
    assert len(steps) > 5
    for command, wanted in steps:
        ran = shell(command)
        assert ran.code == 0, (command, ran.err)
        same = checker.check_output(wanted, ran.out, doctest.ELLIPSIS)
        assert same, f"{command}\nwanted:\n{wanted}\ncame:\n{ran.out}"


def test_the_page_about_inspect_is_true(monkeypatch):
    import graphtrees as gt
    from graphtrees.inspection import inspect

    monkeypatch.setattr(gt, "inspect", inspect, raising=False)
    done = doctest.testfile(
        str(DOCS / "inspect.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert done.attempted > 4
    assert done.failed == 0
