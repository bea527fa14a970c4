"""Fitted trees as a table, one row a node."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import AGGREGATORS, NO_AGGREGATOR, SIGNS, WALK_TYPES
from graphtrees._optional import require
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.questions.features import FeatureTable
from graphtrees.trees.tree import Tree

# Columns that hold text, or None.
_TEXTS = ("feature", "category", "operator", "sign", "walk_type", "aggregator", "missing_goes")


def trees_to_dataframe(fitted: FittedTrees) -> Any:
    pandas = require("pandas", extra="pandas", purpose="trees_to_dataframe")
    rows = [
        row
        for number, (tree, output) in enumerate(zip(fitted.trees, fitted.outputs, strict=True))
        for row in node_rows(tree, fitted.features, fitted.questions.operators, number, output)
    ]
    table = pandas.DataFrame(rows)
    for name in _TEXTS:
        table[name] = table[name].astype(object).where(table[name].notna(), None)
    return table


def node_rows(
    tree: Tree, features: FeatureTable, operators: tuple[str, ...], number: int, output: int
) -> list[dict[str, Any]]:
    """One dict per node; what a leaf does not have is None (numbers: -1 or NaN)."""
    columns = features.columns
    rows = []
    for node in range(tree.n_nodes):
        split = bool(tree.left[node] >= 0)
        feature, place = columns[tree.column[node]] if split else (-1, -1)
        offset = features.offsets.get(feature, 0.0)
        value, aggregator = tree.value[node], int(tree.aggregator[node])
        if features.is_of_graphs(feature):
            aggregator = NO_AGGREGATOR
        rows.append(
            {
                "tree": number,
                "output": output,
                "node": node,
                "depth": int(tree.depth[node]),
                "feature": features.name(feature) if split else None,
                "feature_index": feature,
                "category": features.category(feature, place) if split else None,
                "walk_length": int(tree.walk_length[node]) if split else -1,
                "operator": operators[tree.operator[node]] if split else None,
                "pointer": int(tree.pointer[node]),
                "sign": SIGNS[int(tree.sign[node])],
                "walk_type": WALK_TYPES[tree.walk_type[node]] if split else None,
                "aggregator": AGGREGATORS[aggregator] if aggregator >= 0 else None,
                "threshold": float(tree.threshold[node]) + offset if split else np.nan,
                "missing_goes": ("left" if tree.missing_left[node] else "right") if split else None,
                "left": int(tree.left[node]),
                "right": int(tree.right[node]),
                "gain": float(tree.gain[node]) if split else np.nan,
                "n_samples": int(tree.n_samples[node]),
                "value": float(value[0]) if len(value) == 1 else value.tolist(),
            }
        )
    return rows
