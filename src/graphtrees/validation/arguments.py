"""Arguments of public functions that are counts."""

from __future__ import annotations

from numbers import Integral
from typing import Any


def as_count(value: Any, name: str, least: int = 1) -> int:
    """A whole number that is large enough, or ValueError."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}; got {value!r}")
    return int(value)


def as_depth(value: Any) -> int | None:
    """`max_depth` of a tree that is shown; None is no limit."""
    if value is not None and (not isinstance(value, Integral) or value < 0):
        raise ValueError(f"max_depth must be None or an integer of at least 0; got {value!r}")
    return None if value is None else int(value)
