"""XGraphBoost from its description: a GCN is trained, then XGBoost learns from its embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost
from sklearn.base import BaseEstimator

from benchmarks.accuracy.methods.pyg import PygNetwork


class EmbeddingBoosting(BaseEstimator):
    """Trees of depth 4, at least 10 of weight in a leaf, on what the network hands to its head."""

    def __init__(
        self,
        classifies: bool,
        seed: int,
        n_layers: int = 3,
        n_hidden: int = 64,
        learning_rate: float = 1e-3,
        shrinkage: float = 0.1,
        n_estimators: int = 100,
        epochs: int = 1000,
    ) -> None:
        self.classifies = classifies
        self.seed = seed
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.learning_rate = learning_rate
        self.shrinkage = shrinkage
        self.n_estimators = n_estimators
        self.epochs = epochs

    def fit(
        self, X: Any, y: np.ndarray, validation: tuple[Any, np.ndarray] | None = None
    ) -> EmbeddingBoosting:
        self.network_ = PygNetwork(
            "GCN", self.classifies, self.seed, self.n_layers, self.n_hidden, 0.0,
            self.learning_rate, self.epochs,
        ).fit(X, y, validation)  # fmt: skip
        kind = xgboost.XGBClassifier if self.classifies else xgboost.XGBRegressor
        self.trees_ = kind(
            n_estimators=self.n_estimators, learning_rate=self.shrinkage, max_depth=4,
            min_child_weight=10, random_state=self.seed, n_jobs=1,
        )  # fmt: skip
        target = y
        if self.classifies:
            self.classes_, target = np.unique(y, return_inverse=True)  # XGBoost wants 0, 1, ...
        self.trees_.fit(self.network_.embed(X), target)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self.staged(X, (self.n_estimators,), probabilities=False)[0]

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.trees_.predict_proba(self.network_.embed(X))

    def staged(self, X: Any, stages: tuple[int, ...], probabilities: bool) -> list[np.ndarray]:
        """Predictions with the first so many trees; `probabilities`: of the second class."""
        table = self.network_.embed(X)
        ranges = [(0, stage) for stage in stages]
        if probabilities:
            told = [self.trees_.predict_proba(table, iteration_range=each) for each in ranges]
            return [values[:, 1] for values in told]
        told = [self.trees_.predict(table, iteration_range=each) for each in ranges]
        return [self.classes_[values] for values in told] if self.classifies else told
