"""What boosting cannot do where several workers train together, each with some of the examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphtrees._communicator import Part
from graphtrees.estimators.scoring import wants_examples

if TYPE_CHECKING:
    from graphtrees.estimators.boosted import BoostedTrees

WHERE = "is not possible where several workers train together"


def refuse_alone_only(model: BoostedTrees, X: Any) -> None:
    """Raise ValueError for parameters that need all examples in one place."""
    if not isinstance(X, Part):
        return
    if model.init is not None:
        shown = repr(model.init) if isinstance(model.init, str) else type(model.init).__name__
        raise ValueError(f"init={shown} {WHERE}; leave it at None, or fit on one machine")
    for name in wants_examples(model.scoring):
        raise ValueError(
            f"scoring: the function {name}(estimator, X, y) {WHERE}, since none has all of X; give "
            "a metric(y_true, y_pred), or the name of a scorer of scikit-learn"
        )
