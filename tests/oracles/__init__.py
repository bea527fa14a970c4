"""TREE-G by enumeration: slow, plain, and written from its definition alone."""

from oracles.attribution import attribution
from oracles.check import check_tree
from oracles.criteria import Impurity, Newton, Together, squared_error
from oracles.dense import DenseGraph, Example, dense
from oracles.importance import edge_importance, vertex_importance
from oracles.lines import dense_lines
from oracles.questions import (
    Question,
    TooCloseError,
    made_subsets,
    masked_walks,
    value,
    vertex_values,
)
from oracles.replay import (
    average,
    by_column,
    decision,
    follow,
    leaf_values,
    leaves,
    trees_of,
)
from oracles.search import Limits, Offer, best_split, every_split
from oracles.tree import grow

__all__ = [
    "DenseGraph",
    "Example",
    "Impurity",
    "Limits",
    "Newton",
    "Offer",
    "Question",
    "Together",
    "TooCloseError",
    "attribution",
    "average",
    "best_split",
    "by_column",
    "check_tree",
    "decision",
    "dense",
    "dense_lines",
    "edge_importance",
    "every_split",
    "follow",
    "grow",
    "leaf_values",
    "leaves",
    "made_subsets",
    "masked_walks",
    "squared_error",
    "trees_of",
    "value",
    "vertex_importance",
    "vertex_values",
]
