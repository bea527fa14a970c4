"""Runs of the command: in this process for speed, in a real shell for truth."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from graphtrees.cli import main


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(here: Path, capsys: pytest.CaptureFixture):
    """Run the command in this process, in the working folder."""

    def run(*words: str) -> Ran:
        code = main(words)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run


@pytest.fixture
def shell(here: Path):
    """Run a line in a real shell, in the working folder, with the command on the path."""

    def shell(line: str, **environment: str) -> Ran:
        folder = str(Path(sys.executable).parent)
        env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"} | environment
        env.pop("GRAPHTREES_DATA", None)
        done = subprocess.run(
            ["bash", "-c", line], cwd=here, env=env, capture_output=True, text=True, timeout=300
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return shell
