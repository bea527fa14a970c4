"""Watch kernels at work: whatever calls one also calls its twin, and both must say the same."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from graphtrees.kernels import (
    answer,
    closed_edges,
    columns,
    diagonal,
    even_bins,
    importance,
    lanes,
    middle,
    reference,
    reference_columns,
    reference_even_bins,
    reference_importance,
    reference_middle,
    reference_search,
    search,
    walks,
)

MODULES: dict[ModuleType, ModuleType] = {
    walks: reference,
    lanes: reference,
    diagonal: reference,
    answer: reference,
    columns: reference_columns,
    middle: reference_middle,
    closed_edges: reference_middle,
    search: reference_search,
    even_bins: reference_even_bins,
    importance: reference_importance,
}

# Rows of entries that are appended to: (where they start, where they stop, names, values).
ENTRIES = {
    "vertex_entries": (None, "row_stop", "columns", "values"),
    "sparse_values": (None, "row_end", "columns", "values"),
    "sparse_own": (None, "row_end", "columns", "values"),
    "walk_apart_sparse": ("out_start", "out_stop", "out_lane", "out_value"),
    "list_out": ("out_start", "out_stop", "out_lane", "out_value"),
}
SUMS = {"step_in": [("hi", "lo")], "list_in": [("out_hi", "out_lo")]}
SEARCHES = ("best_cuts",)
BINNINGS = ("choose_bins", "bin_densely")
# How much of the work has been taken.
NO_MATTER = {"route": ("work",), "route_whole": ("work",)}


def plain(kernel: Callable) -> Callable:
    """The Python function behind a kernel, compiled or not."""
    return getattr(kernel, "py_func", kernel)


def kernels_of(module: ModuleType) -> Iterator[str]:
    """The names of the kernels that a module offers to others."""
    for name, value in vars(module).items():
        function = plain(value)
        own = inspect.isfunction(function) and function.__module__ == module.__name__
        if own and not name.startswith("_"):
            yield name


def every_kernel() -> list[tuple[ModuleType, str]]:
    return [(module, name) for module in MODULES for name in kernels_of(module)]


def callers_of(module: ModuleType) -> list[tuple[ModuleType, str]]:
    """(module, its name for the kernels) of all parts of the package that call them."""
    parts = [part for name, part in sys.modules.items() if name.startswith("graphtrees.")]
    return [
        (part, name)
        for part in parts
        if part.__name__ != "graphtrees.kernels"
        for name, value in vars(part).items()
        if value is module
    ]


class Watch:
    """Counts the calls of every kernel, and compares each with its twin.

    `exact` asks for the same bits; without it float32 may be rounded the other way.
    """

    def __init__(self, monkeypatch) -> None:
        self.exact = True
        self.calls: Counter[str] = Counter()
        # Kernels call each other by the names of their own file: those must stay as they are.
        for module, twins in MODULES.items():
            watched = {
                name: self._watched(getattr(module, name), getattr(twins, name))
                for name in kernels_of(module)
            }
            stand_in = SimpleNamespace(**(vars(module) | watched))
            for caller, name in callers_of(module):
                monkeypatch.setattr(caller, name, stand_in)

    def _watched(self, kernel: Callable, twin: Callable) -> Callable:
        function = plain(kernel)

        @functools.wraps(function)
        def both(*arguments):
            before, again = copied(arguments), copied(arguments)
            got, wanted = kernel(*arguments), twin(*again)
            self.calls[function.__name__] += 1
            assert_same(function.__name__, "what it returns", got, wanted, self.exact)
            names = list(inspect.signature(function).parameters)
            told = [
                what_matters(function.__name__, dict(zip(names, b, strict=True)), before)
                for b in (arguments, again)
            ]
            for name, value in told[0].items():
                assert_same(function.__name__, name, value, told[1][name], self.exact)
            return got

        return both


def copied(arguments: tuple) -> list:
    return [copy_of(argument) for argument in arguments]


def copy_of(argument: Any) -> Any:
    """An array, or a record of arrays, that can be written to on its own."""
    if isinstance(argument, tuple) and hasattr(argument, "_fields"):
        return type(argument)(*map(copy_of, argument))
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def what_matters(kernel: str, after: dict[str, Any], before: list) -> dict[str, Any]:
    """All that a kernel left in its arguments, less what is not settled."""
    first = dict(zip(after, before, strict=True))
    for name in NO_MATTER.get(kernel, ()):
        del after[name]
    for hi, lo in SUMS.get(kernel, ()):  # a sum may be cut in two in more ways than one
        with np.errstate(all="ignore"):  # rows that nobody asked for hold anything
            after["sums"] = after.pop(hi) + after.pop(lo)
    if kernel in ENTRIES:
        start, stop, key, value = ENTRIES[kernel]
        starts = first[stop] if start is None else after[start]
        rows = zip(starts, after[stop], strict=True)
        listed = [sorted_row(after[key][a:b], after[value][a:b]) for a, b in rows]
        del after[key], after[value]
        after["names of entries"] = np.concatenate([np.empty(0, int), *(k for k, _ in listed)])
        after["entries"] = np.concatenate([np.empty(0, np.float32), *(v for _, v in listed)])
    if kernel in SEARCHES:
        after["cuts"] = after["cuts"][after["gains"] > -np.inf]
    if kernel in BINNINGS:
        for name in {"even", "bins"} & set(after):
            after[name] = after[name][after["n_bins"] > 0]
    if kernel == "list_filled":  # the last one is room for writing too far
        after |= {"columns": after["columns"][:-1], "filled": after["filled"][:-1]}
    if kernel == "trace":
        out = after["out"]
        listed = [np.sort(out.used[a:b]) for a, b in pairwise(out.used_ptr)]
        after["out"] = out._replace(used=np.concatenate(listed))
    return after


def sorted_row(names: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(names)
    return names[order], values[order]


def assert_same(kernel: str, name: str, got: Any, wanted: Any, exact: bool = True) -> None:
    """Integers and, where asked for, float32 to the bit; float64 as sums in another order are."""
    said = f"{kernel}: {name}"
    if isinstance(got, tuple) and hasattr(got, "_fields"):
        for field, ours, theirs in zip(got._fields, got, wanted, strict=True):
            assert_same(kernel, f"{name}.{field}", ours, theirs, exact)
        return
    kind = getattr(got, "dtype", None)
    if kind == np.float64:
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12, err_msg=said)
    elif kind == np.float32 and not exact:
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-30, err_msg=said)
    else:
        np.testing.assert_array_equal(got, wanted, err_msg=said)
