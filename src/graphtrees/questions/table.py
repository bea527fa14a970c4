"""Every question that any node may ask, in the form that kernels read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from graphtrees._layout import SOURCE
from graphtrees.kernels.growing_records import Questions
from graphtrees.questions.plan import Plan, QuestionSpace, plan_columns


@dataclass(frozen=True)
class QuestionTable:
    """Plans for whole graphs and for subsets that hold the questions of every draw of walk types.

    `named[bits, place]` is the walk type under which a question is asked by a node that drew the
    walk types in `bits`; places that such a node may not ask about are not legal.
    """

    whole: Plan
    subset: Plan
    slots: np.ndarray
    is_legal: np.ndarray
    is_legal_whole: np.ndarray
    named: np.ndarray

    @classmethod
    def of(
        cls, space: QuestionSpace, has_cycles: Callable[[int, int], bool], has_missing: bool,
        graph_features: bool = False,
    ) -> QuestionTable:  # fmt: skip
        def plan(types: frozenset[int], on_subset: bool, keep_repeats: bool = False) -> Plan:
            missing = has_missing or keep_repeats
            return plan_columns(space, types, on_subset, has_cycles, missing, graph_features)

        every = frozenset(space.walk_types)
        drawn = space.walk_type_probability < 1.0
        whole = plan(every, on_subset=False)
        # A draw without `source` asks for sums over the subset that `source` would repeat.
        subset = plan(every, on_subset=True, keep_repeats=drawn and len(every) > 1)
        n_sets = 1 << 4
        slots = np.full((n_sets, *subset.slots.shape), -1, np.int32)
        is_legal = np.zeros((n_sets, subset.width), np.uint8)
        is_legal_whole = np.zeros((n_sets, whole.width), np.uint8)
        named = np.zeros((n_sets, subset.width), np.int64)
        for types in _subsets(space.walk_types) if drawn else [every]:
            bits = bits_of(types)
            asked = plan(types, on_subset=True)
            at = np.nonzero(asked.slots >= 0)
            places = subset.slots[at]
            slots[bits][at] = places
            is_legal[bits, places] = 1
            named[bits, places] = asked.walk_type[asked.slots[at]]
            is_legal_whole[bits] = np.isin(whole.walk_type, [SOURCE, *types])
        return cls(whole, subset, slots, is_legal, is_legal_whole, named)

    def record(self, is_offered: np.ndarray) -> Questions:
        """For kernels; `is_offered` tells which features a tree may use."""
        whole, subset = self.whole, self.subset
        return Questions(
            self.slots, self.is_legal, self.is_legal_whole, self.named,
            whole.walk_type.astype(np.int64), subset.operator.astype(np.int64),
            subset.walk_length.astype(np.int64), subset.aggregator.astype(np.int64),
            whole.operator.astype(np.int64), whole.walk_length.astype(np.int64),
            whole.aggregator.astype(np.int64), is_offered.astype(np.uint8),
        )  # fmt: skip


def bits_of(types: frozenset[int]) -> int:
    """Walk types as one bit each."""
    return sum(1 << t for t in types)


def _subsets(types: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(c) for n in range(len(types) + 1) for c in combinations(types, n)]
