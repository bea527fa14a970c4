"""Labels: their kind, their balance, and whether they are sorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.labels import as_labels, is_missing, object_array, plain
from graphtrees.graphs.validation.numbers import as_array, without_mask

MOST_CLASSES = 50  # whole numbers with more distinct values than this are taken for quantities
FEWEST_TO_JUDGE = 20  # labels, before their order means anything
# How far equal labels may lie together, between shuffled (0) and sorted (1).
MOST_TOGETHER = 0.5


def task_of(y: Any) -> str:
    """What kind of task these labels are: "classification" or "regression".

    Text and booleans are classes and numbers with fractions are quantities. Whole numbers are
    classes while there are at most 50 of them, each found twice on average.

    Examples
    --------
    >>> from graphtrees.inspection import task_of
    >>> task_of(["ring", "chain", "ring"]), task_of([0.5, 1.5]), task_of([0, 1, 1, 0])
    ('classification', 'regression', 'classification')
    """
    return _task(_known(_as_column(y)))


def _task(values: np.ndarray) -> str:
    if values.dtype.kind not in "iuf":
        return "classification"
    distinct = np.unique(values)
    whole = bool(np.all(distinct == np.trunc(distinct)))
    few = len(distinct) <= MOST_CLASSES and 2 * len(distinct) <= max(len(values), 4)
    return "classification" if whole and few else "regression"


@dataclass(frozen=True)
class Labels:
    """A summary of y."""

    task: str
    n_missing: int
    counts: dict[Any, int] | None  # of each class, the most frequent first
    quantiles: dict[str, float] | None  # of a quantity
    together: float  # 0: shuffled; 1: sorted
    by_position: bool

    @property
    def n_known(self) -> int:
        return 0 if self.counts is None else sum(self.counts.values())

    @property
    def majority(self) -> float | None:
        """The accuracy of always naming the most frequent class."""
        return max(self.counts.values()) / self.n_known if self.counts else None


@dataclass(frozen=True)
class Target:
    """Labels as numbers: class numbers or quantities, and which examples have one."""

    task: str
    values: np.ndarray  # of the examples that are known
    known: np.ndarray  # mask over all examples
    names: list[Any]  # of the classes


def read_target(y: Any, n: int, what: str = "y", task: str | None = None) -> Target:
    """Check y; missing labels are allowed."""
    column = _as_column(y, what)
    if len(column) != n:
        raise ValueError(f"{what} has {len(column)} labels; X holds {n} examples")
    known = np.array([not is_missing(value) for value in column.tolist()], dtype=bool)
    values = _known(column)
    _refuse_infinite(values, known, what)
    task = task or _task(values)
    if task == "regression":
        return Target(task, values.astype(np.float64), known, [])
    try:
        names, codes = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in values.tolist()}))
        raise ValueError(f"{what} must be labels or numbers; it holds {kinds}") from None
    return Target(task, codes.astype(np.int64), known, [plain(name) for name in names])


def describe_labels(target: Target) -> Labels:
    """Balance, and order, of labels."""
    values = target.values
    counts = quantiles = None
    if target.task == "classification":
        n_each = np.bincount(values, minlength=len(target.names))
        order = np.argsort(-n_each, kind="stable")
        counts = {target.names[code]: int(n_each[code]) for code in order}
    elif len(values):
        unit = unit_of(values)
        near_one = values / unit
        inner = unit * np.quantile(near_one, [0.25, 0.5, 0.75])
        points = [float(values.min()), *inner.tolist(), float(values.max())]
        quantiles = dict(zip(("min", "25 %", "median", "75 %", "max"), points, strict=True))
        quantiles |= {"mean": float(unit * near_one.mean()), "sd": float(unit * near_one.std())}
    together = _together(values, target.task)
    return Labels(
        target.task,
        int((~target.known).sum()),
        counts,
        quantiles,
        together,
        bool(together > MOST_TOGETHER and len(values) >= FEWEST_TO_JUDGE),
    )


def unit_of(values: np.ndarray) -> float:
    """The largest power of two that is not above any size: so divided, no sum of squares overflows.

    Dividing is exact, but for numbers that are some 1e300 times smaller than the largest.
    """
    return 2.0 ** (np.frexp(np.abs(values).max(initial=0.0))[1] - 1)


def _together(values: np.ndarray, task: str) -> float:
    """How often neighbours in the list are equal: 0 as by chance, 1 as if sorted."""
    n = len(values)
    if n < 3:
        return 0.0
    if task == "regression":
        ranks = np.unique(values, return_inverse=True)[1].astype(np.float64)
        constant = np.ptp(ranks[1:]) == 0 or np.ptp(ranks[:-1]) == 0
        return 0.0 if constant else float(np.corrcoef(ranks[1:], ranks[:-1])[0, 1])
    counts = np.bincount(values)
    by_chance = float((counts * (counts - 1)).sum() / (n * (n - 1)))
    most = float((n - np.count_nonzero(counts)) / (n - 1))
    equal = float((values[1:] == values[:-1]).mean())
    return (equal - by_chance) / (most - by_chance) if most > by_chance else 0.0


def _refuse_infinite(values: np.ndarray, known: np.ndarray, what: str) -> None:
    """`values` are the labels that are known."""
    infinite = np.isinf(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    if infinite.any():
        rows = np.flatnonzero(known)[infinite]
        others = f" (and those of {len(rows) - 1:,} more)" if len(rows) > 1 else ""
        raise ValueError(
            f"{what} must be finite; the label of example {rows[0]}{others} is infinite. Leave "
            "such examples out, or mark their labels as missing (NaN)"
        )


def _as_column(y: Any, what: str = "y") -> np.ndarray:
    array = as_array(as_labels(without_mask(y)), what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{what} must be one label for each example; got the shape {array.shape}")
    return array


def _known(column: np.ndarray) -> np.ndarray:
    """The labels that are not missing, as numbers where all are, else as text."""
    if column.dtype.kind in "iub":
        return column
    if column.dtype.kind == "f":
        return column[~np.isnan(column)]
    items = [plain(value) for value in column.tolist() if not is_missing(value)]
    if all(isinstance(item, (int, float)) for item in items):
        return np.array(items, dtype=None if items else np.float64)
    if len({type(item) for item in items}) > 1:
        items = [str(item) for item in items]
    return np.array(items) if isinstance(items[0], str) else object_array(items)
