"""Whether an exception is one that a user should see."""

from __future__ import annotations

import linecache
import pkgutil
import re
from functools import cache
from pathlib import Path
from typing import Any

# What the library promises to raise for bad input, files and disks.
DOCUMENTED = (ValueError, TypeError, OSError, ImportError, IndexError)


def complaint(error: BaseException) -> str | None:
    """What is wrong with an exception; None: it is a proper refusal."""
    from fuzzing.laws import BrokenLawError

    if isinstance(error, BrokenLawError):
        return f"law: {error}"
    name, message = type(error).__name__, str(error)
    if isinstance(error, MemoryError) and "memory_limit" in message:
        return None
    if not isinstance(error, DOCUMENTED):
        return f"{name} at {place(error)}: {message[:200]}"
    if not message.strip():
        return f"{name} without a message at {place(error)}"
    if not _was_raised_by_us(error):
        return f"raw {name} at {place(error)}: {message[:200]}"
    internal = [word for word in _internal_names() if re.search(rf"\b{word}\b", message)]
    return f"{name} names the internal {internal[0]} at {place(error)}" if internal else None


def place(error: BaseException) -> str:
    """The innermost line of the library that the error came through."""
    found = "nowhere"
    frame: Any = error.__traceback__
    while frame is not None:
        path = Path(frame.tb_frame.f_code.co_filename)
        if "graphtrees" in path.parts and "benchmarks" not in path.parts:
            inner = path.parts[len(path.parts) - path.parts[::-1].index("graphtrees") :]
            found = f"{'/'.join(inner)}:{frame.tb_frame.f_code.co_name}"
        frame = frame.tb_next
    return found


def _was_raised_by_us(error: BaseException) -> bool:
    """Whether the innermost frame is a `raise` of ours, or of scikit-learn's checks."""
    frame: Any = error.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    path = Path(frame.tb_frame.f_code.co_filename)
    if "sklearn" in path.parts or isinstance(error, OSError):
        return True
    line = linecache.getline(str(path), frame.tb_lineno).strip()
    return "graphtrees" in path.parts and line.startswith("raise")


@cache
def _internal_names() -> tuple[str, ...]:
    """Classes of the library, in two words or more, that it does not export."""
    import graphtrees as gt

    text = ""
    for path in gt.__path__:
        for module in pkgutil.walk_packages([path], "graphtrees."):
            source = Path(path).parent.joinpath(*module.name.split(".")).with_suffix(".py")
            text += source.read_text() if source.exists() else ""
    names = set(re.findall(r"^class (\w+)", text, re.MULTILINE)) - set(gt.__all__)
    return tuple(sorted(n for n in names if re.search(r"[a-z][A-Z]|^_", n)))
