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

from graphtrees.kernels import answer, closed_edges, diagonal, endpoints, importance, lanes, walks
from kernels.twins import answers, edges, importances

MODULES: dict[ModuleType, ModuleType] = {
    walks: answers,
    lanes: answers,
    diagonal: answers,
    answer: answers,
    endpoints: edges,
    closed_edges: edges,
    importance: importances,
}

# How much of the work has been taken, and room for sums on the way.
NO_MATTER = {
    "route": ("work",),
    "route_whole": ("work",),
    "step_through": ("high", "low"),
    "closed_walks": ("room",),
    "closed_walks_of_edges": ("room",),
}


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
            records = [getattr(argument, "record", argument) for argument in arguments]
            again = [copy_of(record) for record in records]
            got, wanted = kernel(*arguments), twin(*again)
            self.calls[function.__name__] += 1
            assert_same(function.__name__, "what it returns", got, wanted, self.exact)
            names = list(inspect.signature(function).parameters)
            told = [
                what_matters(function.__name__, dict(zip(names, given, strict=True)))
                for given in (records, again)
            ]
            for name, value in told[0].items():
                assert_same(function.__name__, name, value, told[1][name], self.exact)
            return got

        return both


def copy_of(argument: Any) -> Any:
    """An array, or a record of arrays, that can be written to on its own."""
    if isinstance(argument, tuple) and hasattr(argument, "_fields"):
        return type(argument)(*map(copy_of, argument))
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def what_matters(kernel: str, after: dict[str, Any]) -> dict[str, Any]:
    """All that a kernel left in its arguments, less what is not settled."""
    for name in NO_MATTER.get(kernel, ()):
        del after[name]
    if kernel == "list_filled":  # the last one is room for writing too far
        after |= {"columns": after["columns"][:-1], "filled": after["filled"][:-1]}
    if kernel == "trace":
        out = after["out"]
        listed = [np.sort(out.used[a:b]) for a, b in pairwise(out.used_ptr)]
        after["out"] = out._replace(used=np.concatenate(listed))
    return after


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
