"""Find the best question for the examples of one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphtrees._layout import GAIN_TOLERANCE, IN_PLUS, OUTSIDE, SUM
from graphtrees.candidates.blocks import Bins, Block, DenseBlock, bin_by_cuts, find_cuts
from graphtrees.candidates.plan import Plan
from graphtrees.candidates.question import Question
from graphtrees.kernels import search
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.training_data import TrainingData

# A node keeps its histogram of whole-graph columns, so that one of its children gets its own by
# subtraction, unless it is larger than this.
KEPT_HISTOGRAM_BYTES = 64 * 2**20

# Columns of subsets that several nodes of a tree ask for are kept up to this size.
KEPT_BLOCK_BYTES = 128 * 2**20

# The cut that even bins found is looked for again among all values of the winning column, for
# nodes of up to this many rows; beyond it the bins are fine enough.
REFINED_ROWS = 20_000


@dataclass(frozen=True)
class Split:
    """A question with its threshold, and which of the node's rows answer 'at most'."""

    question: Question
    threshold: float
    missing_left: bool
    gain: float
    goes_left: np.ndarray


@dataclass(frozen=True)
class Subsets:
    """The two subsets that the ancestor `distance` edges up made for its examples."""

    distance: int
    codes: np.ndarray
    examples: np.ndarray


