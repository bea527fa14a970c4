"""Fit a linear model to a loss: the mean loss plus strength / 2 times the squared coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from graphtrees._threads import one_thread_for_matrices
from graphtrees.ensembles.losses import Loss, SquaredError

STRENGTHS = tuple(10.0**-k for k in range(-1, 8))  # from strong to weak
PATIENCE = 2  # strengths without a better score before the search ends
ITERATIONS = 300
DIRECT = 1500  # columns or rows up to which least squares are solved directly
DENSE = 2**26  # entries of a table that may be written out for it


class HalfSquares(SquaredError):
    """Squared error whose gradient is that of its loss."""

    def loss(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        return 0.5 * super().loss(y, raw)


@dataclass(frozen=True)
class Data:
    """Columns of about unit size, targets, weights, and the loss that joins them."""

    columns: Any
    y: np.ndarray
    weight: np.ndarray
    loss: Loss

    def take(self, rows: np.ndarray) -> Data:
        return Data(self.columns[rows], self.y[rows], self.weight[rows], self.loss)

    def first(self, n_columns: int) -> Data:
        return Data(self.columns[:, :n_columns], self.y, self.weight, self.loss)


@dataclass(frozen=True)
class Line:
    """`raw = columns @ coef + intercept`."""

    coef: np.ndarray  # (n_columns, n_outputs)
    intercept: np.ndarray  # (n_outputs,)

    def raw(self, columns: Any) -> np.ndarray:
        return np.asarray(columns @ self.coef) + self.intercept


@dataclass(frozen=True)
class Reduced:
    """The same task in fewer columns, where there are fewer rows than columns.

    The coefficients of the best line are combinations of the rows, so that it is enough to look
    for it among those: `data` has an orthogonal column for each direction that the rows span.
    """

    data: Data
    whole: Data
    back: np.ndarray | None  # (n_rows, n_directions); None: nothing is reduced

    @classmethod
    def of(cls, whole: Data) -> Reduced:
        n_rows = whole.columns.shape[0]
        n_entries = getattr(whole.columns, "nnz", whole.columns.size)
        if n_rows > DIRECT or n_rows**2 >= n_entries:
            return cls(whole, whole, None)
        product = whole.columns @ whole.columns.T
        product = product.toarray() if hasattr(product, "toarray") else np.asarray(product)
        squares, directions = np.linalg.eigh(product)
        kept = squares > 1e-12 * max(float(squares.max()), 1e-300)
        length = np.sqrt(squares[kept])
        data = Data(directions[:, kept] * length, whole.y, whole.weight, whole.loss)
        return cls(data, whole, directions[:, kept] / length)

    def restore(self, line: Line) -> Line:
        """The line in the columns of the whole task."""
        if self.back is None:
            return line
        return Line(np.asarray(self.whole.columns.T @ (self.back @ line.coef)), line.intercept)


def fit_line(data: Data, strength: float, begin: Line | None = None) -> Line:
    """The line of least penalised loss; the search may begin at another line."""
    n_rows, n_columns = data.columns.shape
    small = min(n_rows, n_columns) <= DIRECT and n_rows * n_columns <= DENSE
    if isinstance(data.loss, HalfSquares) and small:
        return _least_squares(data, strength)
    share = data.weight / data.weight.sum()
    begin = begin or _flat(data)
    shape, n_outputs = begin.coef.shape, len(begin.intercept)

    def objective(point: np.ndarray) -> tuple[float, np.ndarray]:
        coef, intercept = point[:-n_outputs].reshape(shape), point[-n_outputs:]
        raw = np.asarray(data.columns @ coef) + intercept
        with np.errstate(over="ignore", invalid="ignore"):
            value = share @ data.loss.loss(data.y, raw) + strength / 2 * (coef**2).sum()
            pull = data.loss.gradient(data.y, raw) * share[:, None]
        slope = np.asarray(data.columns.T @ pull) + strength * coef
        return float(value), np.concatenate([slope.ravel(), pull.sum(axis=0)])

    point = np.r_[begin.coef.ravel(), begin.intercept]
    flat_slope = float(np.abs(objective(_point(_flat(data)))[1]).max())
    options = {"maxiter": ITERATIONS, "ftol": 1e-10, "gtol": 1e-6 * flat_slope}
    with one_thread_for_matrices():
        solution = minimize(objective, point, jac=True, method="L-BFGS-B", options=options).x
    return Line(solution[:-n_outputs].reshape(shape), solution[-n_outputs:])


def _point(line: Line) -> np.ndarray:
    return np.r_[line.coef.ravel(), line.intercept]


def _flat(data: Data) -> Line:
    """The best constant."""
    intercept = np.asarray(data.loss.init(data.y, data.weight), np.float64)
    return Line(np.zeros((data.columns.shape[1], len(intercept))), intercept)


def _least_squares(data: Data, strength: float) -> Line:
    """Ridge regression, by columns or by rows, whichever are fewer."""
    share = data.weight / data.weight.sum()
    columns = data.columns.toarray() if hasattr(data.columns, "toarray") else data.columns
    centre, middle = share @ columns, share @ data.y
    root = np.sqrt(share)[:, None]
    Z, t = root * (columns - centre), root * (data.y - middle)
    if Z.shape[1] <= Z.shape[0]:
        coef = np.linalg.solve(Z.T @ Z + strength * np.eye(Z.shape[1]), Z.T @ t)
    else:
        coef = Z.T @ np.linalg.solve(Z @ Z.T + strength * np.eye(len(Z)), t)
    return Line(coef, middle - centre @ coef)


@dataclass(frozen=True)
class Scan:
    """The best strength, its mean loss on held-out rows, and where those rows stand."""

    strength: float
    score: float
    raw: np.ndarray


def scan_strengths(data: Data, fold_of: np.ndarray) -> Scan:
    """Try strengths from strong to weak, each on every fold, until they no longer help."""
    folds = [np.flatnonzero(fold_of == k) for k in range(int(fold_of.max()) + 1)]
    rests = [data.take(np.flatnonzero(fold_of != k)) for k in range(len(folds))]
    lines: list[Line | None] = [None] * len(folds)
    best, waited = Scan(STRENGTHS[0], np.inf, np.empty(0)), 0
    for strength in STRENGTHS:
        lines = [fit_line(one, strength, line) for one, line in zip(rests, lines, strict=True)]
        raw = _held_out(data, folds, lines)
        with np.errstate(over="ignore", invalid="ignore"):
            score = float(np.average(data.loss.loss(data.y, raw), weights=data.weight))
        score = score if np.isfinite(score) else np.inf
        waited += 1
        if score < best.score or best.raw.size == 0:
            best, waited = Scan(strength, score, raw), 0
        if waited == PATIENCE:
            break
    return best


def _held_out(data: Data, folds: list[np.ndarray], lines: list[Any]) -> np.ndarray:
    raw = np.empty((len(data.weight), len(lines[0].intercept)))
    for rows, line in zip(folds, lines, strict=True):
        raw[rows] = line.raw(data.columns[rows])
    return raw
