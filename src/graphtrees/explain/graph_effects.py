"""What the features of whole graphs add to a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._layout import VALUE
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.reading import Explained
from graphtrees.explain.target import Target
from graphtrees.graphs.flat import dense
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.fitted_labels import fitted_places
from graphtrees.questions.text import signed
from graphtrees.trees.packing import PackedTrees


@dataclass(frozen=True, eq=False)
class GraphEffects:
    """`added[e, k]` is what graph feature k adds to what is explained of example e.

    Attributions share `on_vertices[e]` of it evenly among the vertices that were asked, which all
    have the same value, and count the rest as absence: where the value is 0 or missing.
    """

    names: tuple[str, ...]
    added: np.ndarray
    on_vertices: np.ndarray

    def of(self, example: int) -> dict[str, float]:
        """By the name of the feature."""
        return dict(zip(self.names, self.added[example].tolist(), strict=True))

    def on_absence(self, example: int) -> float:
        return float(self.added[example].sum() - self.on_vertices[example])


def graph_effects(
    fitted: FittedTrees, examples: Explained, target: Target, leaves: np.ndarray
) -> GraphEffects:
    """Go up from every leaf, and sum the steps whose question is about a graph feature."""
    table, added = fitted.features, fitted.added
    names, first = table.graph_feature_names, table.n_vertex_features
    effects = GraphEffects(names, np.zeros((examples.n, len(names))), np.zeros(examples.n))
    if not names:
        return effects
    ptr, parent = fitted.packed.ptr, _parents(fitted.packed)
    column = np.concatenate([tree.column for tree in fitted.trees])
    feature_of, present = table.feature_of(), _Present(table, examples)
    at = np.where(leaves >= 0, ptr[:-1] + leaves, -1)
    while (at >= 0).any():
        example, tree = np.nonzero((at >= 0) & (parent[at] >= 0))
        child = at[example, tree]
        asked = column[parent[child]]
        of_graph = table.is_of_graphs(feature_of[asked])
        example, child, asked = example[of_graph], child[of_graph], asked[of_graph]
        output = target.output[example]
        step = added.adds[child, output] - added.adds[parent[child], output]
        step = target.sign[example] * added.share * step
        np.add.at(effects.added, (example, feature_of[asked] - first), step)
        np.add.at(effects.on_vertices, example, np.where(present.at(example, asked), step, 0.0))
        at = np.where(at >= 0, parent[at], -1)
    return effects


def _parents(packed: PackedTrees) -> np.ndarray:
    """The parent of every node of the packed trees; -1 at a root."""
    parent = np.full(packed.ptr[-1], -1, np.int64)
    for start, tree in zip(packed.ptr, packed.trees, strict=False):
        splits = np.flatnonzero(~tree.is_leaf)
        parent[start + tree.left[splits]] = start + splits
        parent[start + tree.right[splits]] = start + splits
    return parent


class _Present:
    """Whether the graph of an example has a value other than 0 in a column."""

    def __init__(self, table: FeatureTable, examples: Explained) -> None:
        self.columns, self.table, self.flat = table.columns, table, examples.flat
        self.graph_of = examples.graph_of
        starts = self.flat.vertex_ptr[:-1]
        self.filled = np.diff(self.flat.vertex_ptr) > 0
        self.first = np.minimum(starts, max(0, self.flat.n_vertices - 1))
        self._known: dict[int, np.ndarray] = {}

    def at(self, example: np.ndarray, column: np.ndarray) -> np.ndarray:
        present = np.zeros(len(example), bool)
        for one in np.unique(column).tolist():
            here = column == one
            present[here] = self._by_graph(one)[self.graph_of[example[here]]]
        return present

    def _by_graph(self, column: int) -> np.ndarray:
        if column not in self._known:
            self._known[column] = self._read(*self.columns[column])
        return self._known[column]

    def _read(self, feature: int, place: int) -> np.ndarray:
        if not self.flat.n_vertices:
            return self.filled
        features: Any = self.flat.features
        values = dense(features[self.first][:, [feature]])[:, 0]
        labels = self.table.categories.get(feature)
        if labels is not None:
            known = self.flat.categories.get(feature)
            return self.filled & (fitted_places(values, known, labels) == place)
        return self.filled & (values.astype(VALUE) != 0) & ~np.isnan(values)


def effects_line(added: dict[str, float], most: int) -> str:
    """What graph features add, in words, the largest first; "" where they add nothing."""
    listed = sorted(((n, v) for n, v in added.items() if v), key=lambda one: -abs(one[1]))
    if len(listed) > most + 1:
        listed[most:] = [(f"{len(listed) - most} others", sum(v for _, v in listed[most:]))]
    texts = [f"{name} {signed(v)}" for name, v in listed]
    return f"of the whole graph: {', '.join(texts)}" if texts else ""


def less(total: Any, part: Any) -> np.ndarray:
    """The difference, 0 where it is but rounding."""
    left = total - part
    is_rounding = np.abs(left) <= 1e-9 * np.maximum(np.abs(total), np.abs(part))
    return np.where(is_rounding, 0.0, left)


def shares_of(values: np.ndarray) -> np.ndarray:
    """Shares that sum to 1; equal ones where nothing is added."""
    sizes = np.abs(values)
    total = float(sizes.sum())
    return sizes / total if total > 0 else np.full(len(sizes), 1.0 / max(1, len(sizes)))
