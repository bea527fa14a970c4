"""What the page says of the model as a whole."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import graphtrees
from graphtrees.estimators.members import members_of, shown_member
from graphtrees.explain.global_importance import importance
from graphtrees.plot.report.metrics import digits

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
    name, weight, shown = shown_member(model)
    usual = inspect.signature(type(model).__init__).parameters
    changed = {
        name: _brief(value)
        for name, value in sorted(model.get_params(deep=False).items())
        if not _same(value, usual[name].default)
    }
    one, many = NOUNS[shown._kind]
    n_trees = len(shown._trees)
    start = "" if shown._start is None else f" that start from {shown._start.text}"
    trees = f"{n_trees:,} tree{'s' * (n_trees != 1)}{start}"
    if shown is not model:
        n_models = len(members_of(model))
        models = f"{n_models} models" if n_models > 1 else "1 model"
        trees = f"{models}; importance, pictures and trees are of {name!r} ({weight:.0%}, {trees})"
    return {
        "model": type(model).__name__,
        "version": graphtrees.__version__,
        "noun": one,
        "of": n,
        "trees": n_trees,
        "boosted": hasattr(shown, "init_"),
        "line": f"{n:,} {one if n == 1 else many} · {trees}",
        "settings": changed,
    }


def importances(model: Any) -> list[dict[str, Any]]:
    """For each part of a question its largest shares of the gain."""
    found = []
    for part, name in _PARTS.items():
        shares = importance(model, by=part) if _tells(model, part) else {}
        if not shares:
            continue
        bars = [[label, digits(share)] for label, share in list(shares.items())[:MOST_BARS]]
        n_left, rest = len(shares) - MOST_BARS, sum(list(shares.values())[MOST_BARS:])
        others = [n_left, digits(rest)] if n_left > 0 else None
        found.append({"by": name, "bars": bars, "rest": others})
    return found


def _tells(model: Any, part: str) -> bool:
    """Whether shares by this part of a question can differ at all."""
    if part == "category":
        return bool(model._table.categories)
    if part == "aggregator":
        return model._kind == "graphs"
    if part == "operator":
        return len(model._space.operators) > 1
    return model._kind != "rows" or part in ("feature", "question")


def curves(model: Any) -> list[dict[str, Any]]:
    """The learning curves, by metric; empty where nothing was watched."""
    results = getattr(model, "evals_result_", None) or {}
    names = list(dict.fromkeys(name for scores in results.values() for name in scores))
    found = []
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
        found.append({"metric": name, "lines": lines, "best": best})
    return found


def _spread(n: int, most: int) -> np.ndarray:
    """At most so many numbers below n, the first and the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))


def _same(value: Any, other: Any) -> bool:
    try:
        return bool(value is other or value == other)
    except (ValueError, TypeError):  # arrays compare entry by entry
        return False


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
