"""The trees of a model end to end in flat arrays, as kernels read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphtrees._layout import CYCLE, OFFSET, SUM_OF
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels import records
from graphtrees.trees.tree import Tree

# The columns of the node table that hold a field of the tree as it is.
_FIELDS = {
    records.FEATURE: "column",
    records.OPERATOR: "operator",
    records.LENGTH: "walk_length",
    records.WALK_TYPE: "walk_type",
    records.AGGREGATOR: "aggregator",
    records.SIGN: "sign",
    records.MISSING_LEFT: "missing_left",
    records.LEFT: "left",
    records.RIGHT: "right",
    records.DEPTH: "depth",
}


@dataclass(frozen=True, eq=False)
class PackedTrees:
    """Trees end to end; children and pointers stay numbered within their tree."""

    trees: tuple[Tree, ...]

    @cached_property
    def ptr(self) -> np.ndarray:
        return starts_of(np.array([tree.n_nodes for tree in self.trees], OFFSET))

    @cached_property
    def nodes(self) -> records.NodeArrays:
        table = np.zeros((self.ptr[-1], records.N_FIELDS), np.int32)
        for column, name in _FIELDS.items():
            table[:, column] = self._join(name)
        for start, tree in zip(self.ptr, self.trees, strict=False):
            pointing = np.flatnonzero(tree.sign != 0)
            table[start + tree.pointer[pointing], records.IS_USED] = 1
            own = slice(start, start + tree.n_nodes)
            table[own, records.POINTER_DEPTH] = tree.depth[tree.pointer]
        deepest = int(table[:, records.DEPTH].max())
        return records.NodeArrays(table, self._join("threshold"), self.ptr, deepest, self.longest)

    def _join(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in self.trees])

    @cached_property
    def longest(self) -> int:
        """The length of the longest walk that any question takes."""
        return int(self._join("walk_length").max())

    @cached_property
    def closed_walks(self) -> set[tuple[int, int]]:
        """(operator, length) of every question about closed walks."""
        asked = (self._join("walk_type") == CYCLE) & (self._join("walk_length") > 0)
        operators, lengths = self._join("operator")[asked], self._join("walk_length")[asked]
        return set(zip(operators.tolist(), lengths.tolist(), strict=True))

    @cached_property
    def columns(self) -> list[set[int]]:
        """The feature columns that each tree asks about."""
        return [set(tree.column[~tree.is_leaf].tolist()) for tree in self.trees]

    def every_column(self) -> list[int]:
        return sorted(set().union(*self.columns))

    @cached_property
    def walks(self) -> set[tuple[int, int, bool]]:
        """(operator, length, whether summed over all vertices) of every question."""
        asked = self._join("column") >= 0
        fields = [self._join(name)[asked] for name in ("operator", "walk_length", "aggregator")]
        listed = zip(*(field.tolist() for field in fields), strict=True)
        return {(operator, length, kind == SUM_OF) for operator, length, kind in listed}

    @cached_property
    def values(self) -> np.ndarray:
        """Values of all nodes, one row each; trees of one output and of many do not mix."""
        return np.concatenate([tree.value for tree in self.trees])

    def __getitem__(self, part: slice) -> PackedTrees:
        """Some of the trees; all of them are not packed again."""
        return self if part == slice(0, len(self.trees)) else PackedTrees(self.trees[part])
