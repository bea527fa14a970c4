"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.model_selection import train_test_split

from graphtrees._progress import Progress
from graphtrees._threads import Workers
from graphtrees.ensembles import losses
from graphtrees.ensembles.boosting import Boosting, BoostingSettings
from graphtrees.ensembles.monitor import EvalSet, Metric, Monitor
from graphtrees.ensembles.rounds import run_rounds
from graphtrees.estimators.base import GraphTreesEstimator
from graphtrees.estimators.parameters import (
    COMMON,
    GROWTH,
    QUESTIONS,
    flag,
    keep_parameters,
    number,
    one_of,
    whole,
)
from graphtrees.estimators.reading import Examples, read_weight
from graphtrees.estimators.targets import CLASS_WEIGHT, read_labels, read_numbers, weigh_classes
from graphtrees.trees.routing import Router, sum_values

BOOSTING = {
    "n_estimators": whole(1),
    "learning_rate": number(0.0, open_low=True),
    "l2_regularization": number(0.0),
    "subsample": number(0.0, 1.0, open_low=True),
    "feature_fraction": number(0.0, 1.0, open_low=True),
    "early_stopping": flag,
    "validation_fraction": number(0.0, 1.0, open_low=True),
    "n_iter_no_change": whole(1),
    "tol": number(0.0),
    "warm_start": flag,
}
REGRESSION_LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson")
STRATEGIES = ("one_vs_rest", "softmax", "multi_output_tree")


class _Boosting(GraphTreesEstimator):
    """What both share: the fit, and sums of trees."""

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None,
        callbacks: Any = None,
    ) -> Self:  # fmt: skip
        """Add trees round by round.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, or table (n_examples, n_features)
            What gets a label.
        y : array of shape (n_examples,)
            Its labels.
        sample_weight : array of shape (n_examples,), optional
        eval_set : (X, y), list of (X, y), or dict of name -> (X, y), optional
            Examples to watch; early stopping goes by the last of them.
        callbacks : list, optional
            Objects with `before_round(state)` and `after_round(state)`, or functions called after
            each round; a true return value ends the training.
        """
        watched = _name_sets(eval_set)
        if self.early_stopping and not watched:
            X, y, sample_weight, watched = self._hold_out(X, y, sample_weight)
        old = self._to_continue()
        examples = self._read_training(X)
        weight = read_weight(sample_weight, examples.n)
        y, weight = self._read_y(y, weight, examples.n)
        loss = self._make_loss()
        with self._workers() as workers:
            boosting = Boosting(
                self._training_data(examples, workers), y, weight, loss, self._settings(),
                np.random.default_rng(self._seed()),
            )  # fmt: skip
            if old is not None:
                boosting.continue_from(*old)
            eval_sets = [self._watch(*one, boosting, workers) for one in watched]
            self._run(boosting, eval_sets, callbacks or ())
        return self

    def _run(self, boosting: Boosting, eval_sets: list[EvalSet], callbacks: Any) -> None:
        per_round = 1 if boosting.settings.shared_tree else boosting.raw.shape[1]
        first = len(boosting.trees) // per_round
        if first > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be at least the {first} rounds already "
                "made when warm_start=True"
            )
        metric = Metric("loss", boosting.loss.mean)
        patience = self.n_iter_no_change if self.early_stopping else None
        monitor = Monitor([metric], patience, self.tol)
        progress = Progress("round", self.n_estimators, self.verbose)
        kept = run_rounds(
            boosting, first, self.n_estimators, monitor, eval_sets, callbacks, progress
        )
        self._trees = boosting.trees[: kept * per_round]
        self._outputs = boosting.outputs[: kept * per_round]
        self.init_ = boosting.init
        self.n_iter_ = kept
        self.best_iteration_ = monitor.best_round
        self.evals_result_ = monitor.results

    def _to_continue(self) -> tuple | None:
        if not (self.warm_start and hasattr(self, "_trees")):
            return None
        return self.init_, self._trees, self._outputs

    def _settings(self) -> BoostingSettings:
        return BoostingSettings(
            learning_rate=self.learning_rate,
            limits=self._limits(),
            l2_regularization=self.l2_regularization,
            subsample=self.subsample,
            feature_fraction=self.feature_fraction,
            shared_tree=getattr(self, "multi_strategy", None) == "multi_output_tree",
        )

    def _hold_out(self, X: Any, y: Any, sample_weight: Any) -> tuple:
        """Set a part of the examples aside for early stopping."""
        n = len(y)
        strata = y if isinstance(self, ClassifierMixin) else None
        rng = np.random.RandomState(self._seed())
        rest, held = train_test_split(
            np.arange(n), test_size=self.validation_fraction, stratify=strata, random_state=rng
        )
        X = X if hasattr(X, "__getitem__") and not isinstance(X, (list, tuple)) else list(X)
        y = np.asarray(y)
        weight = None if sample_weight is None else np.asarray(sample_weight)
        part = [_choose(X, rest), y[rest], None if weight is None else weight[rest]]
        return (*part, [("validation", _choose(X, held), y[held])])

    def _watch(self, name: str, X: Any, y: Any, boosting: Boosting, workers: Workers) -> EvalSet:
        self._trees = []  # enough for a router: features, kind and questions are known
        router = self._router(X, workers)
        weight = np.ones(router.n_examples)
        y, weight = self._read_eval_y(y, weight, router.n_examples)
        raw = np.tile(boosting.init, (router.n_examples, 1)).astype(np.float64)
        one = EvalSet(name, router, y, weight, raw)
        one.advance(boosting.trees, boosting.outputs, boosting.settings.learning_rate)
        return one

    def _raw(self, X: Any) -> np.ndarray:
        with self._workers() as workers:
            router = self._router(X, workers)
            raw = np.tile(self.init_, (router.n_examples, 1)).astype(np.float64)
            sum_values(router, self._trees, self._outputs, self.learning_rate, raw)
        return raw

    def _staged_raw(self, X: Any) -> Iterator[np.ndarray]:
        with self._workers() as workers:
            router: Router = self._router(X, workers)
            raw = np.tile(self.init_, (router.n_examples, 1)).astype(np.float64)
            per_round = len(self._trees) // max(1, self.n_iter_)
            for start in range(0, len(self._trees), max(1, per_round)):
                stop = start + per_round
                sum_values(
                    router, self._trees[start:stop], self._outputs[start:stop],
                    self.learning_rate, raw,
                )  # fmt: skip
                yield raw.copy()


