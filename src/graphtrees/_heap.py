"""The heap of glibc, where arrays come from on Linux; elsewhere nothing happens here."""

from __future__ import annotations

import ctypes
import os
from typing import Any


def glibc() -> Any:
    """The library, or None where another one is in use."""
    library = ctypes.CDLL(None) if os.name == "posix" else None
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


def give_back_freed() -> None:
    """What arrays that are gone have left goes back to the system.

    Threads have heaps of their own, and each keeps what is freed for itself.
    """
    library = glibc()
    if library is not None:
        library.malloc_trim(0)
