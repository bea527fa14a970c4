"""Arguments and callbacks that `fit` has in LightGBM, XGBoost and scikit-learn, and what to do."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from typing import Any

from graphtrees.estimators.other_names import ELSEWHERE, did_you_mean

# Arguments of `fit` there, and what to write here; {} is the name of the estimator.
_NAMES = "Graph(..., feature_names=[...]), or a DataFrame with named columns"
_OF_ROUNDS = {
    "fit(X, y, eval_set=(X_val, y_val))": "eval_set valid_sets eval_X eval_y X_val y_val",
    "fit(X, y, callbacks=[...])": "callbacks callback monitor",
    "fit(X, y, resume_from=path)": "resume_from",
    "{}(early_stopping=True, n_iter_no_change=...)": "early_stopping_rounds",
    "{}(scoring=...)": "eval_metric",
    "fit(X, y, eval_set={{'name': (X_val, y_val)}})": "eval_names",
    "fit(X, y, eval_set=(X_val, y_val, sample_weight))": (
        "eval_sample_weight sample_weight_eval_set sample_weight_val"
    ),
    "{}(warm_start=True), or fit(X, y, resume_from=path)": "init_model xgb_model",
    "{}(init=...)": "init_score base_margin",
}
OF_ROUNDS = {there: here for here, names in _OF_ROUNDS.items() for there in names.split()}
IN_FIT = {
    "feature_name": _NAMES,
    "feature_names": _NAMES,
    "weight": "fit(X, y, sample_weight=...)",
}
# Callbacks there, by the name of their class.
CALLBACKS = {
    "_EarlyStoppingCallback": "{}(early_stopping=True, n_iter_no_change=...)",
    "EarlyStopping": "{}(early_stopping=True, n_iter_no_change=...)",
    "_LogEvaluationCallback": "{}(verbose=2)",
    "EvaluationMonitor": "{}(verbose=2)",
    "_RecordEvaluationCallback": "the attribute evals_result_ after fit",
    "TrainingCheckPoint": "graphtrees.Checkpoint(path)",
}


def refuse_foreign_arguments(kind: type, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for the first argument that `fit` does not have, saying what to write."""
    for name in given:
        if name not in known:
            raise TypeError(
                f"{kind.__name__}.fit() got an unexpected keyword argument {name!r}"
                f"{_argument_advice(kind, name, known)}"
            )


def _argument_advice(kind: type, name: str, known: Collection[str]) -> str:
    if name in OF_ROUNDS and "eval_set" not in known:
        return "; only GraphBoostingClassifier and GraphBoostingRegressor train in rounds"
    parameters = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    text = (OF_ROUNDS | IN_FIT).get(name)
    if text is None:
        here = name if name in parameters else ELSEWHERE.get(name, "")
        if here.partition("=")[0] in parameters:
            text = "{}(" + here.replace("{", "{{").replace("}", "}}")
            text += ")" if "=" in here else "=...)"
    if text is not None:
        return f"; here: {text.format(kind.__name__)}"
    return did_you_mean(name, known)


def refuse_foreign_callbacks(kind: type, callbacks: Any) -> None:
    """Raise TypeError for a callback of LightGBM or XGBoost: it would wait for their arguments.

    And for a class, where an object of it was meant.
    """
    listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
    for place, one in enumerate(listed):
        if isinstance(one, type):
            name = one.__name__
            raise TypeError(f"callbacks[{place}] is the class {name}; give an object: {name}(...)")
        for kind_there in type(one).__mro__:
            library = kind_there.__module__.partition(".")[0]
            if library in ("lightgbm", "xgboost"):
                here = CALLBACKS.get(type(one).__name__)
                advice = f"here: {here.format(kind.__name__)}" if here else "it cannot be used here"
                name = type(one).__name__.strip("_")
                raise TypeError(f"callbacks[{place}] is {name} of {library}; {advice}")
