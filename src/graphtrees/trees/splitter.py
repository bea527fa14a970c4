"""Find the best question for the examples of one node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from graphtrees._layout import GAIN_TOLERANCE, IN_PLUS, OUTSIDE, SUM
from graphtrees.candidates.blocks import (
    Block,
    CutBins,
    DenseBlock,
    EvenBins,
    bin_by_cuts,
    bin_evenly,
)
from graphtrees.candidates.plan import Plan
from graphtrees.candidates.question import Question
from graphtrees.kernels import even_bins, search
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.training_data import TrainingData

# A node keeps the histograms of columns that its children will ask for, so that one of them gets
# its own by subtraction, unless they are larger than this.
KEPT_HISTOGRAM_BYTES = 64 * 2**20

# Columns of subsets that several nodes of a tree ask for are kept up to this size.
KEPT_BLOCK_BYTES = 192 * 2**20

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
class Offer:
    """What chance lets a node ask: a plan for its subsets, and masks of columns in turns.

    A mask for whole-graph columns and one for each pair of subsets; a turn is for want of any
    split in those before it.
    """

    plan: Plan
    turns: list[list[np.ndarray]]


@dataclass(frozen=True)
class Columns:
    """A block, its bins, and the examples that its rows hold (None: all there are).

    Without bins, every node makes its own: those of an ancestor would be too wide for it.
    """

    block: Block | DenseBlock
    bins: CutBins | EvenBins | None
    examples: np.ndarray | None
    codes: np.ndarray | None  # held here, so that its id stays its own
    is_kept: bool = True

    @property
    def n_bytes(self) -> int:
        entries = self.block.n_bytes if isinstance(self.block, Block) else 0
        return entries + (0 if self.bins is None else self.bins.bins.nbytes)

    def slots(self, examples: np.ndarray) -> np.ndarray:
        """The rows that hold these examples."""
        return examples if self.examples is None else np.searchsorted(self.examples, examples)


@dataclass(frozen=True)
class _Found:
    """The best column of one block, before its threshold is settled."""

    gain: float
    question: Question
    simplicity: tuple[int, int, int]
    read: Callable[[], np.ndarray]  # its values; who is beaten is never read
    column: int
    cut: int
    missing_left: bool
    missing_tie: bool
    bins: CutBins | EvenBins


WHOLE = 0  # the key of whole-graph columns; those of subsets go by the id of their codes


class Splitter:
    """Searches every column of every subset that a node may use."""

    def __init__(
        self, data: TrainingData, statistics: Statistics, criterion: Criterion,
        min_samples_leaf: int, rng: np.random.Generator, max_features: float | int | None = None,
        features: np.ndarray | None = None, ties_at_random: bool = False,
        n_threads: int | None = None,
    ) -> None:  # fmt: skip
        self.ties_at_random = ties_at_random
        self.n_threads = data.workers.n_threads if n_threads is None else n_threads
        self.data = data
        self.statistics = statistics
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.rng = rng
        self.max_features = max_features
        self.features = features
        self._kept = {} if data.vertices is None else {WHOLE: Columns(*data.whole, None, None)}

    def total(self, examples: np.ndarray) -> np.ndarray:
        total = np.zeros(self.statistics.table.shape[1], SUM)
        search.sum_stats(examples, self.statistics.table, total)
        return total

    def weight(self, examples: np.ndarray) -> float:
        """Summed weight of some examples, in the units of the weights given."""
        return float(self.statistics.weight[examples].sum() * self.statistics.weight_unit)

    def offer(self, n_subsets: int) -> Offer:
        """Draw what one node may ask, with so many pairs of subsets."""
        space = self.data.space
        types = frozenset(space.walk_types)
        if space.walk_type_probability < 1.0:
            drawn = self.rng.random(len(space.walk_types)) < space.walk_type_probability
            types = frozenset(t for t, yes in zip(space.walk_types, drawn, strict=True) if yes)
        plan = self.data.plan(types, on_subset=True)
        return Offer(plan, self._draw_columns(types, n_subsets if plan.width else 0))

    def best_split(
        self, examples: np.ndarray, total: np.ndarray, subsets: list[Subsets],
        histograms: dict[int, np.ndarray], offer: Offer,
    ) -> Split | None:  # fmt: skip
        """The best split of a node; None: nothing to gain.

        `histograms` are those of its columns that are known; more of them are added. Nodes may be
        searched side by side.
        """
        asked = subsets if offer.plan.width else []
        for whole_mask, *masks in offer.turns:
            found = self._search(self._kept[WHOLE], 0, examples, total, whole_mask, histograms, 0.0)
            for subset, mask in zip(asked, masks, strict=True):
                if mask.any():
                    columns = self._columns(subset, examples, offer.plan)
                    least = found[0].gain if found else 0.0
                    found += self._search(
                        columns, subset.distance, examples, total, mask, histograms, least
                    )
                    found = _keep_best(found)
            if found:
                return self._settle(found, examples, total)
        return None

    def keep_columns(self, subset: Subsets) -> None:
        """Make the columns of a pair of subsets for every node that may look so far up.

        Only where all of them ask the same.
        """
        space = self.data.space
        plan = self.data.plan(frozenset(space.walk_types), on_subset=True)
        same = space.walk_type_probability >= 1 and self.max_features is None
        if not same or not plan.width:
            return
        if self.data.block_bytes(subset.examples, plan) <= KEPT_BLOCK_BYTES:
            made = self._make_columns(subset.codes, subset.examples, plan, keep=True)
            self._kept[id(subset.codes)] = made
            while sum(c.n_bytes for k, c in self._kept.items() if k) > KEPT_BLOCK_BYTES:
                del self._kept[next(k for k in self._kept if k)]

    def _columns(self, subset: Subsets, examples: np.ndarray, plan: Plan) -> Columns:
        """The columns of a pair of subsets: those that were kept, or for these examples alone."""
        kept = self._kept.get(id(subset.codes))
        return kept or self._make_columns(subset.codes, examples, plan, keep=False)

    def _make_columns(self, codes, examples: np.ndarray, plan: Plan, keep: bool) -> Columns:
        data = self.data
        if data.is_dense and data.max_bins is not None:
            dense = data.dense_block(examples, plan, codes, self.min_samples_leaf)
            return Columns(dense, dense.bins, examples, codes, keep)
        block = data.block(examples, plan, codes, keep)
        bins = bin_by_cuts(block, None) if data.max_bins is None else None
        return Columns(block, bins, examples, codes, keep)

    def _draw_columns(self, offered: frozenset[int], n_subsets: int) -> list[list[np.ndarray]]:
        """Which columns of each block to try: all, or a draw and, if that fails, the others."""
        whole, subset = self.data.legal_columns(offered)
        masks = [whole, *([subset] * n_subsets)]
        if self.features is not None:
            masks = [m & np.resize(self.features, len(m)) for m in masks]
        if self.max_features is None:
            return [masks]
        every = np.concatenate(masks)
        places = np.flatnonzero(every)
        chosen = np.zeros(len(every), bool)
        n_drawn = _how_many(self.max_features, len(places))
        chosen[self.rng.choice(places, size=n_drawn, replace=False)] = True
        ends = np.cumsum([len(m) for m in masks])[:-1]
        return [np.split(turn, ends) for turn in (chosen, every & ~chosen) if turn.any()]

    # ---- histograms: one of two children has its parent's less its sibling's --------------------

    def histogram(self, key: int, examples: np.ndarray) -> np.ndarray:
        """The histogram of kept columns over some of their examples."""
        columns = self._kept[key]
        assert columns.bins is not None
        return self._histogram(columns.block, columns.bins, columns.slots(examples), examples)

    def share_histograms(self, parent: dict, small: dict, large: dict, examples, keys) -> None:
        """Hand a parent's histograms down; `examples` are those of the smaller child."""
        for key in keys & parent.keys() & self._kept.keys():
            small[key] = self.histogram(key, examples)
            large[key] = parent[key] - small[key]

    def _histogram(
        self, block: Block | DenseBlock, bins: CutBins | EvenBins, slots, examples
    ) -> np.ndarray:
        if isinstance(block, DenseBlock):
            return self._fill_dense(block, bins, slots, examples)
        return self._fill_entries(block, bins, slots, examples)

    def _fill_dense(
        self, block: DenseBlock, bins: CutBins | EvenBins, slots, examples
    ) -> np.ndarray:
        rows = self.statistics.table[examples]
        cells = np.zeros((bins.bin_ptr[-1], rows.shape[1]), SUM)
        n_columns, workers = block.n_columns, self.data.workers
        workers.each(
            lambda start, stop: search.fill_densely(
                slots, rows, bins.bins, start, stop, bins.bin_ptr, bins.n_bins, cells
            ),
            workers.spans(n_columns, at_least=1 if len(slots) >= 256 else n_columns),
        )
        return cells

    def _fill_entries(self, block: Block, bins: CutBins | EvenBins, slots, examples) -> np.ndarray:
        """Rows shared out among threads; sums of integers may be added up in any order."""
        table = self.statistics.table

        def fill(start: int, stop: int, cells: np.ndarray) -> None:
            rows = slots[start:stop], examples[start:stop], block.row_start, block.row_stop
            if isinstance(bins, EvenBins):
                even_bins.fill_evenly(
                    *rows, block.columns, block.values, bins.n_bins, bins.bin_ptr, bins.even,
                    table, cells,
                )  # fmt: skip
            else:
                search.fill_histograms(
                    *rows, block.columns, bins.bins, bins.bin_ptr, bins.n_bins, table, cells
                )

        cells, *others = self.data.workers.gather(
            fill, len(slots), at_least=1024,
            make=lambda: np.zeros((bins.bin_ptr[-1], table.shape[1]), SUM),
        )  # fmt: skip
        for more in others:
            np.add(cells, more, out=cells)
        return cells

    def _search(
        self, columns: Columns, distance: int, examples, total, mask, histograms, least: float
    ) -> list[_Found]:
        """The best columns of a block, nothing where none has the gain `least`."""
        block, slots = columns.block, columns.slots(examples)
        bins = self._bins(columns, slots)
        key = WHOLE if columns.codes is None else id(columns.codes)
        cells = histograms.get(key)
        if cells is None:
            cells = self._histogram(block, bins, slots, examples)
            shared = key in self._kept and columns.bins is not None
            if shared and cells.nbytes <= KEPT_HISTOGRAM_BYTES:
                histograms[key] = cells
        gains, cuts = np.full(block.n_columns, -np.inf), np.zeros((block.n_columns, 3), np.int64)
        alive = self._alive(block, slots, examples)
        self.data.workers.each(
            lambda start, stop: search.best_cuts(
                start, stop, mask, block.n_features, block.n_signs, bins.bin_ptr, bins.n_bins,
                bins.zero_bin, cells, total, alive, *self._criterion_arguments(), gains, cuts,
            ),
            self.data.workers.spans(block.n_columns, at_least=1024),
        )  # fmt: skip
        best = gains.max(initial=-np.inf)
        if best < least * (1 - GAIN_TOLERANCE) or best == -np.inf:
            return []
        return self._best_columns(columns, bins, slots, examples, distance, gains, cuts)

    def _bins(self, columns: Columns, slots: np.ndarray) -> CutBins | EvenBins:
        """The bins that all nodes share, or those of these rows alone."""
        if columns.bins is not None:
            return columns.bins
        assert isinstance(columns.block, Block)
        assert self.data.max_bins is not None
        return bin_evenly(
            columns.block, slots, self.data.max_bins, self.min_samples_leaf, self.data.workers
        )

    def _best_columns(self, columns, bins, slots, examples, distance, gains, cuts) -> list[_Found]:
        """The columns with the largest gain; of those that tie the simplest, in either sign."""
        block = columns.block
        near = np.flatnonzero(gains >= gains.max() * (1 - GAIN_TOLERANCE)).tolist()
        described = {column: block.describe(column) for column in near}
        simplest = min((place, feature) for place, _, feature in described.values())
        found = []
        for c, (place, sign, feature) in described.items():
            if (place, feature) == simplest:
                question = _question(block.plan, distance, place, sign, feature)
                read = partial(self._read, columns, c, slots, examples, question)
                if not (columns.is_kept or isinstance(block, DenseBlock)):
                    read = partial(np.asarray, read())  # the next block takes this one's place
                cut, missing_left, tie = (int(part) for part in cuts[c])
                one = _Found(
                    float(gains[c]), question, (distance, place, feature), read, c, cut,
                    bool(missing_left), bool(tie), bins,
                )  # fmt: skip
                found.append(one)
        return found

    def _read(self, columns: Columns, column: int, slots, examples, question) -> np.ndarray:
        if isinstance(columns.block, DenseBlock):
            return self.data.read(examples, question, columns.codes)
        return columns.block.read(column, slots, self.data.workers)

    def _criterion_arguments(self) -> tuple:
        criterion = self.criterion
        simple = criterion.kind == search.NEWTON and len(self.statistics.scale) == 3
        return (
            self.statistics.scale, None if simple else criterion.kind, criterion.l2,
            self.min_samples_leaf, criterion.min_hessian, GAIN_TOLERANCE,
        )  # fmt: skip

    def _alive(self, block: Block | DenseBlock, slots, examples) -> np.ndarray:
        """Totals over the examples whose subset is not empty, by sign."""
        alive = np.zeros((block.n_signs, self.statistics.table.shape[1]), SUM)
        search.sum_alive(slots, examples, block.alive, self.statistics.table, alive)
        return alive

    # ---- the winner --------------------------------------------------------------------------

    def _settle(self, found: list[_Found], examples: np.ndarray, total: np.ndarray) -> Split:
        """Of equally good splits the simplest; then the smaller threshold, then S+."""
        least = min(f.simplicity for f in found)
        splits = [self._finish(f, examples, total) for f in found if f.simplicity == least]
        return min(splits, key=lambda s: (s.threshold, s.question.sign))

    def _finish(self, found: _Found, examples: np.ndarray, total: np.ndarray) -> Split:
        """Make the threshold exact and settle where missing values go."""
        # In float64: the midpoint of two neighbouring float32 numbers is not a float32 number.
        values = found.read().astype(np.float64)
        missing = np.isnan(values)
        gain, missing_left, tie = found.gain, found.missing_left, found.missing_tie
        goes_left = found.bins.left_of(found.column, found.cut, values) & ~missing
        if found.bins.is_coarse(found.column) and len(values) <= REFINED_ROWS:
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
        order = np.argsort(values)  # missing ones come last
        known = values[order[: len(values) - np.count_nonzero(np.isnan(values))]]
        firsts = np.flatnonzero(np.r_[True, known[1:] != known[:-1]])
        rows = self.statistics.table[examples[order]]
        cells = np.zeros((len(firsts) + 1, len(total)), SUM)
        np.add.reduceat(rows[: len(known)], firsts, axis=0, out=cells[:-1])
        cells[-1] = rows[len(known) :].sum(axis=0)
        gain, cut = np.empty(1), np.zeros((1, 3), np.int64)
        search.best_cuts(
            0, 1, np.ones(1, bool), 1, 1, np.array([0, len(cells)]), np.array([len(firsts)]),
            np.zeros(1, np.int64), cells, total, total[None, :].copy(),
            *self._criterion_arguments(), gain, cut,
        )  # fmt: skip
        below, above = known[firsts[cut[0, 0]]], known[firsts[cut[0, 0] + 1]]
        middle = (float(below) + float(above)) / 2
        return float(gain[0]), middle, bool(cut[0, 1]), bool(cut[0, 2])


def _question(plan: Plan, distance: int, place: int, sign: int, feature: int) -> Question:
    return Question(
        column=feature,
        operator=int(plan.operator[place]),
        walk_length=int(plan.walk_length[place]),
        distance=distance,
        sign=IN_PLUS + sign if distance else OUTSIDE,
        walk_type=int(plan.walk_type[place]),
        aggregator=int(plan.aggregator[place]),
    )


def _keep_best(found: list[_Found]) -> list[_Found]:
    """Those with the largest gain, ties kept."""
    best = max((f.gain for f in found), default=0.0)
    return [f for f in found if f.gain >= best * (1 - GAIN_TOLERANCE)]


def _how_many(max_features: float | int, n: int) -> int:
    if isinstance(max_features, (int, np.integer)):
        return min(n, int(max_features))
    return min(n, max(1, int(max_features * n)))
