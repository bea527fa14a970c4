"""Time training, and compare what two searches reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import data
import generated
from clock import repeat, summary
from processes import THREADS, forget_peak, peak_bytes
from sklearn.metrics import log_loss

from graphtrees import GraphBoostingClassifier

WARM_UP_TREES = 3


def fit(data_set: str, limit: int | None, budget: float, **settings: Any) -> dict[str, Any]:
    """Seconds to train on a data set by name, and the peak of memory while training."""
    return _time(lambda: data.load(data_set, limit), budget, settings)


def fit_generated(shape: dict[str, Any], budget: float, **settings: Any) -> dict[str, Any]:
    """The same on generated data of any shape."""
    return _time(lambda: data.make(generated.Shape(**shape)), budget, settings)


def compile_kernels(data_set: str) -> dict[str, Any]:
    """Train on a few examples, so that later processes find every kernel in the cache."""
    task = data.load(data_set, limit=100)
    estimator(n_estimators=WARM_UP_TREES).fit(task.X, task.y).predict(task.X)
    return {}


def losses(data_set: str, limit: int | None, **settings: Any) -> dict[str, Any]:
    """Training loss of the search by histograms and of the one over every value."""
    task = data.load(data_set, limit)
    reached = {}
    for name, max_bins in (("histogram", 255), ("exact", None)):
        model = estimator(max_bins=max_bins, **settings).fit(task.X, task.y)
        reached[name] = float(log_loss(task.y, model.predict_proba(task.X)))
    return reached | {"is_generated": task.is_generated}


def estimator(**settings: Any) -> GraphBoostingClassifier:
    """A classifier that differs from the defaults only as asked."""
    return GraphBoostingClassifier(**{"n_jobs": THREADS, "random_state": 0} | settings)


def _time(load: Callable[[], data.Task], budget: float, settings: dict[str, Any]) -> dict[str, Any]:
    libraries = peak_bytes()
    task = load()
    loading = peak_bytes()
    forget_peak()
    estimator(**settings | {"n_estimators": WARM_UP_TREES}).fit(task.X, task.y)
    peaks: list[int] = []

    def train() -> None:
        estimator(**settings).fit(task.X, task.y)
        peaks.append(peak_bytes())

    return summary(repeat(train, budget)) | {
        "peak_bytes": peaks[0],
        "libraries_bytes": libraries,
        "loading_bytes": loading,
        "input_bytes": task.n_bytes,
        "n_examples": len(task.y),
        "is_generated": task.is_generated,
    }
