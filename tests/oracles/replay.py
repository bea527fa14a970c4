"""Prediction replayed from the table that `trees_to_dataframe()` gives, one example at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from oracles.dense import Example
from oracles.questions import (
    Question,
    goes_right,
    made_subsets,
    refuse_noise,
    value,
    value_is_exact,
)

COLUMNS = (
    "tree",
    "output",
    "node",
    "depth",
    "feature",
    "feature_index",
    "category",
    "walk_length",
    "operator",
    "pointer",
    "sign",
    "walk_type",
    "aggregator",
    "threshold",
    "missing_goes",
    "left",
    "right",
    "gain",
    "n_samples",
    "value",
)


@dataclass(frozen=True)
class Step:
    """What happened to one example at one split-node."""

    node: int
    question: Question
    subset: np.ndarray  # the S it used
    phi: float
    made: dict[str, np.ndarray]  # the S+ and S- it made
    child: int


@dataclass(frozen=True)
class Path:
    """From the root to a leaf."""

    steps: tuple[Step, ...]
    leaf: int


Nodes = dict[int, dict[str, Any]]


_last: list[tuple[pd.DataFrame, list[Nodes]]] = []  # most tests ask for one table many times


def trees_of(frame: pd.DataFrame) -> list[Nodes]:
    """The trees of the table, in order, each as node number -> row."""
    if not _last or _last[0][0] is not frame:
        trees: dict[int, Nodes] = {}
        for row in frame.to_dict("records"):
            trees.setdefault(int(row["tree"]), {})[int(row["node"])] = row
        _last[:] = [(frame, [trees[number] for number in sorted(trees)])]
    return _last[0][1]


def by_column(frame: pd.DataFrame, columns: Sequence[tuple[int, Any]]) -> pd.DataFrame:
    """The same table with columns of the oracle, each of one label, for the features."""
    number = {column: k for k, column in enumerate(columns)}
    told = [
        -1 if feature == -1 else number[feature, label]
        for feature, label in zip(frame["feature_index"], frame["category"], strict=True)
    ]
    return frame.assign(feature_index=told)


def is_leaf(row: dict[str, Any]) -> bool:
    return int(row["feature_index"]) == -1


def question_of(row: dict[str, Any]) -> Question:
    return Question(
        feature=int(row["feature_index"]),
        operator=_or_none(row["operator"]),
        walk_length=int(row["walk_length"]),
        pointer=int(row["pointer"]),
        sign=_or_none(row["sign"]),
        walk_type=row["walk_type"],
        aggregator=_or_none(row["aggregator"]),
    )


def _or_none(cell: Any) -> str | None:
    return None if pd.isna(cell) else str(cell)


def follow(nodes: Nodes, example: Example) -> Path:
    """Walk one example down one tree, keeping the subsets that each split-node made."""
    steps: list[Step] = []
    made: dict[int, dict[str, np.ndarray]] = {}
    number = 0
    while not is_leaf(nodes[number]):
        row = nodes[number]
        question = question_of(row)
        if question.pointer == number:
            subset = np.ones(example.graph.n_vertices, dtype=bool)
        else:
            subset = made[question.pointer][str(question.sign)]
        phi = value(example, question, subset)
        if not value_is_exact(example, question, phi):
            refuse_noise(np.array([phi]), row["threshold"])
        made[number] = made_subsets(
            example.graph, question, subset, row["threshold"], row["missing_goes"]
        )
        right = goes_right(phi, row["threshold"], row["missing_goes"])
        child = int(row["right"] if right else row["left"])
        steps.append(Step(number, question, subset, phi, made[number], child))
        number = child
    return Path(tuple(steps), number)


def leaves(frame: pd.DataFrame, examples: Sequence[Example]) -> np.ndarray:
    """The leaf of each example in each tree, (n_examples, n_trees)."""
    trees = trees_of(frame)
    found = [[follow(nodes, example).leaf for nodes in trees] for example in examples]
    return np.array(found, dtype=np.int64).reshape(len(examples), len(trees))


def leaf_values(frame: pd.DataFrame, leaf: np.ndarray) -> list[np.ndarray]:
    """What each tree says of each example: one (n_examples, n_values) array per tree."""
    return [
        np.array([np.atleast_1d(nodes[int(number)]["value"]) for number in column], dtype=float)
        for nodes, column in zip(trees_of(frame), leaf.T, strict=True)
    ]


def decision(frame: pd.DataFrame, leaf: np.ndarray, init: Any, learning_rate: float) -> np.ndarray:
    """Boosting: init + learning rate × the sum of leaf values by output."""
    start = np.atleast_1d(np.asarray(init, dtype=float))
    total = np.tile(start, (len(leaf), 1))
    outputs = frame.groupby("tree", sort=True)["output"].first()
    for output, values in zip(outputs, leaf_values(frame, leaf), strict=True):
        if values.shape[1] == 1:
            # A model with one output speaks for the second of two classes.
            total[:, 0 if len(start) == 1 else int(output)] += learning_rate * values[:, 0]
        else:
            total += learning_rate * values
    return total


def average(frame: pd.DataFrame, leaf: np.ndarray) -> np.ndarray:
    """Trees and forests: the mean of the leaf values."""
    return np.mean(leaf_values(frame, leaf), axis=0)
