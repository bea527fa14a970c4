"""Time prediction on one core: many graphs at once, and one graph alone."""

from __future__ import annotations

from functools import partial
from itertools import islice
from statistics import median
from typing import Any

import data
from clock import once, repeat, summary
from processes import forget_peak

from ours.fit import estimator

ALONE = 300  # graphs asked about one at a time


def predict(data_set: str, limit: int | None, budget: float, **settings: Any) -> dict[str, Any]:
    """Seconds for all graphs with one thread, and the median for a graph alone."""
    task = data.load(data_set, limit)
    forget_peak()
    model = estimator(**settings).fit(task.X, task.y).set_params(n_jobs=1)
    graphs = list(islice(task.X, ALONE))
    model.predict(task.X)
    model.predict(graphs[:1])
    together = repeat(lambda: model.predict(task.X), budget)
    alone = [once(partial(model.predict, [graph])) for graph in graphs]
    return summary(together) | {
        "seconds_alone": median(alone),
        "n_alone": len(alone),
        "n_examples": len(task.y),
        "is_generated": task.is_generated,
    }
