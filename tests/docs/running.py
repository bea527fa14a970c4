"""Run the blocks of a page: Python among the names of the blocks before, commands in a shell."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from docs.pages import Block, commands


def run_python(block: Block, names: dict) -> str:
    """What a block prints."""
    printed = io.StringIO()
    # Empty lines above make the line numbers of an error those of the page.
    program = compile("\n" * (block.line - 1) + block.code, "the page", "exec")
    with contextlib.redirect_stdout(printed):
        exec(program, names)
    return printed.getvalue()


def run_session(block: Block, folder: Path) -> list[tuple[str, str, str]]:
    """Each command with the output wanted and the output that came."""
    return [(command, wanted, run_command(command, folder)) for command, wanted in commands(block)]


def run_command(command: str, folder: Path) -> str:
    """What a command prints, in a shell that finds `graphtrees`, with the folder's name hidden."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise AssertionError(f"{command} ended with {ran.returncode}: {ran.stderr}")
    return ran.stdout.replace(str(folder), "/home/you")
