"""Write what the blocks of pages print now below them, for when a change was meant.

    python tests/docs/rewrite.py README.md docs/data.md

Look at the difference before you commit it.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs.pages import FENCE, Story, stories
from docs.running import run_python, run_session


def outputs(story: Story, folder: Path) -> dict[int, str]:
    """The new text of every block that shows output, by the line where its code starts."""
    names: dict = {"__name__": "__main__"}
    shown = {}
    for block in story.blocks:
        if block.language == "console":
            shown[block.line] = _session(run_session(block, folder))
        else:
            shown[block.line] = run_python(block, names)
    return shown


def _session(steps: list[tuple[str, str, str]]) -> str:
    return "".join(
        "$ " + command.rstrip("\n").replace("\n", "\n> ") + "\n" + came
        for command, _, came in steps
    )


def rewrite(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    new: dict[int, str] = {}
    for story in stories(page):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            new |= outputs(story, Path(folder))
    printed = ""

    def replace(fence: re.Match[str]) -> str:
        nonlocal printed
        language, line = fence[1], text.count("\n", 0, fence.start(2)) + 1
        if language == "text" and printed:
            shown, printed = printed, ""
            return f"```text\n{shown}```"
        printed = new[line] if language == "python" else ""
        return f"```console\n{new[line]}```" if language == "console" else fence[0]

    page.write_text(FENCE.sub(replace, text), encoding="utf-8")


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]]:
        rewrite(path)
