"""Errors for code that makes an array of graphs, as scikit-learn's functions for tables do."""

from __future__ import annotations

from typing import Any

ARRAY_ADVICE = (
    "Functions of scikit-learn that make an array of X work on tables alone. For graphs, use "
    "graphtrees.permutation_importance(model, X, y) in place of its namesake, model.explain(X[0]) "
    "in place of partial_dependence, and MultiOutputClassifier in place of ClassifierChain."
)


def no_numbers(what: str) -> TypeError:
    """The error for a graph, or examples in graphs, that are converted to numbers."""
    return TypeError(
        f"{what} cannot be made numbers. {ARRAY_ADVICE} The features of vertices are "
        "graph.features; trees need no scaling of them."
    )


class Shape(tuple):
    """The one-dimensional shape of examples; asking for a second dimension is explained."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if key == 1:
            raise IndexError(
                f"X holds graphs, vertices or edges, and has no columns. {ARRAY_ADVICE}"
            )
        return super().__getitem__(key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shape, (tuple(self),)
