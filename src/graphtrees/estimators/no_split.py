"""A fit after which no tree has a split: say so, and why."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from graphtrees._warnings import warn_user
from graphtrees.ensembles.examples import Examples
from graphtrees.validation.models import fitted_trees

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator

TEXT = "no tree has a split"


def warn_of_no_split(
    model: GraphTreesEstimator, examples: Examples, y: np.ndarray, weight: np.ndarray
) -> None:
    """Warn if a fitted model learned nothing from examples; `y` is what its trees were grown on.

    Silent where a single class has its own warning, where training was stopped before the first
    tree, and where `ccp_alpha` may have pruned all splits, as its users try on purpose.
    """
    fitted = fitted_trees(model)
    trees, start = fitted.trees, fitted.start
    one_class = len(getattr(model, "classes_", (0, 1))) < 2
    if one_class or model.ccp_alpha > 0 or len(trees) == 0:
        return
    if any(tree.n_nodes > 1 for tree in trees):
        return
    outcome = "the model predicts the same for every example"
    if start is not None:
        named = f" (init={model.init!r})" if isinstance(model.init, str) else " (init)"
        outcome = f"the model predicts what it starts from{named} alone"
    warn_user(f"{TEXT}: {outcome}. {_reason(model, examples, y[weight > 0], start is not None)}")


@contextmanager
def without_these_warnings() -> Iterator[None]:
    """For fits of which the user never sees the model."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=TEXT)
        yield


def _reason(model: GraphTreesEstimator, examples: Examples, y: np.ndarray, starts: bool) -> str:
    least, share = int(model.min_samples_leaf), float(getattr(model, "subsample", 1.0))
    n = int(len(y) * share)
    if n < 2 * least:
        drawn = f" in each round (subsample={share:g})" if share < 1 else ""
        return (
            f"min_samples_leaf={least} with {n} training examples{drawn} is the reason: a split "
            f"needs at least {2 * least}. Lower min_samples_leaf, or give more examples"
        )
    if (y == y[:1]).all():
        return "y is the same for every example"
    if model.min_gain > 0:
        return f"min_gain={model.min_gain:g} may be too large: try min_gain=0"
    if model._fitted.kind == "rows" and _has_constant_features(examples):
        return "Every feature is the same for all examples"
    if starts:
        return "No question improves on it"
    return (
        f"No question separates examples with different y, with at least {least} on each side: "
        "look for features that hardly vary, for one with graphtrees.inspect(X, y)"
    )


def _has_constant_features(examples: Examples) -> bool:
    features: Any = examples.flat.features
    values = features.toarray() if sp.issparse(features) else features
    parts = examples.communicator.all_gather((_are_equal(values), values[:1]))
    return all(part[0] for part in parts) and _are_equal(np.concatenate([one[1] for one in parts]))


def _are_equal(rows: np.ndarray) -> bool:
    return bool(((rows == rows[:1]) | (np.isnan(rows) & np.isnan(rows[:1]))).all())
