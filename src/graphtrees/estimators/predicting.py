"""Predictions of classes and of numbers, for trees, forests and boosting alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from graphtrees.ensembles.prediction import predictions, probabilities
from graphtrees.estimators.base import GraphTreesEstimator
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.predict_arguments import takes_examples_alone
from graphtrees.validation.targets import labels_to_score


class ScoresClasses(ClassifierMixin):
    """Accuracy as the score, whatever kind of array the labels are in."""

    @describe_arguments
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of examples whose class is predicted."""
        return super().score(X, labels_to_score(y), sample_weight)


class PredictsClasses(ScoresClasses, GraphTreesEstimator):
    """Class probabilities, and the most probable class."""

    classes_: np.ndarray

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    @describe_arguments
    @takes_examples_alone
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        raw = self._raw(X)
        return probabilities(self._fitted, raw)

    @describe_arguments
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @describe_arguments
    @takes_examples_alone
    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        raw = self._raw(X)
        return predictions(self._fitted, raw)


class PredictsNumbers(RegressorMixin, GraphTreesEstimator):
    """One number for each output."""

    @describe_arguments
    @takes_examples_alone
    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        raw = self._raw(X)
        return predictions(self._fitted, raw)
