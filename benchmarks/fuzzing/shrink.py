"""The smallest case that still fails in the same way, found greedily."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from typing import Any

from fuzzing.entry_points import ENTRY_POINTS
from fuzzing.files import _shown, data_of

Case = dict[str, Any]


def shrink(case: Case, still_fails: Callable[[Case], bool], seconds: float) -> Case:
    """Try smaller cases, the smallest first, until none fails or time is up."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(case):
            if time.monotonic() > end:
                return case
            if still_fails(smaller):
                case, progress = smaller, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    if case["kind"] == "law":
        for task in _smaller_tasks(case["task"]):
            yield case | {"task": task}
    elif case["kind"] == "call":
        good = ENTRY_POINTS[case["function"]].good
        for name, value in case["arguments"].items():
            if value != good[name]:
                yield case | {"arguments": case["arguments"] | {name: good[name]}}
    else:
        yield from _smaller_files(case)


def _smaller_tasks(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for graphs in _with_less(task["graphs"]):
        if graphs:
            yield task | {"graphs": graphs}
    for name in task["parameters"]:
        kept = {k: v for k, v in task["parameters"].items() if k != name}
        if name != "n_estimators":
            yield task | {"parameters": kept}
    for flag in ("categories", "sparse", "directed"):
        if task.get(flag):
            yield task | {flag: False}
    if task.get("weight"):
        yield task | {"weight": None}
    for y in _with_less(task["y"]):
        if y:
            yield task | {"y": y}
    for k, graph in enumerate(task["graphs"]):
        for smaller in _smaller_graphs(graph):
            graphs = copy.copy(task["graphs"])
            graphs[k] = smaller
            yield task | {"graphs": graphs}


def _smaller_graphs(graph: dict[str, Any]) -> Iterator[dict[str, Any]]:
    per_edge = [name for name in ("edges", "weights", "types") if name in graph]
    places = list(range(len(graph["edges"])))
    for kept in _with_less(places):
        yield graph | {name: [graph[name][k] for k in kept] for name in per_edge}
    last = graph["n"] - 1
    if last >= 0 and all(last not in edge for edge in graph["edges"]):
        yield graph | {"n": last, "x": graph["x"][:last]}
    for row, values in enumerate(graph["x"]):
        for column, value in enumerate(values):
            if value != 0.0:
                x = copy.deepcopy(graph["x"])
                x[row][column] = 0.0
                yield graph | {"x": x}


def _smaller_files(case: Case) -> Iterator[Case]:
    files, words = case["files"], case["words"]
    for name, shown in files.items():
        for data in _with_less(data_of(shown)):
            yield case | {"files": files | {name: _shown(data)}}
    for k in range(2, len(words)):
        yield case | {"words": words[:k] + words[k + 1 :]}


def _with_less(items: Any) -> Iterator[Any]:
    """Without the second half, the first half, quarters, ..., single ones."""
    size = len(items) // 2
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2
    if len(items) == 1:
        yield items[:0]
