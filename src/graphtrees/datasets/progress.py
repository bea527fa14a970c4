"""One line on stderr while a download runs, for those who wait."""

from __future__ import annotations

import sys
import time

QUIET = 2.0  # seconds after which a line appears unasked
EVERY = 0.2  # seconds between two drawings of the line
WIDTH = 30  # characters of the bar


class Progress:
    """Draws a bar on a terminal; elsewhere only says that the download began and ended."""

    def __init__(self, name: str, verbose: bool = False) -> None:
        self.name = name
        self.stream = sys.stderr
        self.terminal = self.stream.isatty()
        self.start = time.monotonic()
        self.due = self.start if verbose else self.start + QUIET
        self.shown = False

    def show(self, received: int, expected: int | None) -> None:
        """Say how far it is, unless it is too early or was said just now."""
        now = time.monotonic()
        if now < self.due:
            return
        if self.terminal:
            self._write("\r" + self._line(received, expected))
        elif not self.shown:
            self._write(f"graphtrees: fetching {self.name} ({_of(expected)})\n")
        self.due = now + EVERY
        self.shown = True

    def end(self, received: int) -> None:
        """Close the line, if one was begun."""
        if not self.shown:
            return
        took = time.monotonic() - self.start
        line = f"graphtrees: fetched {self.name}: {_megabytes(received)} in {took:.1f} s"
        self._write(("\r" + line.ljust(80) if self.terminal else line) + "\n")

    def _line(self, received: int, expected: int | None) -> str:
        text = f"{self.name} {_megabytes(received)}"
        if not expected:
            return text
        filled = min(WIDTH, WIDTH * received // expected)
        return f"{text} of {_megabytes(expected)} [{'=' * filled}{' ' * (WIDTH - filled)}]"

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


def _of(expected: int | None) -> str:
    return _megabytes(expected) if expected else "size unknown"


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB"