def _name_sets(eval_set: Any) -> list[tuple[str, Any, Any]]:
    """(name, X, y) of every set to watch."""
    if eval_set is None:
        return []
    if isinstance(eval_set, dict):
        return [(str(name), X, y) for name, (X, y) in eval_set.items()]
    if isinstance(eval_set, tuple) and len(eval_set) == 2:
        return [("validation", *eval_set)]
    named = [(f"validation_{k}", *pair) for k, pair in enumerate(eval_set)]
    if any(len(entry) != 3 for entry in named):
        raise ValueError("eval_set must be (X, y), a list of (X, y), or a dict of name -> (X, y)")
    return named


def _choose(X: Any, rows: np.ndarray) -> Any:
    if isinstance(X, list):
        return [X[i] for i in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


class GraphBoostingClassifier(ClassifierMixin, _Boosting):
    """Gradient boosting that classifies graphs, vertices or edges.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=0.1
        What each tree's values are multiplied by.
    max_walk_length, max_ancestor_distance, walk_types, aggregators, walk_type_probability, \
operators, add_constant, categorical_features
        Which questions a split may ask; see `GraphTreeClassifier`.
    max_leaf_nodes : int or None, default=10
    max_depth : int or None, default=None
    min_samples_leaf : int, default=10
    min_gain, ccp_alpha : float, default=0.0
    max_bins : int or None, default=255
        The size of a tree; see `GraphTreeClassifier`.
    loss : {"log_loss"}
    multi_strategy : {"one_vs_rest", "softmax", "multi_output_tree"}, default="one_vs_rest"
        For three classes and more: one tree per class and round, each against the rest; one per
        class bound by the softmax; or one tree per round with a value for every class.
    l2_regularization : float, default=0.0
    subsample, feature_fraction : float, default=1.0
        Share of the examples, and of the feature columns, that each tree sees.
    early_stopping : bool, default=False
        Stop when the loss of the last `eval_set`, or of a share `validation_fraction` set aside,
        has not improved by more than `tol` for `n_iter_no_change` rounds; the trees after the
        best round are dropped.
    class_weight : dict, "balanced" or None
    warm_start : bool, default=False
        Whether `fit` goes on from the trees already there.
    random_state : int, RandomState or None
    n_jobs : int or None
    verbose : int, default=0

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_, feature_importances_
    init_ : ndarray
        What each output starts from: the decision function is `init_` plus `learning_rate` times
        the sum of the leaves' values.
    n_iter_ : int
        Rounds kept.
    evals_result_ : dict
        Set name -> metric name -> score after each round.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=200, n_vertices=20, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 2)
    """

    _constraints = QUESTIONS | GROWTH | COMMON | BOOSTING | {
        "loss": one_of("log_loss"),
        "multi_strategy": one_of(*STRATEGIES),
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self, n_estimators=100, *, learning_rate=0.1,
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        max_leaf_nodes=10, max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="log_loss", multi_strategy="one_vs_rest", l2_regularization=0.0,
        subsample=1.0, feature_fraction=1.0, early_stopping=False, validation_fraction=0.1,
        n_iter_no_change=10, tol=1e-7, class_weight=None, warm_start=False, random_state=None,
        n_jobs=None, verbose=0,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        self.classes_, codes = read_labels(y, n)
        return codes, weigh_classes(self.class_weight, self.classes_, codes, weight)

    def _read_eval_y(self, y: Any, weight: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        present, codes = read_labels(y, n)
        unknown = np.setdiff1d(present, self.classes_)
        if len(unknown):
            raise ValueError(f"eval_set holds the class {unknown[0]!r}, which y does not")
        return np.searchsorted(self.classes_, present)[codes], weight

    def _make_loss(self) -> losses.Loss:
        if len(self.classes_) <= 2:
            return losses.BinaryLogLoss()
        kind = losses.OneVsRest if self.multi_strategy == "one_vs_rest" else losses.Softmax
        return kind(len(self.classes_))

    def decision_function(self, X: Any) -> np.ndarray:
        """Sums of the trees: (n_examples,) for two classes, else (n_examples, n_classes)."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def _link(self, raw: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        return self._make_loss().link(raw)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        return self._link(self._raw(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each round."""
        for raw in self._staged_raw(X):
            yield self._link(raw)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        for chances in self.staged_predict_proba(X):
            yield self.classes_[chances.argmax(axis=1)]

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        for raw in self._staged_raw(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw


class GraphBoostingRegressor(RegressorMixin, _Boosting):
    """Gradient boosting that predicts numbers for graphs, vertices or edges.

    The parameters are those of `GraphBoostingClassifier` without the classes, and

    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson"}
    alpha : float, default=0.9
        The level of the "quantile" loss, and the share of residuals that "huber" takes as small.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_walk_counts("source", n_graphs=50, random_state=0)
    >>> model = gt.GraphBoostingRegressor(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> model.predict(data.X).shape
    (50,)
    """

    _constraints = QUESTIONS | GROWTH | COMMON | BOOSTING | {
        "loss": one_of(*REGRESSION_LOSSES),
        "alpha": number(0.0, 1.0, open_low=True),
    }

    def __init__(
        self, n_estimators=100, *, learning_rate=0.1,
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        max_leaf_nodes=10, max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="squared_error", alpha=0.9, l2_regularization=0.0,
        subsample=1.0, feature_fraction=1.0, early_stopping=False, validation_fraction=0.1,
        n_iter_no_change=10, tol=1e-7, warm_start=False, random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        values = read_numbers(y, n)
        if self.loss == "poisson" and (values < 0).any():
            raise ValueError("loss='poisson' wants y >= 0; some values are negative")
        return values, weight

    _read_eval_y = _read_y

    def _make_loss(self) -> losses.Loss:
        return {
            "squared_error": losses.SquaredError,
            "absolute_error": losses.AbsoluteError,
            "huber": lambda: losses.Huber(self.alpha),
            "quantile": lambda: losses.Quantile(self.alpha),
            "poisson": losses.Poisson,
        }[self.loss]()

    def _shape(self, raw: np.ndarray) -> np.ndarray:
        values = self._make_loss().link(raw)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        return self._shape(self._raw(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        for raw in self._staged_raw(X):
            yield self._shape(raw)
