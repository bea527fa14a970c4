"""A limit to memory: what it may be, what the machine has, and the error where it is too little."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees._storage import is_possible, keep_in_files, storage_scope, temporary_folder
from graphtrees.estimators.memory import LEAST
from graphtrees.estimators.scanned import is_scanned
from graphtrees.graphs.collection import Graphs

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
         "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip

_OR_ELSE = (
    "Or set memory_limit: a fit that needs more than that keeps large arrays in files, which is "
    "slower."
)

# How many copies of what is given are made on the way to the engine, at most.
COPIES = 8

# How many times the limit may lie in files. What is in memory at any time grows with the rest.
MOST_IN_FILES = 20

# What to do about each part of an estimate.
ADVICE = {
    "features": "give fewer features, or fewer labels of categorical ones",
    "edges": "use fewer operators",
    "walks": "lower max_walk_length, use fewer operators",
    "questions": "lower max_walk_length, use fewer aggregators, walk_types or operators",
    "subsets": "lower max_ancestor_distance, max_walk_length or n_jobs, use fewer walk_types",
    "examples": "set max_bins, lower n_jobs",
    "colours": "lower colours",
}


def parse_memory(value: Any) -> int | None:
    """A number of bytes: None as it is, numbers as they are, text such as '2GB' or '512 MiB'."""
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        amount: Any = value
        if 0 < amount < np.inf:
            return int(amount)
    elif isinstance(value, str):
        match = re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z]*)\s*", value)
        if match and match[2].lower() in UNITS:
            n_bytes = int(float(match[1]) * UNITS[match[2].lower()])
            if n_bytes > 0:
                return n_bytes
    raise ValueError(f"no amount of memory: {value!r}")


def is_memory(value: Any) -> bool:
    try:
        parse_memory(value)
    except ValueError:
        return False
    return True


@contextmanager
def reading(X: Any, memory_limit: Any) -> Iterator[None]:
    """Copies of large data lie in files where memory is limited; to read it takes a few of them."""
    with storage_scope():
        if is_memory(memory_limit) and is_possible():
            limit = parse_memory(memory_limit)
            if limit is not None and (is_scanned(X) or COPIES * _n_bytes(X) > limit):
                keep_in_files(temporary_folder())
        yield


def _n_bytes(X: Any) -> int:
    """How large examples are that are in memory."""
    graphs = X if isinstance(X, Graphs) else getattr(X, "graphs", None)
    if isinstance(graphs, Graphs):
        features: Any = graphs.flat.features
        return int(features.data.nbytes + graphs.flat.edges.nbytes)
    return int(getattr(X, "nbytes", 0))


def make_room(parts: dict[str, int], limit: int | None) -> None:
    """Keep large arrays in files where the parts need more than the limit.

    Raise MemoryError where that would not do, and without a limit if they need more than is
    available.
    """
    needed = sum(parts.values())
    most = available_memory() if limit is None else limit
    if most is None or needed <= most:
        return
    if limit is not None and is_possible() and needed <= MOST_IN_FILES * (limit - LEAST):
        folder = temporary_folder()
        _check_disk(needed, limit, folder)
        keep_in_files(folder)
        return
    largest = max(ADVICE, key=lambda name: parts.get(name, 0))
    bound = "memory_limit is" if limit is not None else "available are"
    after = "" if limit is not None else f" {_OR_ELSE}"
    raise MemoryError(
        f"fit would need about {bytes_text(needed)} of memory, {bytes_text(parts[largest])} of it "
        f"for {largest}; {bound} {bytes_text(most)}. To need less, {ADVICE[largest]}, or fit on "
        f"fewer examples.{after}"
    )


def _check_disk(needed: int, limit: int, folder: str) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise MemoryError(
            f"fit would need about {bytes_text(needed)} of memory; memory_limit is "
            f"{bytes_text(limit)}, and {folder}, where the rest would go, has {bytes_text(free)} "
            "free. Set TMPDIR to a folder with more room, or fit on fewer examples."
        )


def bytes_text(n_bytes: int) -> str:
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes / 1000:.3g} kB"


# ---- the machine ---------------------------------------------------------------------------------


def available_memory() -> int | None:
    """Bytes that can still be had, of the machine and of the container; None: unknown."""
    known = [_of_machine(), _of_container()]
    return min((n for n in known if n is not None), default=None)


def _of_machine() -> int | None:
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _of_container() -> int | None:
    """Control groups of Linux; files kept in memory can be given up."""
    for base, most, used in (
        ("/sys/fs/cgroup", "memory.max", "memory.current"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        limit, current = _text(f"{base}/{most}").strip(), _text(f"{base}/{used}").strip()
        if limit.isdigit() and current.isdigit() and int(limit) < 2**60:
            files = re.search(
                r"^(?:total_)?inactive_file (\d+)", _text(f"{base}/memory.stat"), re.M
            )
            return max(0, int(limit) - int(current) + (int(files[1]) if files else 0))
    return None


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
