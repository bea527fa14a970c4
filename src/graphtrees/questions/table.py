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
    walk types in `bits`; those that such a node may not ask about are not legal.
    """

    whole: Plan
    subset: Plan
    places: np.ndarray
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
        places = np.full((n_sets, *subset.places.shape), -1, np.int32)
        is_legal = np.zeros((n_sets, subset.width), np.uint8)
        is_legal_whole = np.zeros((n_sets, whole.width), np.uint8)
        named = np.zeros((n_sets, subset.width), np.int64)
        for types in _subsets(space.walk_types) if drawn else [every]:
            bits = bits_of(types)
            asked = plan(types, on_subset=True)
            at = np.nonzero(asked.places >= 0)
            at_places = subset.places[at]
            places[bits][at] = at_places
            is_legal[bits, at_places] = 1
            named[bits, at_places] = asked.walk_type[asked.places[at]]
            is_legal_whole[bits] = np.isin(whole.walk_type, [SOURCE, *types])
        return cls(whole, subset, places, is_legal, is_legal_whole, named)

    def record(self, is_offered: np.ndarray) -> Questions:
        """For kernels; `is_offered` tells which features a tree may use."""
        whole, subset = self.whole, self.subset
        return Questions(
            self.places, self.is_legal, self.is_legal_whole, self.named,
            whole.walk_type.astype(np.int64), subset.operator.astype(np.int64),
            subset.walk_length.astype(np.int64), subset.aggregator.astype(np.int64),
            subset.walk_type == SOURCE,
            whole.operator.astype(np.int64), whole.walk_length.astype(np.int64),
            whole.aggregator.astype(np.int64), is_offered.astype(np.uint8),
        )  # fmt: skip


def bits_of(types: frozenset[int]) -> int:
    """Walk types as one bit each."""
    return sum(1 << t for t in types)


def _subsets(types: tuple[int, ...]) -> list[frozenset[int]]:
    return [frozenset(c) for n in range(len(types) + 1) for c in combinations(types, n)]
