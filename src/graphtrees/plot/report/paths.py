"""The ways of one example down its weightiest trees, as the page reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.explain import Explanation, Path, Step
from graphtrees.plot.report.drawing import Shown
from graphtrees.plot.report.metrics import digits
from graphtrees.questions.text import compared, number


def paths(explanation: Explanation, n_trees: int) -> list[Path]:
    """The weightiest trees first; those that do not speak for what is explained are left out."""
    speaking = [tree for tree in explanation.trees() if explanation.contributions[tree] != 0]
    chosen = speaking[:n_trees] or explanation.trees(1)
    return [explanation.path(tree) for tree in chosen]


def describe(path: Path, shown: Shown | None, of_edges: bool) -> dict[str, Any]:
    return {
        "tree": path.tree,
        "adds": digits(path.contribution),
        "leaf": path.leaf,
        "said": path.sentence.removeprefix(f"leaf {path.leaf}: "),
        "steps": [_describe(step, shown, of_edges) for step in path.steps],
    }


def _describe(step: Step, shown: Shown | None, of_edges: bool) -> dict[str, Any]:
    """`c` has a letter for each drawn vertex (edge): 1 in S+, 2 in S-, 0 outside of S.

    `k` counts S, S+ and S- over the whole graph, `z` is what stands at the drawn vertices and `t`
    the threshold it met (`q`: that of a sum, shared out); `w` marks the edges that walks took: ""
    none, "*" all.
    """
    missing, threshold = step.value != step.value, step.threshold - step.offset
    described = {
        "n": step.node,
        "d": step.direction,
        "s": step.sentence.removeprefix(f"node {step.node}: "),
        "v": ["missing", "", number(threshold, step.offset)]
        if missing
        else compared(step.value - step.offset, threshold, step.offset).split(" "),
    }
    if shown is None:
        return described
    drawn = shown.edges if of_edges else shown.vertices
    codes = np.zeros(len(step.vertex_values), np.uint8)
    codes[step.plus], codes[step.minus] = 1, 2
    return described | {
        "k": [len(step.used), len(step.plus), len(step.minus)],
        "c": "".join(map(str, codes[drawn].tolist())),
        "z": [_digits(value, step.offset) for value in step.vertex_values[drawn].tolist()],
        "t": _digits(step.vertex_threshold, step.offset),
        "q": int(step.vertex_threshold != step.threshold),
        "w": _marks(shown.edges, step.edges),
    }


def _digits(value: float, offset: float) -> float | int | None:
    """With an offset, as many decimals as the value has without it."""
    if not offset or not np.isfinite(value):
        return digits(value)
    return float(number(value - offset, offset))


def _marks(drawn: np.ndarray, used: np.ndarray) -> str:
    taken = np.isin(drawn, used)
    if not taken.any():
        return ""
    return "*" if taken.all() else "".join(map(str, taken.astype(int).tolist()))
