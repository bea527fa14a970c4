"""One word for all checks of a model file."""

from __future__ import annotations

from typing import Any


def want(holds: Any, otherwise: str) -> None:
    """Raise ValueError unless it holds."""
    if not holds:
        raise ValueError(otherwise)


def want_members(stored: Any, names: set[str], what: str) -> None:
    """Exactly these members."""
    want(isinstance(stored, dict), f"{what} is no object")
    want(set(stored) == names, f"{what} must hold {', '.join(sorted(names))} and nothing else")
