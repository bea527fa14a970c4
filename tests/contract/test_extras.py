"""Libraries that only some of us need: asked for by an extra that the package really has."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from graphtrees.cli.data.tablefile import open_table

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r'extra="(\w+)"')


def test_every_extra_that_is_named_exists():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(project["optional-dependencies"])
    # The docstring of `require` shows one that cannot exist.
    files = [p for p in (ROOT / "src").rglob("*.py") if p.name != "_optional.py"]
    named = {extra for path in files for extra in NAMED.findall(path.read_text())}
    assert "arrow" in named
    assert named <= known


def test_reading_parquet_without_pyarrow_names_the_extra(monkeypatch, tmp_path):
    for module in [m for m in sys.modules if m.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    wanted = r"^reading vertices.parquet needs pyarrow: pip install 'graphtrees\[arrow\]'$"
    with pytest.raises(ImportError, match=wanted):
        open_table(tmp_path / "vertices.parquet")
