"""A fit that succeeds as a whole, or leaves the estimator as it was."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from graphtrees.estimators.fit_arguments import refuse_foreign_arguments
from graphtrees.estimators.memory_limit import reading
from graphtrees.estimators.scanned import read_task

Fit = TypeVar("Fit", bound=Callable[..., Any])

# What a fit leaves behind, beside the public attributes with a trailing underscore.
FITTED = (
    "_fitted", "_kind", "_all_labels", "_usual_weight", "_labels", "_residuals", "_n_values",
    "_drawn", "_parameters",
)  # fmt: skip


def all_or_nothing(fit: Fit) -> Fit:
    """Train a copy; the estimator takes over what it learned in one step, at the end.

    A fit that is refused or aborted changes nothing.
    """

    signature = inspect.signature(fit)
    known = list(signature.parameters)

    @functools.wraps(fit)
    def fit_copy(self: Any, *args: Any, **given: Any) -> Any:
        refuse_foreign_arguments(type(self), given, known)
        if len(args) < 2 and "y" not in given:
            raise TypeError(f"{type(self).__name__}.fit(X, y) needs y, a label for each example")
        draft = _unfitted(self)
        asked = signature.bind(draft, *args, **given).arguments
        with reading(asked["X"], getattr(self, "memory_limit", None)):
            task = read_task(asked["X"], asked["y"], asked.get("sample_weight"))
            fit(**asked | dict(zip(("X", "y", "sample_weight"), task, strict=True)))
        parameters = self._get_param_names()
        learned = {name: v for name, v in vars(draft).items() if name not in parameters}
        self.__dict__ = {name: vars(self)[name] for name in parameters} | learned
        return self

    return fit_copy  # type: ignore[return-value]


def _unfitted(estimator: Any) -> Any:
    """A copy without what an earlier fit left; a warm start goes on from that."""
    draft = copy.copy(estimator)
    warm = getattr(estimator, "warm_start", False)
    if not (isinstance(warm, (bool, np.bool_)) and warm):
        for name in list(vars(draft)):
            public = name.endswith("_") and not name.startswith("_")
            if public or name in FITTED:
                delattr(draft, name)
    return draft
