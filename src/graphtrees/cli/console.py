"""What the user sees: results on stdout, everything else on stderr, colours on a terminal."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import Any, TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


class Console:
    """Prints as much as `--verbose` and `--quiet` ask for."""

    def __init__(self) -> None:
        self.quiet, self.verbose, self.json = False, 0, False

    def set(self, quiet: bool, verbose: int, json: bool) -> None:
        self.quiet, self.verbose, self.json = quiet, verbose, json

    def say(self, text: str = "") -> None:
        """A line of the result, for people."""
        if not (self.quiet or self.json):
            print(text, flush=True)  # training goes on for long after some of these

    def result(self, content: dict[str, Any] | list) -> None:
        """The result for machines, where that was asked for."""
        if self.json:
            print(json.dumps(without_nan(content), indent=1, ensure_ascii=False, default=str))

    def note(self, text: str) -> None:
        """Something beside the result."""
        if not self.quiet:
            print(self.styled(text, "dim", sys.stderr), file=sys.stderr, flush=True)

    def complain(self, text: str, word: str = "error") -> None:
        """Something that went wrong: always said."""
        print(f"graphtrees: {self.styled(word, 'red', sys.stderr)}: {text}", file=sys.stderr)

    def bold(self, text: str) -> str:
        return self.styled(text, "bold", sys.stdout)

    def styled(self, text: str, style: str, stream: TextIO) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if has_colours(stream) else text


def has_colours(stream: TextIO) -> bool:
    """Whether this is a terminal whose user has not asked for plain text."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not plain


def without_nan(value: Any) -> Any:
    """The same with null for NaN and the infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {str(key): without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
