"""Data set names as people write them."""

from __future__ import annotations

from collections.abc import Iterable


def pick(name: object, known: Iterable[str], kind: str) -> str:
    """The known name that `name` means, whatever its case and hyphens."""
    names = list(known)
    if isinstance(name, str):
        for candidate in names:
            if _plain(candidate) == _plain(name):
                return candidate
    raise ValueError(f"{kind} data sets are {', '.join(names)}; got {name!r}")


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")
