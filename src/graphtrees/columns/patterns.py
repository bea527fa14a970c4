"""Which features the columns of a question have entries for, and where these are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphtrees.graphs.flat import starts_of
from graphtrees.kernels.growing_records import Patterns
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.table import QuestionTable


@dataclass(frozen=True)
class Lists:
    """Example i holds the features feature[ptr[i]:ptr[i + 1]], in ascending order."""

    ptr: np.ndarray
    feature: np.ndarray


@dataclass(frozen=True)
class EntryPatterns:
    """Questions that may be asked about the same features share a pattern of entries.

    Each example has a list of lanes, one for every feature it holds at all. A pattern keeps the
    lanes of some features; in a column its entries lie feature by feature, those of feature f from
    feature_ptr[p][f] on. position[p][lane] is where the entry of a lane stands, -1 if it has none.
    """

    record: Patterns
    position: list[np.ndarray]
    feature_ptr: list[np.ndarray]

    @classmethod
    def of(
        cls, lists: Sequence[Lists | None], of_whole: np.ndarray, of_subset: np.ndarray,
        n_examples: int, table: QuestionTable, limits: FeatureLimits,
        stored_as: np.ndarray | None = None, own: np.ndarray | None = None,
        whole_of: np.ndarray | None = None,
    ) -> EntryPatterns:  # fmt: skip
        """lists[of_whole[place]] are those of a question about whole graphs.

        None stands for lists of all features, which are not written out. stored_as[place] is the
        question about subsets whose columns serve for those of another one; None: each has its own.
        own[place] and whole_of[place] are as in `Patterns`; None: all are stored, none is a sum.
        """
        asked = np.concatenate([limits.allowed(table.whole), limits.allowed(table.subset)])
        which = np.concatenate([of_whole, of_subset])
        keys, number = np.unique(np.column_stack([which, asked]), axis=0, return_inverse=True)
        allowed = keys[:, 1:].astype(bool)
        whole, place = np.split(number.ravel(), [table.whole.width])
        listed = [
            _list(lists[int(key[0])], kept, n_examples)
            for key, kept in zip(keys, allowed, strict=True)
        ]
        sizes = np.array([one.feature_ptr[-1] for one in listed])
        first = starts_of(np.array([len(one.feature) for one in listed]))
        own = np.full(len(place), -1) if own is None else own
        own = np.where((own >= 0) & (whole[own] == place), own, -1)
        if whole_of is None or ((whole_of >= 0) & (whole[whole_of] != place)).any():
            whole_of = np.empty(0, np.int64)
        record = Patterns(
            ptr=_pointers(listed, first, n_examples),
            feature=np.concatenate([one.feature for one in listed]),
            position=np.concatenate([one.position[one.position >= 0] for one in listed]),
            is_full=sizes == allowed.sum(axis=1) * n_examples,
            feature_start=np.stack([one.feature_ptr for one in listed]),
            is_kept=allowed,
            n_features=np.array([_last(kept) for kept in allowed], np.int64),
            of_place=place,
            of_whole=whole,
            start=_starts(np.where(own >= 0, 0, sizes[place]), place, stored_as),
            whole_start=starts_of(sizes[whole]),
            own=own,
            whole_of=whole_of,
        )
        return cls(record, [one.position for one in listed], [one.feature_ptr for one in listed])

    @property
    def n_answers(self) -> int:
        """Of all examples to all questions about the subsets of one split-node."""
        ends = self.record.feature_start[:, -1]
        return 2 * int(ends[self.record.of_place].sum())

    @property
    def lane_at(self) -> np.ndarray:
        """The lane of every entry, pattern by pattern."""
        lanes = []
        for position in self.position:
            lane = np.empty((position >= 0).sum(), np.int32)
            lane[position[position >= 0]] = np.flatnonzero(position >= 0)
            lanes.append(lane)
        return np.concatenate(lanes)

    def n_columns(self, n_subsets: int) -> int:
        """How many columns a node chooses among that may use so many subsets."""
        n_kept = self.record.is_kept.sum(axis=1)
        whole, subset = n_kept[self.record.of_whole], n_kept[self.record.of_place]
        return int(whole.sum() + 2 * n_subsets * subset.sum())


@dataclass(frozen=True)
class _Listed:
    ptr: np.ndarray
    feature: np.ndarray
    position: np.ndarray
    feature_ptr: np.ndarray


def _list(lists: Lists | None, is_kept: np.ndarray, n_examples: int) -> _Listed:
    if lists is None:
        none = np.empty(0, np.int32)
        return _Listed(
            np.zeros(n_examples + 1, np.int64), none, none, starts_of(is_kept * n_examples)
        )
    kept = is_kept[lists.feature]
    feature = lists.feature[kept]
    # NumPy sorts numbers of two bytes by their digits, which takes a fifth of the time.
    order = np.argsort(
        feature.astype(np.uint16 if len(is_kept) <= 2**16 else np.int32), kind="stable"
    )
    position = np.full(len(lists.feature), -1, np.int32)
    position[np.flatnonzero(kept)[order]] = np.arange(len(order), dtype=np.int32)
    counts = np.bincount(feature, minlength=len(is_kept))
    return _Listed(np.r_[0, np.cumsum(kept)][lists.ptr], feature, position, starts_of(counts))


def _pointers(listed: list[_Listed], first: np.ndarray, n_examples: int) -> np.ndarray:
    """Where the entries of every example begin; what lists nothing takes no memory."""
    ptr = np.zeros((len(listed), n_examples + 1), np.int64)
    for row, one, start in zip(ptr, listed, first, strict=False):
        if len(one.feature):
            row[:] = one.ptr + start
    return ptr


def _starts(sizes: np.ndarray, pattern: np.ndarray, stored_as: np.ndarray | None) -> np.ndarray:
    """Where the columns of each question begin, two of them each, and the end of all."""
    every = np.arange(len(sizes))
    owner = every if stored_as is None else stored_as
    owner = np.where(pattern[owner] == pattern, owner, every)
    starts = starts_of(np.repeat(np.where(owner == every, sizes, 0), 2))
    columns = np.column_stack([2 * owner, 2 * owner + 1]).ravel()
    return np.r_[starts[columns], starts[-1:]]


def _last(is_kept: np.ndarray) -> int:
    """One more than the last feature that is kept."""
    return int(np.flatnonzero(is_kept).max(initial=-1)) + 1
