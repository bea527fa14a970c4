"""Where the examples of a boosting estimator stand before any tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from graphtrees.ensembles.boosting import Boosting
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.prediction import start_values
from graphtrees.estimators.continuing import Beginning
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.starts.borrowed import BorrowedStart
from graphtrees.estimators.starts.choosing import make_start
from graphtrees.estimators.watching import Task
from graphtrees.validation.examples import read_examples
from graphtrees.validation.models import fitted_trees


class Starting:
    """The part of boosting that knows `init`."""

    warm_start: bool

    @property
    def init_estimator_(self) -> Any:
        """The model that the trees start from: the linear model or the fitted `init`, or None."""
        start = fitted_trees(self).start
        return start.estimator if isinstance(start, BorrowedStart) else start

    @describe_arguments
    def start_values(self, X: Any) -> np.ndarray:
        """Where each example stands before any tree, (n_examples, n_outputs).

        The rows are `init_`, plus what the model `init_estimator_` adds where there is one.
        """
        fitted = fitted_trees(self)
        return start_values(fitted, read_examples(fitted, X))

    def _place(
        self, boosting: Boosting, fitted: FittedTrees, start: Beginning, task: Task,
        examples: Examples, hashed: str,
    ) -> FittedTrees:  # fmt: skip
        """Put the training examples where `init` says, or where an earlier run began."""
        earlier, run = start.earlier, start.run
        same = earlier is None or (run is not None and run.examples == hashed)
        raw = earlier.training.start_raw if earlier is not None and same else None
        model = None if earlier is None else earlier.start
        if same and raw is None:
            started = make_start(
                self, fitted, task, examples, boosting.y, boosting.weight, start.seed
            )
            if started is not None:
                raw = started.raw
                if earlier is None:
                    boosting.begin_from(started.init, raw)
                    model = started.start
        if earlier is not None and earlier.init is not None:
            if raw is None and model is not None:  # new examples: the start never saw them
                raw = earlier.init + model.raw(fitted.features, examples)
            boosting.begin_from(earlier.init, raw, None if run is None else run.generator)
        training = replace(fitted.training, start_raw=raw if self.warm_start else None)
        return replace(fitted, init=boosting.init, start=model, training=training)
