"""The versions that `.ci/versions` installs are those that pyproject.toml names."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "lowest.py"


def lowest(project: dict) -> list[str]:
    code = f"import runpy, sys; names = runpy.run_path({str(SCRIPT)!r}); "
    code += f"print(*names['lowest_versions']({project!r}), sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ValueError(ran.stderr)
    return ran.stdout.split()


def test_every_dependency_is_pinned_to_its_lowest_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ran = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    pins = dict(line.split("==") for line in ran.stdout.split())
    for text in project["dependencies"]:
        name, version = text.split(">=")
        assert pins[name] == version
    assert {"matplotlib", "pandas", "networkx", "rdkit", "pytest"} <= set(pins)


def test_a_dependency_without_a_lowest_version_is_told():
    project = {"name": "p", "dependencies": ["numpy>=1.26", "scipy"], "optional-dependencies": {}}
    with pytest.raises(ValueError, match="no lowest version in scipy"):
        lowest(project)
    project |= {"dependencies": ["numpy>=1.26"], "optional-dependencies": {"a": ["p[b]", "x>=2"]}}
    assert lowest(project) == ["numpy==1.26", "x==2"]
