"""Arguments that `predict` has in LightGBM and XGBoost, and the methods that do the same here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

# Arguments there, the method to call here, and how to call it.
IN_PREDICT = {
    "raw_score": ("decision_function", "decision_function(X)"),
    "output_margin": ("decision_function", "decision_function(X)"),
    "pred_leaf": ("apply", "apply(X)"),
    "pred_contrib": ("explain", "explain(X[0]).vertex_attribution"),
    "pred_contribs": ("explain", "explain(X[0]).vertex_attribution"),
    "num_iteration": ("staged_predict", "staged_predict(X), one result for each round"),
    "iteration_range": ("staged_predict", "staged_predict(X), one result for each round"),
    "ntree_limit": ("staged_predict", "staged_predict(X), one result for each round"),
}


def takes_examples_alone(method: Method) -> Method:
    """A method of X and nothing else; other arguments are answered with what to call instead."""

    @functools.wraps(method)
    def answering(self: Any, *args: Any, **given: Any) -> Any:
        for name in given:
            if name != "X":
                raise TypeError(
                    f"{type(self).__name__}.{method.__name__}() got an unexpected keyword "
                    f"argument {name!r}{_advice(self, name)}"
                )
        return method(self, *args, **given)

    return answering  # type: ignore[return-value]


def _advice(model: Any, name: str) -> str:
    needed, call = IN_PREDICT.get(name, ("", ""))
    if not needed or not hasattr(type(model), needed):
        return ""
    early = " (a model stopped early has only the rounds up to the best)"
    return f"; here: {call}{early if needed == 'staged_predict' else ''}"
