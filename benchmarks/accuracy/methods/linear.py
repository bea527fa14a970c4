"""A linear model of a vertex's features and of their means over its neighbourhood."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from benchmarks.accuracy.methods.tables import vertex_columns
from graphtrees import Vertices

STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)


class SmoothedLinear(BaseEstimator):
    """Logistic or ridge regression; how strong it is regularised is chosen by inner folds."""

    def __init__(self, classifies: bool, seed: int) -> None:
        self.classifies = classifies
        self.seed = seed

    def fit(self, X: Vertices, y: np.ndarray) -> SmoothedLinear:
        table = vertex_columns(X)
        if sp.issparse(table):
            steps: list[Any] = [MaxAbsScaler()]
        else:
            steps = [SimpleImputer(), StandardScaler()]
        model = self._logistic() if self.classifies else RidgeCV(np.logspace(-2, 4, 13))
        self.model_ = make_pipeline(*steps, model).fit(table, y)
        return self

    def _logistic(self) -> GridSearchCV:
        folds = StratifiedKFold(3, shuffle=True, random_state=self.seed)
        return GridSearchCV(LogisticRegression(max_iter=500), {"C": STRENGTHS}, cv=folds)

    def predict(self, X: Vertices) -> np.ndarray:
        return self.model_.predict(vertex_columns(X))

    def predict_proba(self, X: Vertices) -> np.ndarray:
        return self.model_.predict_proba(vertex_columns(X))
