"""Find the best question for the examples of one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphtrees._layout import GAIN_TOLERANCE, OUTSIDE, SUM
from graphtrees.candidates.blocks import Block
from graphtrees.candidates.question import Question
from graphtrees.kernels import search
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.training_data import TrainingData

# A node keeps its histogram of whole-graph columns, so that one of its children gets its own by
# subtraction, unless it is larger than this.
KEPT_HISTOGRAM_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Split:
    """A question with its threshold, and which of the node's rows answer 'at most'."""

    question: Question
    threshold: float
    missing_left: bool
    gain: float
    goes_left: np.ndarray


@dataclass(frozen=True)
class Subset:
    """The vertices with one code among the subsets that an ancestor made; distance 0 is all."""

    distance: int
    sign: int
    codes: np.ndarray


@dataclass(frozen=True)
class _Found:
    gain: float
    subset: Subset
    block: Block
    slots: np.ndarray
    place: int
    feature: int
    cut: int
    missing_left: bool
    missing_tie: bool


class Splitter:
    """Searches every column of every subset that a node may use."""

    def __init__(
        self, data: TrainingData, statistics: Statistics, criterion: Criterion,
        min_samples_leaf: int, rng: np.random.Generator, max_features: float | int | None = None,
        features: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.data = data
        self.statistics = statistics
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.rng = rng
        self.max_features = max_features
        self.features = np.ones(data.batch.n_columns, bool) if features is None else features

    def total(self, examples: np.ndarray) -> np.ndarray:
        total = np.zeros(self.statistics.table.shape[1], SUM)
        search.sum_stats(examples, self.statistics.table, total)
        return total

    def weight(self, examples: np.ndarray) -> float:
        """Summed weight of some examples, in the units of the weights given."""
        return float(self.statistics.weight[examples].sum() * self.statistics.weight_unit)

    def offer(self) -> frozenset[int]:
        """The walk types of one node: each with the walk type probability."""
        space = self.data.space
        if space.walk_type_probability >= 1.0:
            return frozenset(space.walk_types)
        drawn = self.rng.random(len(space.walk_types)) < space.walk_type_probability
        return frozenset(t for t, yes in zip(space.walk_types, drawn, strict=True) if yes)

    def best_split(
        self, examples: np.ndarray, total: np.ndarray, subsets: list[Subset],
        whole_histogram: np.ndarray | None,
    ) -> tuple[Split | None, np.ndarray | None]:  # fmt: skip
        """The best split of a node (None: nothing to gain) and its whole-graph histogram."""
        offered = self.offer()
        whole = Subset(0, OUTSIDE, np.empty(0, np.uint8))
        plan = self.data.plan(offered, on_subset=True)
        asked = [whole, *(subsets if plan.width else [])]
        histogram = whole_histogram
        for masks in self._draw_columns(offered, asked, plan.width):
            found: list[_Found] = []
            for subset, mask in zip(asked, masks, strict=True):
                if subset.distance == 0:
                    if histogram is None:
                        histogram = self.whole_histogram(examples)
                    block, slots, cells = self.data.whole, examples, histogram
                elif not mask.any():
                    continue
                else:
                    block = self.data.subset_block(examples, plan, subset.codes, subset.sign)
                    slots, cells = np.arange(len(examples)), None
                found = _keep_best(
                    found, self._search(block, slots, examples, total, cells, mask, subset)
                )
            if found:
                return self._settle(found, examples), histogram
        return None, histogram

    def whole_histogram(self, examples: np.ndarray) -> np.ndarray:
        block = self.data.whole
        return self._histogram(block, examples, examples)

    def _draw_columns(
        self, offered: frozenset[int], asked: list[Subset], width: int
    ) -> Iterator[list[np.ndarray]]:
        """Which columns of each subset to try: all, or a draw and, if that fails, the others."""
        whole_plan = self.data.whole.plan
        legal_whole = np.isin(whole_plan.walk_type, [0, *offered])
        masks = [np.repeat(self.features, whole_plan.width) & np.tile(legal_whole, len(self.features))]
        masks += [np.repeat(self.features, width) for _ in asked[1:]]
        if self.max_features is None:
            yield masks
            return
        legal = np.concatenate(masks)
        places = np.flatnonzero(legal)
        n_drawn = _how_many(self.max_features, len(places))
        chosen = np.zeros(len(legal), bool)
        chosen[self.rng.choice(places, size=n_drawn, replace=False)] = True
        ends = np.cumsum([len(m) for m in masks])[:-1]
        yield np.split(chosen, ends)
        if n_drawn < len(places):
            yield np.split(legal & ~chosen, ends)

    def _histogram(self, block: Block, slots: np.ndarray, examples: np.ndarray) -> np.ndarray:
        table = self.statistics.table
        cells = np.zeros((block.bin_ptr[-1], table.shape[1]), SUM)
        workers = self.data.workers
        workers.each(
            lambda start, stop: search.fill_histograms(
                slots, examples, block.alive, block.lane_start, block.n_lanes, block.lane_features,
                block.value_ptr, block.bins, block.plan.width, block.bin_ptr, block.n_bins,
                start, stop, table, cells,
            ),
            self._feature_spans(block, len(slots)),
        )  # fmt: skip
        return cells

    def _feature_spans(self, block: Block, n_rows: int) -> list[tuple[int, int]]:
        """Stretches of features, one a thread, with about equally many cells to fill."""
        workers = self.data.workers
        if workers.n_threads == 1 or n_rows * block.plan.width < 4096:
            return [(0, block.n_features)]
        weight = np.cumsum(np.bincount(block.lane_features, minlength=block.n_features))
        cuts = [
            int(np.searchsorted(weight, weight[-1] * k / workers.n_threads)) + 1
            for k in range(1, workers.n_threads)
        ]
        edges = [0, *np.minimum(cuts, block.n_features).tolist(), block.n_features]
        return list(zip(edges[:-1], edges[1:], strict=True))

    def _search(
        self, block: Block, slots, examples, total, cells, mask, subset: Subset
    ) -> list[_Found]:
        if cells is None:
            cells = self._histogram(block, slots, examples)
        alive = np.zeros_like(total)
        search.sum_alive(slots, examples, block.alive, self.statistics.table, alive)
        n = block.n_columns
        gains = np.full(n, -np.inf)
        cuts = np.zeros(n, np.int64)
        left = np.zeros(n, np.bool_)
        tie = np.zeros(n, np.bool_)
        criterion = self.criterion
        workers = self.data.workers
        workers.each(
            lambda start, stop: search.best_cuts(
                start, stop, mask, block.bin_ptr, block.n_bins, block.zero_bin, cells, total, alive,
                self.statistics.scale, criterion.kind, criterion.l2, self.min_samples_leaf,
                criterion.min_hessian, GAIN_TOLERANCE, gains, cuts, left, tie,
            ),
            workers.spans(n, at_least=256),
        )  # fmt: skip
        best = gains.max(initial=-np.inf)
        if best == -np.inf:
            return []
        near = np.flatnonzero(gains >= best * (1 - GAIN_TOLERANCE))
        width = block.plan.width
        column = min(near.tolist(), key=lambda c: (c % width, c // width))
        found = _Found(
            float(gains[column]), subset, block, slots, column % width, column // width,
            int(cuts[column]), bool(left[column]), bool(tie[column]),
        )  # fmt: skip
        return [found]

    def _settle(self, found: list[_Found], examples: np.ndarray) -> Split:
        """Of equally good splits the simplest; then the smaller threshold, then S+."""
        def simplicity(f: _Found) -> tuple[int, int, int]:
            return f.subset.distance, f.place, f.feature

        least = min(simplicity(f) for f in found)
        splits = [self._finish(f, examples) for f in found if simplicity(f) == least]
        return min(splits, key=lambda s: (s.threshold, s.question.sign))

    def _finish(self, found: _Found, examples: np.ndarray) -> Split:
        """Make the threshold exact and settle where missing values go."""
        plan = found.block.plan
        values, bins = found.block.column(found.feature, found.place)
        values, bins = values[found.slots], bins[found.slots]
        missing = np.isnan(values)
        goes_left = (bins <= found.cut) & ~missing
        highest = values[goes_left].max()
        lowest = values[~goes_left & ~missing].min()
        threshold = (float(highest) + float(lowest)) / 2
        missing_left = found.missing_left
        if found.missing_tie:
            weight = self.statistics.weight[examples]
            missing_left = bool(weight[goes_left].sum() >= weight[~goes_left & ~missing].sum())
        question = Question(
            column=found.feature,
            operator=int(plan.operator[found.place]),
            walk_length=int(plan.walk_length[found.place]),
            distance=found.subset.distance,
            sign=found.subset.sign,
            walk_type=int(plan.walk_type[found.place]),
            aggregator=int(plan.aggregator[found.place]),
        )
        return Split(
            question, threshold, missing_left, found.gain, goes_left | (missing & missing_left)
        )


def _keep_best(one: list[_Found], other: list[_Found]) -> list[_Found]:
    """Those with the largest gain, ties kept; the rest, and their blocks, are let go."""
    both = one + other
    best = max((f.gain for f in both), default=0.0)
    return [f for f in both if f.gain >= best * (1 - GAIN_TOLERANCE)]


def _how_many(max_features: float | int, n: int) -> int:
    if isinstance(max_features, int):
        return min(n, max_features)
    return min(n, max(1, int(np.ceil(max_features * n))))


