"""Mistakes that a user can mend, and how they are told: one sentence, no traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

INTERRUPTED = 130  # the exit code after Ctrl-C


class UserError(ValueError):
    """Something in what the user gave; the text says where, what was wanted and what came."""


# What the library raises for bad input, and the system for files and disks.
PROBLEMS = (ValueError, TypeError, OSError, ImportError, MemoryError)


def sentence(problem: BaseException) -> str:
    """The problem on one line."""
    if isinstance(problem, OSError) and problem.strerror:
        name = problem.filename
        return f"{name}: {problem.strerror}" if name is not None else problem.strerror
    if isinstance(problem, MemoryError) and not str(problem):
        return "there is not enough memory for this"
    text = " ".join(str(problem).split())
    return text or type(problem).__name__


def did_you_mean(word: str, known: Iterable[str], quote: str = "'") -> str:
    """Text "; did you mean 'x'?" where one of the known words is close, else nothing."""
    by_lower = {one.lower(): one for one in known}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {quote}{by_lower[close[0]]}{quote}?" if close else ""
