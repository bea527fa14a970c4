"""Libraries that only some of us need: imported where used, with a plain word if absent."""

from __future__ import annotations

import importlib
import warnings
from typing import Any


def require(module: str, *, extra: str, purpose: str) -> Any:
    """Import a library, or say what needs it and how to get it.

    Examples
    --------
    >>> from graphtrees._optional import require
    >>> require("graph_of_the_future", extra="future", purpose="from_future")
    Traceback (most recent call last):
        ...
    ImportError: from_future needs graph_of_the_future: pip install 'graphtrees[future]'
    """
    try:
        with warnings.catch_warnings():
            # What a library uses of another is between the two of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A library that is there but lacks something of its own says so itself.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ImportError(
            f"{purpose} needs {module.partition('.')[0]}: pip install 'graphtrees[{extra}]'"
        ) from None