@dataclass(frozen=True)
class _Found:
    """The best column of one block, before its threshold is settled."""

    gain: float
    question: Question
    simplicity: tuple[int, int, int]
    values: np.ndarray
    cut: int
    missing_left: bool
    missing_tie: bool
    cuts: np.ndarray | None  # values between the bins, or the even bins':
    even: tuple[int, float, float, float] | None  # n_bins, bottom, middle, step


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
        self.features = features
        self._cells = np.empty((0, statistics.table.shape[1]), SUM)
        # Blocks by the ancestor's codes; the codes are held too, so that their ids stay theirs.
        self._kept: dict[int, tuple[Block, np.ndarray]] = {}

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
        self, examples: np.ndarray, total: np.ndarray, subsets: list[Subsets],
        whole_histogram: np.ndarray | None,
    ) -> tuple[Split | None, np.ndarray]:  # fmt: skip
        """The best split of a node (None: nothing to gain) and its whole-graph histogram."""
        offered = self.offer()
        plan = self.data.plan(offered, on_subset=True)
        histogram = self.whole_histogram(examples) if whole_histogram is None else whole_histogram
        asked = subsets if plan.width else []
        for whole_mask, *masks in self._draw_columns(offered, len(asked)):
            found = self._search_whole(examples, total, histogram, whole_mask)
            for subset, mask in zip(asked, masks, strict=True):
                if mask.any():
                    one = self._search_subsets(subset, examples, total, plan, mask)
                    found = _keep_best(found + one)
            if found:
                return self._settle(found, examples, total), histogram
        return None, histogram

    def _block(self, subset: Subsets, examples, plan) -> tuple[Block, np.ndarray]:
        """The columns of a pair of subsets, and the rows of it that hold these examples.

        Where all nodes ask the same columns, they are made once for all that reached the
        ancestor, and used by every descendant that may look so far up.
        """
        kept = self._kept.get(id(subset.codes))
        same = self.data.space.walk_type_probability >= 1 and self.max_features is None
        fits = self.data.block_bytes(subset.examples, plan) <= KEPT_BLOCK_BYTES
        if kept is None and same and fits and subset.distance == 1:
            kept = self.data.block(subset.examples, plan, subset.codes, keep=True), subset.codes
            self._kept[id(subset.codes)] = kept
            while sum(block.n_bytes for block, _ in self._kept.values()) > KEPT_BLOCK_BYTES:
                del self._kept[next(iter(self._kept))]
        if kept is None:
            return self.data.block(examples, plan, subset.codes), np.arange(len(examples))
        return kept[0], np.searchsorted(subset.examples, examples)

    def _draw_columns(self, offered: frozenset[int], n_subsets: int) -> Iterator[list[np.ndarray]]:
        """Which columns of each block to try: all, or a draw and, if that fails, the others."""
        whole, subset = self.data.legal_columns(offered)
        masks = [whole, *([subset] * n_subsets)]
        if self.features is not None:
            masks = [m & np.resize(self.features, len(m)) for m in masks]
        if self.max_features is None:
            yield masks
            return
        every = np.concatenate(masks)
        places = np.flatnonzero(every)
        n_drawn = _how_many(self.max_features, len(places))
        chosen = np.zeros(len(every), bool)
        chosen[self.rng.choice(places, size=n_drawn, replace=False)] = True
        ends = np.cumsum([len(m) for m in masks])[:-1]
        yield np.split(chosen, ends)
        if n_drawn < len(places):
            yield np.split(every & ~chosen, ends)

    # ---- whole-graph columns: binned once, subtracted from parent to child -----------------------

    def whole_histogram(self, examples: np.ndarray) -> np.ndarray:
        return self._histogram(self.data.whole, self.data.whole_bins, examples, examples)

    def _histogram(self, block: Block, bins: Bins, slots, examples) -> np.ndarray:
        table = self.statistics.table
        cells = np.zeros((bins.bin_ptr[-1], table.shape[1]), SUM)
        self.data.workers.each(
            lambda start, stop: search.fill_histograms(
                slots, examples, block.row_start, block.row_stop, block.columns, bins.bins,
                start, stop, bins.bin_ptr, bins.n_bins, table, cells,
            ),
            self._column_spans(block, len(slots)),
        )  # fmt: skip
        return cells

    def _search_whole(self, examples, total, histogram, mask) -> list[_Found]:
        return self._search_bins(
            self.data.whole, self.data.whole_bins, examples, examples, total, histogram, mask, 0
        )

    def _search_bins(
        self, block: Block, bins: Bins, slots, examples, total, cells, mask, distance
    ) -> list[_Found]:
        gains, cuts = np.full(block.n_columns, -np.inf), np.zeros((block.n_columns, 3), np.int64)
        alive = self._alive(block, slots, examples)
        self.data.workers.each(
            lambda start, stop: search.best_cuts(
                start, stop, mask, block.n_features, block.n_signs, bins.bin_ptr, bins.n_bins,
                bins.zero_bin, cells, total, alive, *self._criterion_arguments(), gains, cuts,
            ),
            self.data.workers.spans(block.n_columns, at_least=1024),
        )  # fmt: skip
        return _best_column(block, slots, distance, gains, cuts, bins, None)

    # ---- columns of subsets: made and binned anew at every node ----------------------------------

    def _search_subsets(self, subset: Subsets, examples, total, plan: Plan, mask) -> list[_Found]:
        if self.data.is_dense and self.data.max_bins is not None:
            found: list[_Found] = []
            for dense in self.data.dense_blocks(examples, plan, subset.codes):
                one = self._search_dense(dense, examples, total, mask, subset.distance)
                found = _keep_best(found + one)
            return found
        block, slots = self._block(subset, examples, plan)
        if self.data.max_bins is None:
            bins = bin_by_cuts(block, None)
            cells = self._histogram(block, bins, slots, examples)
            return self._search_bins(
                block, bins, slots, examples, total, cells, mask, subset.distance
            )
        return self._search_entries(block, slots, examples, total, mask, subset.distance)

    def _search_entries(self, block: Block, slots, examples, total, mask, distance) -> list[_Found]:
        gains, cuts, even = _results(block.n_columns)
        alive = self._alive(block, slots, examples)
        spans = self._column_spans(block, len(slots))
        self.data.workers.each(
            lambda start, stop: search.search_evenly(
                slots, examples, block.row_start, block.row_stop, block.columns, block.values,
                block.alive, start, stop, mask, block.n_features, block.n_signs,
                self.data.max_bins, self.statistics.table, total, alive,
                *self._criterion_arguments(), self._room(len(spans)), gains, cuts, *even,
            ),
            spans,
        )  # fmt: skip
        return _best_column(block, slots, distance, gains, cuts, None, even)

    def _search_dense(self, block: DenseBlock, examples, total, mask, distance) -> list[_Found]:
        gains, cuts, even = _results(block.n_columns)
        n_rows = block.values.shape[0] * block.values.shape[1]
        self.data.workers.each(
            lambda start, stop: search.search_densely(
                block.values, start, stop, examples, block.features, mask, block.n_features,
                self.data.max_bins, self.statistics.table, total, *self._criterion_arguments(),
                gains, cuts, *even,
            ),
            self.data.workers.spans(n_rows, at_least=1 if len(examples) > 512 else n_rows),
        )  # fmt: skip
        slots = np.arange(len(examples))
        return _best_column(block, slots, distance, gains, cuts, None, even)

    def _room(self, n_threads: int) -> np.ndarray:
        """Histogram cells to reuse; threads that work side by side each make their own."""
        if n_threads > 1:
            return np.empty((0, self._cells.shape[1]), SUM)
        if not len(self._cells):
            self._cells = np.empty((2**16, self._cells.shape[1]), SUM)
        return self._cells

    def _criterion_arguments(self) -> tuple:
        criterion = self.criterion
        return (
            self.statistics.scale, criterion.kind, criterion.l2, self.min_samples_leaf,
            criterion.min_hessian, GAIN_TOLERANCE,
        )  # fmt: skip

    def _alive(self, block: Block, slots, examples) -> np.ndarray:
        """Totals over the examples whose subset is not empty, by sign."""
        alive = np.zeros((block.n_signs, self.statistics.table.shape[1]), SUM)
        search.sum_alive(slots, examples, block.alive, self.statistics.table, alive)
        return alive

    def _column_spans(self, block: Block, n_rows: int) -> list[tuple[int, int]]:
        """Stretches of whole questions, one a thread."""
        n_questions = block.plan.width * block.n_signs
        if n_rows < 256:
            return [(0, block.n_columns)]
        spans = self.data.workers.spans(n_questions, at_least=1)
        return [(a * block.n_features, b * block.n_features) for a, b in spans]

    # ---- the winner --------------------------------------------------------------------------

    def _settle(self, found: list[_Found], examples: np.ndarray, total: np.ndarray) -> Split:
        """Of equally good splits the simplest; then the smaller threshold, then S+."""
        least = min(f.simplicity for f in found)
        splits = [self._finish(f, examples, total) for f in found if f.simplicity == least]
        return min(splits, key=lambda s: (s.threshold, s.question.sign))

    def _finish(self, found: _Found, examples: np.ndarray, total: np.ndarray) -> Split:
        """Make the threshold exact and settle where missing values go."""
        values = found.values
        missing = np.isnan(values)
        gain, missing_left, tie = found.gain, found.missing_left, found.missing_tie
        goes_left = _left_of_cut(found, values) & ~missing
        if found.even is not None and found.even[2] > 0 and len(values) <= REFINED_ROWS:
            gain, threshold, missing_left, tie = self._refine(values, examples, total)
            goes_left = (values <= threshold) & ~missing
        highest, lowest = values[goes_left].max(), values[~goes_left & ~missing].min()
        threshold = (float(highest) + float(lowest)) / 2
        if tie:
            weight = self.statistics.weight[examples]
            missing_left = bool(weight[goes_left].sum() >= weight[~goes_left & ~missing].sum())
        goes_left |= missing & missing_left
        return Split(found.question, threshold, missing_left, gain, goes_left)

    def _refine(self, values, examples, total) -> tuple[float, float, bool, bool]:
        """The best cut among all values of one column."""
        missing = np.isnan(values)
        cuts = find_cuts(np.sort(values[~missing]), 0, None)
        bins = np.searchsorted(cuts, values.astype(np.float64)).astype(np.int32)
        bins[missing] = len(cuts) + 1
        cells = np.zeros((len(cuts) + 2, len(total)), SUM)
        rows, n_bins = np.arange(len(values)), np.array([len(cuts) + 1])
        start, column = np.array([0, len(cells)]), np.zeros(len(values), np.int32)
        search.fill_histograms(
            rows, examples, rows, rows + 1, column, bins, 0, 1, start, n_bins,
            self.statistics.table, cells,
        )  # fmt: skip
        gain, cut = np.empty(1), np.zeros((1, 3), np.int64)
        search.best_cuts(
            0, 1, np.ones(1, bool), 1, 1, start, n_bins, np.zeros(1, np.int64), cells, total,
            total[None, :].copy(), *self._criterion_arguments(), gain, cut,
        )  # fmt: skip
        return float(gain[0]), float(cuts[cut[0, 0]]), bool(cut[0, 1]), bool(cut[0, 2])


