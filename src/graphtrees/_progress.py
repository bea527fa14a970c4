"""A progress line for work that lasts: silent for two seconds, and always when asked to be."""

from __future__ import annotations

import sys
import time

PATIENCE = 2.0


class Progress:
    """Counts steps on stderr once they have taken longer than two seconds.

    On a terminal the line is rewritten in place; elsewhere one line is written at the end. With
    `verbose` of 2 and more every step is a line of its own, from the first. `done` steps were made
    before the clock was started.
    """

    def __init__(self, what: str, total: int, verbose: int, done: int = 0) -> None:
        self.what = what
        self.total = total
        self.on = bool(verbose)
        self.each = verbose > 1
        self.before = self.done = done
        self.note = ""
        self._start = self._shown = time.monotonic()
        self._visible = False

    def step(self, note: str = "") -> None:
        """One more is done; `note` is shown beside the count."""
        self.done += 1
        self.note = note
        now = time.monotonic()
        if self.each:
            print(self._line(now), file=sys.stderr, flush=True)
        elif self.on and now - self._start > PATIENCE and now - self._shown > 0.2:
            self._shown = now
            if sys.stderr.isatty():
                self._visible = True
                print(f"\r\x1b[2K{self._line(now)}", end="", file=sys.stderr, flush=True)

    def _line(self, now: float) -> str:
        spent = now - self._start
        left = spent / max(1, self.done - self.before) * (self.total - self.done)
        parts = [f"{self.what} {self.done}/{self.total}", self.note, f"{spent:.0f} s"]
        if self.done < self.total:
            parts.append(f"about {left:.0f} s left")
        return " · ".join(part for part in parts if part)

    def close(self) -> None:
        """End the line."""
        now = time.monotonic()
        if self.on and not self.each and now - self._start > PATIENCE:
            start = "\r\x1b[2K" if self._visible else ""
            print(f"{start}{self._line(now)}", file=sys.stderr, flush=True)
