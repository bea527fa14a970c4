"""Fitted models as users give them: an estimator, or an ensemble of estimators."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.utils.validation import check_is_fitted

from graphtrees._threads import Workers, count_threads
from graphtrees.ensembles.fitted import FittedTrees


def fitted_trees(model: Any) -> FittedTrees:
    """The trees of a fitted estimator: where public functions unwrap what they are given."""
    check_is_fitted(model)
    fitted = getattr(model, "_fitted", None)
    if not isinstance(fitted, FittedTrees):
        inner = [name for name in ("best_estimator_", "estimator_") if hasattr(model, name)]
        advice = f"; give its {inner[0]}" if inner else ""
        raise TypeError(
            "model must be a fitted tree, forest or boosting estimator of graphtrees; got "
            f"{type(model).__name__}{advice}"
        )
    return fitted


def workers_of(model: Any) -> Workers:
    """The threads that an estimator may use."""
    return Workers(count_threads(getattr(model, "n_jobs", None)))


def changed_parameters(model: Any) -> dict[str, Any]:
    """The parameters that are not at their defaults."""
    usual = inspect.signature(type(model).__init__).parameters
    given = model.get_params(deep=False)
    return {name: v for name, v in given.items() if not _is_same(v, usual[name].default)}


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, (list, tuple)) and isinstance(other, (list, tuple)):
        value, other = list(value), list(other)
    try:
        return bool(value is other or value == other)
    except Exception:  # arrays and tables compare entry by entry, or refuse in their own way
        return False


def members_of(model: Any) -> list[tuple[str, float, Any]]:
    """Names, weights and models of an ensemble; a model alone is its only member."""
    return list(getattr(model, "members_", [("", 1.0, model)]))


def trees_of_members(model: Any) -> list[FittedTrees]:
    """The trees of each model of an ensemble; those of a model alone."""
    return [fitted_trees(member) for _, _, member in members_of(model)]


def shown_member(model: Any) -> tuple[str, float, Any]:
    """Name, weight and estimator of the heaviest member whose trees can be shown.

    All members of an ensemble are trained on the same examples.
    """
    check_is_fitted(model)
    members = members_of(model)
    with_trees = [one for one in members if hasattr(one[2], "_fitted")]
    if not with_trees:
        names = ", ".join(repr(name) for name, _, _ in members)
        raise TypeError(
            f"no member of this {type(model).__name__} has trees to show (its members: {names}); "
            "leave 'labels' out of recipes"
        )
    return max(with_trees, key=lambda one: one[1])
