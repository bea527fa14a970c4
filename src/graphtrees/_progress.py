"""A progress line for work that lasts: silent for two seconds, and always when asked to be."""

from __future__ import annotations

import sys
import time

PATIENCE = 2.0  # seconds before anything is shown
REDRAW = 0.2  # seconds between two looks of a line that is rewritten
LOG = 5.0  # seconds between two lines of a log


class Progress:
    """Counts steps on stderr once they have taken longer than two seconds.

    On a terminal and in a notebook the line is rewritten in place; in a log there is a line every
    few seconds. With `verbose` of 2 every step is a line of its own, from the first; with more,
    every so many steps: 10 shows each tenth. `done` steps were made before the clock was started.
    """

    def __init__(self, what: str, total: int, verbose: int, done: int = 0) -> None:
        self.what = what
        self.total = total
        self.on = bool(verbose)
        self.every = 0 if verbose <= 1 else 1 if verbose == 2 else int(verbose)
        self.before = self.done = done
        self.note = ""
        self._start = self._shown = time.monotonic()
        self._open = False  # whether a line waits to be rewritten or ended

    def step(self, note: str = "") -> None:
        """One more is done; `note` is shown beside the count."""
        self.done += 1
        self.note = note
        now = time.monotonic()
        if self.every:
            if self.done % self.every == 0 or self.done == self.total:
                print(self._line(now), file=sys.stderr, flush=True)
        elif self.on and now - self._start > PATIENCE:
            self._show(now)

    def close(self) -> None:
        """End the line."""
        now = time.monotonic()
        if self.on and not self.every and now - self._start > PATIENCE:
            print(f"{self._begin()}{self._line(now)}", file=sys.stderr, flush=True)

    def _show(self, now: float) -> None:
        rewrites = sys.stderr.isatty() or in_notebook()
        if now - self._shown <= (REDRAW if rewrites else LOG):
            return
        self._shown = now
        if not rewrites:
            print(self._line(now), file=sys.stderr, flush=True)
        elif self.done < self.total:
            print(f"{self._begin()}{self._line(now)}", end="", file=sys.stderr, flush=True)
            self._open = True

    def _begin(self) -> str:
        """What wipes the line that is there, if any; notebooks know no control codes."""
        if not self._open:
            return ""
        return "\r\x1b[2K" if sys.stderr.isatty() else "\r"

    def _line(self, now: float) -> str:
        spent = now - self._start
        left = spent / max(1, self.done - self.before) * (self.total - self.done)
        parts = [f"{self.what} {self.done}/{self.total}", self.note, f"{spent:.0f} s"]
        if self.done < self.total:
            parts.append(f"about {left:.0f} s left")
        return " · ".join(part for part in parts if part)


def in_notebook() -> bool:
    """Whether this runs in a Jupyter notebook, whose output rewrites a line after a return."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
