"""Which parts of questions earn a model its gain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphtrees._layout import AGGREGATORS, SIGNS, WALK_TYPES
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.graphs.validation.arguments import as_word
from graphtrees.questions.text import QuestionText
from graphtrees.validation.models import fitted_trees

KINDS = ("gain", "split", "splits")  # the last two are the same


def importance(model: Any, kind: str = "gain", by: str = "feature") -> dict[str, float]:
    """Share of each feature, walk length or other part of a question in what the trees gained.

    Parameters
    ----------
    model : fitted estimator
    kind : {"gain", "split"}, default="gain"
        Sum the gains of splits, or count the splits.
    by : {"feature", "category", "walk_length", "walk_type", "aggregator", "operator", "subset", \
"question"}, default="feature"
        The part of the question. Counting vertices and walks is a feature of its own, and counting
        along an edge type one for each: "number of neighbours along cites". "category" tells the
        labels of a categorical feature apart, "subset" whether the whole graph, S+ or S- was
        asked, "question" puts all parts in words.

    Returns
    -------
    dict of str to float
        The largest share first; they sum to 1. Empty where no tree has a split.

    Examples
    --------
    >>> import graphtrees as gt
    >>> from graphtrees.explain import importance
    >>> data = gt.datasets.make_walk_counts("cycle", n_graphs=60, random_state=0)
    >>> model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(data.X, data.y)
    >>> list(importance(model, by="walk_type"))
    ['cycle']
    """
    return shares(fitted_trees(model), kind, by)


def shares(fitted: FittedTrees, kind: str = "gain", by: str = "feature") -> dict[str, float]:
    """Share of each part of a question; see `importance`."""
    as_word(kind, "kind", KINDS)
    as_word(by, "by", tuple(_PARTS))
    sums: dict[str, float] = {}
    for number, tree in enumerate(fitted.trees):
        words = fitted.question_text(number)
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            name = _PARTS[by](words.asked(node), int(tree.sign[node]))
            sums[name] = sums.get(name, 0.0) + (float(tree.gain[node]) if kind == "gain" else 1.0)
    total = sum(sums.values())
    parts = {name: value / total if total > 0 else 0.0 for name, value in sums.items()}
    return dict(sorted(parts.items(), key=lambda item: (-item[1], item[0])))


def _subset(asked: QuestionText, sign: int) -> str:
    return f"S{SIGNS[sign]} of an ancestor" if sign else "whole graph"


# What a split counts towards, by the part of its question that is asked for.
_PARTS: dict[str, Callable[[QuestionText, int], str]] = {
    "feature": lambda asked, sign: asked.credited,
    "category": lambda asked, sign: asked.what if asked.category is not None else asked.credited,
    "walk_length": lambda asked, sign: str(asked.walk_length),
    "walk_type": lambda asked, sign: WALK_TYPES[asked.walk_type],
    "aggregator": lambda asked, sign: (
        AGGREGATORS[asked.aggregator] if asked.aggregator >= 0 else "none"
    ),
    "operator": lambda asked, sign: asked.operator if asked.walk_length else "none (no step)",
    "subset": _subset,
    "question": lambda asked, sign: asked.phrase("a subset" if sign else None),
}
