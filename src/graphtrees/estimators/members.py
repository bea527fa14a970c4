"""The models that an ensemble is made of."""

from __future__ import annotations

from typing import Any


def members_of(model: Any) -> list[tuple[str, float, Any]]:
    """Names, weights and models of an ensemble; a model alone is its only member."""
    return list(getattr(model, "members_", [("", 1.0, model)]))


def shown_member(model: Any) -> tuple[str, float, Any]:
    """The heaviest member whose trees can be shown."""
    with_trees = [one for one in members_of(model) if hasattr(one[2], "_trees")]
    if not with_trees:
        names = ", ".join(repr(name) for name, _, _ in members_of(model))
        raise TypeError(
            f"no member of this {type(model).__name__} has trees to show (its members: {names}); "
            "leave 'labels' out of recipes"
        )
    return max(with_trees, key=lambda one: one[1])
