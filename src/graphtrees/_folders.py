"""Where the library keeps files of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The user's cache for this library, by the custom of the platform."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named and Path(named).is_absolute():
        base = Path(named)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "graphtrees"
