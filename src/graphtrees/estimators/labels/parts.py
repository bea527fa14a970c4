"""Which parts of the evidence help: predictions out of fold with and without each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from graphtrees.ensembles.neighbourhood import Neighbourhood
from graphtrees.estimators.labels.copies import Parts, neighbourhood_of, places_of
from graphtrees.estimators.labels.evidence import NOBODY, Evidence, met_by_walks
from graphtrees.estimators.no_split import without_these_warnings
from graphtrees.estimators.out_of_fold import predictions_of, score

LEAST_CHANCE = 1e-4  # of a class, after residuals are added
STRENGTHS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Trial:
    """The training examples in their folds, and the estimator to try on them."""

    owner: Any  # the WithLabels
    X: Parts
    y: np.ndarray
    weight: np.ndarray | None
    fold: np.ndarray
    scoring: Any

    @property
    def folds(self) -> list[int]:
        return np.unique(self.fold).tolist()

    @property
    def classes(self) -> np.ndarray | None:
        return getattr(self.owner, "classes_", None)

    def fit(self, X: Any, rows: np.ndarray) -> Any:
        """A fitted copy of the estimator; X holds the examples that `rows` number."""
        weight = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return clone(self.owner.estimator).fit(X, self.y[rows], **weight)

    def score(self, predicted: np.ndarray) -> float:
        """The mean score of the folds."""
        scoring = self.scoring
        each = [self.fold == fold for fold in self.folds]
        results = [
            score(scoring, predicted[r], self.y[r], self.classes, self._weight(scoring, r))
            for r in each
        ]
        return float(np.mean(results))

    def _weight(self, scoring: Any, rows: np.ndarray) -> np.ndarray | None:
        if scoring is not None or self.weight is None or not self.weight[rows].any():
            return None
        return self.weight[rows]

    def predicted(self, labels: Evidence | None) -> np.ndarray:
        """Predictions out of fold; with labels, through channels that leave the fold out."""
        results = None
        for fold in self.folds:
            rest, held = np.flatnonzero(self.fold != fold), np.flatnonzero(self.fold == fold)
            train, test = self.X[rest], self.X[held]
            if labels is not None:
                others, view = labels.without(fold), self.owner._view
                train = view(train, others, self.fold[rest], others)
                test = view(test, others, np.full(len(held), NOBODY), others)
            with without_these_warnings():
                model = self.fit(train, rest)
            predicted = predictions_of(model, test, self.classes)
            results = np.zeros((len(self.fold), predicted.shape[1])) if results is None else results
            results[held] = predicted
        assert results is not None
        return results


@dataclass(frozen=True)
class Chosen:
    """The parts that are worth while, and what was predicted out of fold before residuals."""

    scores: dict[str, float]
    uses_channels: bool
    strength: float
    predicted: np.ndarray


def choose_parts(
    trial: Trial, labels: Evidence, values: np.ndarray, weight: np.ndarray
) -> Chosen:  # fmt: skip
    """Try the estimator alone, each part, and both; the best score out of fold wins."""
    around = neighbourhood_of(trial.X)
    scores: dict[str, float] = {}
    results: dict[str, tuple[bool, float, np.ndarray]] = {}
    for uses, name in ((False, "estimator"), (True, "channels")):
        predicted = trial.predicted(labels if uses else None)
        scores[name], results[name] = trial.score(predicted), (uses, 0.0, predicted)
        left = Evidence.of(places_of(trial.X), values - predicted, weight, trial.fold)
        carried = _carried(trial, around, left)
        scored = [trial.score(_corrected(trial, predicted, carried, s)) for s in STRENGTHS]
        name = "channels and residuals" if uses else "residuals"
        scores[name] = max(scored)
        results[name] = uses, STRENGTHS[scored.index(max(scored))], predicted
    # Of equal scores the first listed wins: the simpler one.
    order = ("estimator", "channels", "residuals", "channels and residuals")
    uses, strength, predicted = results[max(order, key=lambda name: scores[name])]
    return Chosen({name: scores[name] for name in order}, uses, strength, predicted)


def _carried(trial: Trial, around: Neighbourhood, left: Evidence) -> np.ndarray:
    """The residuals around each example, those of its own fold left out."""
    places, carried = places_of(trial.X), np.zeros((len(trial.fold), left.values.shape[1]))
    for fold in trial.folds:
        rows = trial.fold == fold
        met = met_by_walks(around, left.without(fold), np.zeros(left.values.shape[1]))
        carried[rows] = met[places[rows]]
    return carried


def _corrected(
    trial: Trial, predicted: np.ndarray, carried: np.ndarray, strength: float
) -> np.ndarray:
    return corrected(predicted, carried, strength, trial.classes is not None)


def corrected(
    predicted: np.ndarray, carried: np.ndarray, strength: float, of_classes: bool
) -> np.ndarray:  # fmt: skip
    """Predictions plus a share of the residuals around; chances stay chances."""
    moved = predicted + strength * carried
    if not of_classes:
        return moved
    moved = np.maximum(moved, LEAST_CHANCE)
    return moved / moved.sum(axis=1, keepdims=True)