def _results(n: int) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...]]:
    """Room for gains, cuts, and (n_bins, bottom, middle, step) of even bins."""
    even = np.zeros(n, np.int64), np.empty(n), np.empty(n), np.empty(n)
    return np.full(n, -np.inf), np.zeros((n, 3), np.int64), even


def _question(
    block: Block | DenseBlock, distance: int, place: int, sign: int, feature: int
) -> Question:
    plan = block.plan
    return Question(
        column=feature,
        operator=int(plan.operator[place]),
        walk_length=int(plan.walk_length[place]),
        distance=distance,
        sign=IN_PLUS + sign if distance else OUTSIDE,
        walk_type=int(plan.walk_type[place]),
        aggregator=int(plan.aggregator[place]),
    )


def _best_column(block, slots, distance, gains, cuts, bins, even) -> list[_Found]:
    """The columns with the largest gain; of those that tie the simplest, in either sign."""
    best = gains.max(initial=-np.inf)
    if best == -np.inf:
        return []
    near = np.flatnonzero(gains >= best * (1 - GAIN_TOLERANCE)).tolist()
    described = {column: block.describe(column) for column in near}
    simplest = min((place, feature) for place, _, feature in described.values())
    return [
        _Found(
            gain=float(gains[c]),
            question=_question(block, distance, place, sign, feature),
            simplicity=(distance, place, feature),
            values=block.read(c, slots),
            cut=int(cuts[c, 0]),
            missing_left=bool(cuts[c, 1]),
            missing_tie=bool(cuts[c, 2]),
            cuts=None if bins is None else bins.cuts[c],
            even=None if even is None else tuple(part[c].item() for part in even),
        )
        for c, (place, sign, feature) in described.items()
        if (place, feature) == simplest
    ]


def _left_of_cut(found: _Found, values: np.ndarray) -> np.ndarray:
    """Which values fall into the bins up to the cut."""
    if found.cuts is not None:
        return values <= found.cuts[found.cut]
    assert found.even is not None
    n_bins, bottom, middle, step = found.even
    wide = values.astype(np.float64)
    if middle == 0:
        return wide - bottom <= found.cut
    with np.errstate(invalid="ignore"):
        place = (wide / (np.abs(wide) + middle) - bottom) * step
        return np.minimum(np.floor(place), n_bins - 1) <= found.cut


def _keep_best(found: list[_Found]) -> list[_Found]:
    """Those with the largest gain, ties kept."""
    best = max((f.gain for f in found), default=0.0)
    return [f for f in found if f.gain >= best * (1 - GAIN_TOLERANCE)]


def _how_many(max_features: float | int, n: int) -> int:
    if isinstance(max_features, (int, np.integer)):
        return min(n, int(max_features))
    return min(n, max(1, int(max_features * n)))
