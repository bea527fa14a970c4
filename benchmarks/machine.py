"""Where and with what the figures were measured."""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib import metadata
from pathlib import Path

LIBRARIES = (
    "graphtrees",
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "lightgbm",
    "xgboost",
    "torch",
    "torch_geometric",
)


def describe(threads: int) -> list[str]:
    """Lines of Markdown: date, machine, versions."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return [
        f"- Date: {date.today().isoformat()}",
        f"- Machine: {describe_processor()}, {_memory()}; {threads} threads used; "
        f"load average {load} before the first measurement",
        f"- System: {platform.system()} {platform.release()}, Python {platform.python_version()}",
        f"- Libraries: {', '.join(f'{name} {_version(name)}' for name in LIBRARIES)}",
    ]


def describe_processor() -> str:
    """The model and the number of cores."""
    return f"{_cpu()}, {_cores()} cores"


def _cpu() -> str:
    """The model as the processor names itself, where the system tells."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return "memory unknown"
    return f"{total / 2**30:.0f} GiB"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"
