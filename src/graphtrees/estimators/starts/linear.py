"""A linear model on features and smoothed features, as the start of boosting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import MOST_COEFFICIENTS
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import Start
from graphtrees.ensembles.linear_columns import (
    Matrix,
    column_means,
    encoded,
    linear_blocks,
    most_steps,
    stacked,
)
from graphtrees.ensembles.linear_start import LinearStart, n_linear_columns
from graphtrees.ensembles.losses import Loss
from graphtrees.estimators.starts.penalised import (
    Data,
    HalfSquares,
    Line,
    Reduced,
    fit_line,
    scan_strengths,
)
from graphtrees.questions.features import FeatureTable

N_FOLDS = 5
OFTEN = 0.3  # a column with more entries than this share is scaled by its spread


@dataclass(frozen=True)
class Fitted:
    """A start, the constant it stands on, and where the training examples stand out of fold."""

    start: Start
    init: np.ndarray
    raw: np.ndarray


def fit_linear(
    table: FeatureTable, examples: Examples, y: np.ndarray, weight: np.ndarray, loss: Loss,
    longest: np.ndarray, fold_of: np.ndarray,
) -> Fitted:  # fmt: skip
    """Choose steps and strength by cross-validation, then fit on all examples.

    `longest` is the longest walk that may carry each column of the features.
    """
    fill = column_means(table, examples)
    n_steps = most_steps(table, examples, fill, int(longest.max(initial=0)))
    _check_size(table, examples.kind, n_steps, len(np.atleast_1d(loss.init(y, weight))))
    of_numbers = loss.refits_leaves and y.ndim == 2  # a median, say: fit the mean, then move it
    smooth = HalfSquares() if of_numbers or loss.squares else loss
    if not smooth.has_value:
        raise ValueError(
            "init='linear' needs a loss with a method loss(y, raw); a function has none"
        )
    blocks = linear_blocks(table, examples, fill, n_steps)
    scale = _Scale.of(blocks, table, examples, fill, longest)
    data = Data(scale.apply(), y, weight, smooth)
    tried = []
    for steps in sorted({0, n_steps}):
        n_columns = n_linear_columns(examples.kind, table.n_columns, steps)
        reduced = Reduced.of(data.first(n_columns))
        tried.append((scan_strengths(reduced.data, fold_of), steps, reduced))
    scan, steps, reduced = min(tried, key=lambda one: one[0].score)
    line = fit_line(reduced.data, scan.strength)
    raw = _within(scan.raw, line.raw(reduced.data.columns))
    line = scale.undo(reduced.restore(line))
    shift = loss.init(y - raw, weight) if of_numbers else 0.0
    start = LinearStart(steps, scan.strength, fill, line.coef)
    return Fitted(start, line.intercept + shift, raw + shift)


def _within(raw: np.ndarray, of_all: np.ndarray) -> np.ndarray:
    """Where examples stand out of fold, not far from where the model of all puts any of them.

    A fold without a rare class, or with counts of 0 alone, would start them from near infinity.
    """
    low, high = of_all.min(axis=0), of_all.max(axis=0)
    return np.clip(raw, 2 * low - high, 2 * high - low)


def _check_size(table: FeatureTable, kind: str, n_steps: int, n_outputs: int) -> None:
    n = n_linear_columns(kind, table.n_columns, n_steps) * n_outputs
    if n > MOST_COEFFICIENTS:
        raise ValueError(
            f"init='linear' would need {n} coefficients; at most {MOST_COEFFICIENTS} are "
            "possible: give fewer features, or a smaller max_walk_length"
        )


@dataclass(frozen=True)
class _Scale:
    """Blocks of columns, and what brings them to about unit size: subtract, then multiply.

    A column of numbers is divided by its spread. A column of few entries, such as an indicator, is
    divided by its largest entry, so that rare ones do not weigh more. Each block as a whole is
    then divided by the usual length of its rows. Columns are left out after more steps than their
    feature may walk.
    """

    columns: Matrix
    centre: np.ndarray
    factor: np.ndarray

    @classmethod
    def of(
        cls, blocks: list[Matrix], table: FeatureTable, examples: Examples, fill: np.ndarray,
        longest: np.ndarray,
    ) -> _Scale:  # fmt: skip
        of_graphs = examples.kind == "graphs"
        own = None if of_graphs else _centre_and_factor(encoded(table, examples, fill))
        centres, factors = [], []
        for step, block in enumerate(blocks):
            centre, factor = _centre_and_factor(block) if own is None else own
            reach = np.tile(longest >= step, block.shape[1] // max(1, len(longest)))
            factor = np.where(reach, factor, 0.0)
            if sparse.issparse(block):
                centre = np.zeros(block.shape[1])
            factors.append(factor / _row_length(block, centre, factor))
            centres.append(centre)
        return cls(stacked(blocks), np.concatenate(centres), np.concatenate(factors))

    def apply(self) -> Matrix:
        if sparse.issparse(self.columns):
            return sparse.csr_array(self.columns @ sparse.diags_array(self.factor))
        return (self.columns - self.centre) * self.factor

    def undo(self, line: Line) -> Line:
        """The same line for the columns as they were."""
        n = len(line.coef)
        coef = line.coef * self.factor[:n, None]
        return Line(coef, line.intercept - self.centre[:n] @ coef)


def _centre_and_factor(values: Matrix) -> tuple[np.ndarray, np.ndarray]:
    n = max(1, values.shape[0])
    if sparse.issparse(values):
        squares, total = values.copy(), np.asarray(values.sum(axis=0)).ravel()
        squares.data **= 2
        centre, second = total / n, np.asarray(squares.sum(axis=0)).ravel() / n
        largest = np.asarray(abs(values).max(axis=0).todense()).ravel() if values.nnz else centre
        often = np.bincount(values.indices, minlength=values.shape[1]) > OFTEN * n
        spread = np.sqrt(np.maximum(second - centre**2, 0.0))
    else:
        centre, spread = values.mean(axis=0), values.std(axis=0)
        largest = np.abs(values).max(axis=0, initial=0.0)
        often = (values != 0).sum(axis=0) > OFTEN * n
    size = np.where(often, spread, largest)
    real = size > 1e-9 * largest  # else the column does not vary but for rounding
    return np.where(often, centre, 0.0), np.divide(1.0, size, out=np.zeros(len(size)), where=real)


def _row_length(block: Matrix, centre: np.ndarray, factor: np.ndarray) -> float:
    """The root of the mean squared length of the scaled rows."""
    if sparse.issparse(block):
        squares = block.copy()
        squares.data = (squares.data * factor[squares.indices]) ** 2
        total = squares.sum()
    else:
        total = (((block - centre) * factor) ** 2).sum()
    return float(np.sqrt(total / max(1, block.shape[0]))) or 1.0
