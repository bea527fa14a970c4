"""The estimators of this library."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import graphtrees as gt
from benchmarks.accuracy.methods.base import Method, Setting

AUTO_SECONDS, AUTO_THREADS = 300, 2
LARGE: dict[str, Any] = {"max_leaf_nodes": 31}
FOREST: dict[str, Any] = {"n_estimators": 300}


def _estimator(setting: Setting, family: str, **settings: Any) -> Any:
    """GraphBoostingClassifier for ("Boosting", classes), and so on."""
    kind = getattr(gt, f"Graph{family}{'Classifier' if setting.classifies else 'Regressor'}")
    return kind(**settings, random_state=setting.seed, n_jobs=1)


def _of(family: str, cost: float, vertex_cost: float, **settings: Any) -> Method:
    small = settings | {"n_estimators": 2}
    return Method(
        partial(_estimator, family=family, **settings),
        family="ours",
        cost=cost,
        vertex_cost=vertex_cost,
        warm=partial(_estimator, family=family, **small),
        lacks=partial(_unknown_parameters, f"Graph{family}Classifier", tuple(settings)),
    )


def _unknown_parameters(name: str, parameters: tuple[str, ...]) -> str:
    """What this version of the library does not know yet."""
    if not hasattr(gt, name):
        return f"this graphtrees has no {name}"
    known = inspect.signature(getattr(gt, name)).parameters
    absent = [parameter for parameter in parameters if parameter not in known]
    return f"this graphtrees has no {', '.join(absent)}= of {name}" if absent else ""


def _with_labels(setting: Setting, **settings: Any) -> Any:
    model = _estimator(setting, "Boosting", **settings)
    return gt.WithLabels(model, random_state=setting.seed)


def _auto(setting: Setting) -> Any:
    kind = gt.AutoGraphClassifier if setting.classifies else gt.AutoGraphRegressor
    return kind(time_limit=AUTO_SECONDS, random_state=setting.seed, n_jobs=AUTO_THREADS)


OURS = {
    "boosting": _of("Boosting", 2, 20),
    "boosting-31": _of("Boosting", 4, 40, **LARGE),
    "boosting-31-colours2": _of("Boosting", 5, 50, colours=2, **LARGE),
    "boosting-31-colours3": _of("Boosting", 6, 60, colours=3, **LARGE),
    "boosting-linear": _of("Boosting", 4, 25, init="linear"),
    "forest": _of("Forest", 3, 200, **FOREST),
    "forest-colours3": _of("Forest", 4, 200, colours=3, **FOREST),
    "with-labels": Method(
        _with_labels, "ours", ("vertices",), cost=250,
        warm=partial(_estimator, family="Boosting", n_estimators=2),
        lacks=partial(_unknown_parameters, "WithLabels", ()),
    ),
    "auto": Method(
        _auto, "ours", cost=200, warm=partial(_estimator, family="Boosting", n_estimators=2),
        lacks=partial(_unknown_parameters, "AutoGraphClassifier", ()), threads=AUTO_THREADS,
    ),
}  # fmt: skip
