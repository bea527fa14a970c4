"""Progress on stderr for work that lasts: silent for the first seconds, and where not wanted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextvars import ContextVar

# Who is told of every step, instead of this process' stderr: (what is counted, how many, a note).
LISTENER: ContextVar[Callable[[str, int, str], None] | None] = ContextVar("LISTENER", default=None)

PATIENCE = 2.0  # seconds before anything is shown
REDRAW = 0.2  # seconds between two updates of a line that is rewritten
LOG = 5.0  # seconds between two lines of a log


class StatusLine:
    """One line on stderr: rewritten in place on a terminal and in a notebook, else a log."""

    def __init__(self, patience: float, log_patience: float, log_interval: float) -> None:
        self.patience, self.log_patience, self.log_interval = patience, log_patience, log_interval
        self.start = time.monotonic()
        self._shown: float | None = None  # the time of the last update
        self._open = False  # whether the cursor stands at the end of a line to rewrite

    @property
    def rewrites(self) -> bool:
        """Whether the line is rewritten in place."""
        return sys.stderr.isatty() or in_notebook()

    def is_due(self, now: float) -> bool:
        """Whether it is time for the next update."""
        if now - self.start <= self.patience:
            return False
        if self._shown is not None:
            return now - self._shown > (REDRAW if self.rewrites else self.log_interval)
        return self.rewrites or now - self.start > self.log_patience

    def show(self, text: str, now: float) -> None:
        """Rewrite the line, or add one to the log."""
        rewrites = self.rewrites
        end = "" if rewrites else "\n"
        print(f"{self._wipe()}{text}", end=end, file=sys.stderr, flush=True)
        self._shown, self._open = now, rewrites

    def end(self, text: str) -> None:
        """Write the last line."""
        print(f"{self._wipe()}{text}", file=sys.stderr, flush=True)
        self._open = False

    def _wipe(self) -> str:
        """Control codes that erase the line that is there; notebooks know only the return."""
        if not self._open:
            return ""
        return "\r\x1b[2K" if sys.stderr.isatty() else "\r"


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
        self._line = StatusLine(PATIENCE, LOG, LOG)
        self._listener = LISTENER.get()

    def step(self, note: str = "") -> None:
        """One more is done; `note` is shown beside the count."""
        self.done += 1
        self.note = note
        if self._listener is not None:
            self._listener(self.what, self.total, note)
            return
        now, line = time.monotonic(), self._line
        if self.every:
            if self.done % self.every == 0 or self.done == self.total:
                line.end(self._text(now))
        elif self.on and line.is_due(now) and not (line.rewrites and self.done == self.total):
            line.show(self._text(now), now)

    def close(self) -> None:
        """End the line."""
        now = time.monotonic()
        if self._listener is not None:
            return
        if self.on and not self.every and now - self._line.start > PATIENCE:
            self._line.end(self._text(now))

    def _text(self, now: float) -> str:
        spent = now - self._line.start
        left = spent / max(1, self.done - self.before) * (self.total - self.done)
        parts = [f"{self.what} {self.done}/{self.total}", self.note, f"{spent:.0f} s"]
        if self.done < self.total:
            parts.append(f"about {left:.0f} s left")
        return " · ".join(part for part in parts if part)


def in_notebook() -> bool:
    """Whether this runs in a Jupyter notebook, whose output rewrites a line after a return."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
