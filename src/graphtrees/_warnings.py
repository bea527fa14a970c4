"""Warnings that point at the user's line, however deep in the library they are given."""

from __future__ import annotations

import sys
import warnings


def warn_user(text: str) -> None:
    """A UserWarning at the innermost frame that is not the library's own."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == "graphtrees" or module.startswith("graphtrees.")
