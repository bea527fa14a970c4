"""Pages of Markdown as stories: blocks of code in order, each with the output printed below it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: `output` is what the ```text block right below a ```python block shows."""

    language: str
    code: str
    line: int  # of the file, where the code starts
    output: str | None = None


@dataclass(frozen=True)
class Story:
    """The blocks of one section; they run in order, in one folder, as one program."""

    page: str  # the name of its file
    line: int
    blocks: tuple[Block, ...]


def stories(path: Path) -> list[Story]:
    """One for each section (a line that starts with '## ') that has code to run."""
    text = path.read_text(encoding="utf-8")
    starts = [0, *(match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)), len(text)]
    found = []
    for start, stop in pairwise(starts):
        blocks = _blocks(text, start, stop)
        if blocks:
            line = text.count("\n", 0, start) + 1
            found.append(Story(path.name, line, blocks))
    return found


def _blocks(text: str, start: int, stop: int) -> tuple[Block, ...]:
    fences = list(FENCE.finditer(text, start, stop))
    blocks = []
    for fence, below in zip_longest(fences, fences[1:]):
        language, code = fence.groups()
        if language not in ("python", "console"):
            continue
        shown = below is not None and below[1] == "text"
        adjoining = shown and text[fence.end() : below.start()].isspace()
        line = text.count("\n", 0, fence.start(2)) + 1
        blocks.append(Block(language, code, line, below[2] if adjoining else None))
    return tuple(blocks)


def commands(block: Block) -> list[tuple[str, str]]:
    """A console session as (command, output); '> ' goes on with the command above."""
    found: list[list[str]] = []
    for line in block.code.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif line.startswith("> "):
            found[-1][0] += line[2:]
        else:
            found[-1][1] += line
    return [(command, output) for command, output in found]


def links(path: Path) -> list[str]:
    """Targets of the links and pictures that point into the repository, without '#section'."""
    targets = re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", path.read_text(encoding="utf-8")))
    return [target for target in targets if "://" not in target]


def named_files(path: Path) -> list[str]:
    """Words in backquotes that look like a folder of the source, or a file in a folder."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return re.findall(r"`([\w.]+/(?:[\w./]*\.py|[\w./]*/)?)`", text)
