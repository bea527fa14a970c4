"""What the page says of the model as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphtrees
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.global_importance import shares
from graphtrees.plot.report.metrics import digits
from graphtrees.questions.text import counted
from graphtrees.validation.models import (
    changed_parameters,
    fitted_trees,
    members_of,
    shown_member,
)

MOST_BARS = 12
MOST_ROUNDS = 1000  # points of a learning curve
MOST_LETTERS = 120  # of the value of a parameter

# What one example is called, by the kind of X.
NOUNS = {
    "graphs": ("graph", "graphs"),
    "vertices": ("vertex", "vertices"),
    "edges": ("edge", "edges"),
    "rows": ("row", "rows"),
}

# Parts of a question, and how the page names them.
_PARTS = {
    "feature": "feature",
    "category": "category",
    "question": "question",
    "walk_length": "walk length",
    "walk_type": "walk type",
    "aggregator": "aggregator",
    "operator": "operator",
    "subset": "subset",
}


def facts(model: Any, n: int) -> dict[str, Any]:
    """The model in a few words, and the settings that are not the usual ones."""
    name, weight, member = shown_member(model)
    shown = fitted_trees(member)
    changed = {name: _brief(value) for name, value in sorted(changed_parameters(model).items())}
    one, many = NOUNS[shown.kind]
    n_trees, n_models = len(shown.trees), len(members_of(model))
    start = "" if shown.start is None else f" that start from {shown.start.text}"
    trees = f"{counted(n_trees, 'tree')}{start}"
    if hasattr(model, "members_"):
        models = counted(n_models, "model")
        trees = f"{models}; importance, pictures and trees are of {name!r} ({weight:.0%}, {trees})"
    return {
        "model": type(model).__name__,
        "version": graphtrees.__version__,
        "noun": one,
        "of": n,
        "trees": n_trees,
        "boosted": shown.is_boosted,
        "line": f"{counted(n, one, many)} · {trees}",
        "settings": changed,
    }


def importances(fitted: FittedTrees) -> list[dict[str, Any]]:
    """For each part of a question its largest shares of the gain."""
    listed = []
    for part, name in _PARTS.items():
        parts = shares(fitted, by=part) if _can_differ(fitted, part) else {}
        if not parts:
            continue
        bars = [[label, digits(share)] for label, share in list(parts.items())[:MOST_BARS]]
        n_left, rest = len(parts) - MOST_BARS, sum(list(parts.values())[MOST_BARS:])
        others = [n_left, digits(rest)] if n_left > 0 else None
        listed.append({"by": name, "bars": bars, "rest": others})
    return listed


def _can_differ(fitted: FittedTrees, part: str) -> bool:
    """Whether shares by this part of a question can differ at all."""
    if part == "category":
        return bool(fitted.features.categories)
    if part == "aggregator":
        return fitted.kind == "graphs"
    if part == "operator":
        return len(fitted.questions.operators) > 1
    return fitted.kind != "rows" or part in ("feature", "question")


def curves(model: Any) -> list[dict[str, Any]]:
    """The learning curves, by metric; empty where nothing was watched."""
    results = getattr(model, "evals_result_", None) or {}
    names = list(dict.fromkeys(name for scores in results.values() for name in scores))
    listed = []
    for name in names:
        sets = {where: scores[name] for where, scores in results.items() if name in scores}
        longest = max(len(scores) for scores in sets.values())
        if longest == 0:
            continue
        rounds = _spread(longest, MOST_ROUNDS)
        lines = [
            [where, [[int(k) + 1, digits(scores[k], 5)] for k in rounds if k < len(scores)]]
            for where, scores in sets.items()
        ]
        best = int(model.best_iteration_) + 1 if len(results) > 1 else None
        listed.append({"metric": name, "lines": lines, "best": best})
    return listed


def _spread(n: int, most: int) -> np.ndarray:
    """At most so many numbers below n, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
