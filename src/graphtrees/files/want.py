"""One word for all checks of a model file."""

from __future__ import annotations

from typing import Any


def want(holds: Any, otherwise: str) -> None:
    """Raise ValueError unless it holds."""
    if not holds:
        raise ValueError(otherwise)
