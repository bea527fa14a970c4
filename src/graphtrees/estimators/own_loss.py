"""The `loss` parameter where a user brings a loss along: a function, or an object."""

from __future__ import annotations

from typing import Any

from graphtrees.ensembles.losses import (
    CustomLoss,
    FunctionLoss,
    Loss,
    UnsavedLoss,
    is_custom_loss,
    is_function_loss,
)
from graphtrees.estimators.parameters import Constraint

OWN_LOSS = Constraint(
    "an object with a method gradient(y, raw) or a function f(y, raw) that returns "
    "(gradient, hessian) (not a class: make one of it)",
    lambda v: is_custom_loss(v) or is_function_loss(v),
    ("function", "object"),
)


def own_loss(given: Any, n_outputs: int, n_classes: int | None = None) -> Loss:
    """The loss to train on; `n_classes` is None for numbers."""
    if isinstance(given, UnsavedLoss):
        raise ValueError(UnsavedLoss.ADVICE)
    kind = CustomLoss if is_custom_loss(given) else FunctionLoss
    return kind(given, n_outputs, n_classes)
