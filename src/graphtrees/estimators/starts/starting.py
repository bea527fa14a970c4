"""Where the examples of a boosting estimator stand before any tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtrees.candidates.features import FeatureTable
from graphtrees.ensembles.boosting import Boosting
from graphtrees.estimators.continuing import Beginning
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.reading import Examples, read_examples
from graphtrees.estimators.starts.borrowed import BorrowedStart
from graphtrees.estimators.starts.choosing import Start, make_start
from graphtrees.estimators.watching import Task


class Starting:
    """The part of boosting that knows `init`."""

    init_: np.ndarray
    warm_start: bool
    _table: FeatureTable
    _start: Start | None
    _start_raw: np.ndarray | None

    @property
    def init_estimator_(self) -> Any:
        """The model that the trees start from: the linear model or the fitted `init`, or None."""
        check_is_fitted(self)
        start = self._start
        return start.estimator if isinstance(start, BorrowedStart) else start

    @describe_arguments
    def start_values(self, X: Any) -> np.ndarray:
        """Where each example stands before any tree, (n_examples, n_outputs).

        The rows are `init_`, plus what the model `init_estimator_` adds where there is one.
        """
        check_is_fitted(self)
        return self._begin(X, read_examples(self, X, reset=False), self.init_)

    def _place(
        self, boosting: Boosting, start: Beginning, task: Task, examples: Examples, hashed: str
    ) -> None:
        """Put the training examples where `init` says, or where an earlier run began."""
        same = start.init is None or (start.run is not None and start.run.examples == hashed)
        raw, self._start = start.raw if same else None, start.start
        if same and raw is None:
            fitted = make_start(self, task, examples, boosting.y, boosting.weight, start.seed)
            if fitted is not None:
                raw = fitted.raw
                if start.init is None:
                    boosting.begin_from(fitted.init, raw)
                    self._start = fitted.start
        if start.init is not None:
            if raw is None and self._start is not None:  # new examples: the start never saw them
                raw = start.init + self._start.raw(self._table, task.X, examples)
            generator = None if start.run is None else start.run.generator
            boosting.begin_from(start.init, raw, generator)
        self._start_raw = raw if self.warm_start else None

    def _begin(self, X: Any, examples: Examples, init: np.ndarray) -> np.ndarray:
        """Where examples stand before any tree, (n_examples, n_outputs)."""
        raw = np.tile(init, (examples.n, 1)).astype(np.float64)
        if self._start is not None:
            raw += self._start.raw(self._table, X, examples)
        return raw
