"""What to say to those who make an array of graphs, as functions for tables do."""

from __future__ import annotations

from typing import Any

# What to call in place of functions of scikit-learn that make an array of X.
INSTEAD = (
    "Functions of scikit-learn that make an array of X work on tables alone. For graphs, use "
    "graphtrees.permutation_importance(model, X, y) in place of its namesake, model.explain(X[0]) "
    "in place of partial_dependence, and MultiOutputClassifier in place of ClassifierChain."
)


def no_numbers(what: str) -> TypeError:
    """The error for those who want numbers of a graph, or of examples in graphs."""
    return TypeError(
        f"{what} cannot be made numbers. {INSTEAD} The features of vertices are graph.features; "
        "trees need no scaling of them."
    )


class Shape(tuple):
    """The shape of examples that have one dimension, and words for those who expect two."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if key == 1:
            raise IndexError(f"X holds graphs, vertices or edges, and has no columns. {INSTEAD}")
        return super().__getitem__(key)

    def __reduce__(self) -> tuple[Any, ...]:
        return Shape, (tuple(self),)
