"""What both boosting estimators share: the fit, and sums of trees."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphtrees._communicator import workers_of
from graphtrees._progress import Progress
from graphtrees._threads import Workers
from graphtrees.ensembles.boosting import Boosting, BoostingSettings
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees, Run
from graphtrees.ensembles.losses import Loss
from graphtrees.ensembles.monitor import Monitor, Watched
from graphtrees.ensembles.prediction import route, staged_values, start_values
from graphtrees.ensembles.rounds import check_callbacks, repeat_rounds, run_rounds
from graphtrees.estimators.base import GraphTreesEstimator
from graphtrees.estimators.continuing import Beginning, begin, describe_fixed
from graphtrees.estimators.fit_arguments import refuse_foreign_callbacks
from graphtrees.estimators.fitted_methods import one_tree
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.no_split import warn_of_no_split
from graphtrees.estimators.parameters import check_parameters, flag, number, whole
from graphtrees.estimators.scoring import SCORING, Given, make_metrics
from graphtrees.estimators.several_workers import refuse_alone_only
from graphtrees.estimators.single import GraphTreeRegressor
from graphtrees.estimators.starts.choosing import INIT
from graphtrees.estimators.starts.starting import Starting
from graphtrees.estimators.watching import (
    Task,
    hold_out,
    is_empty,
    read_eval_sets,
    warn_of_unused,
)
from graphtrees.graphs.labels import as_labels
from graphtrees.validation.baseline import one_answer
from graphtrees.validation.examples import read_examples, read_weight
from graphtrees.validation.fingerprints import fingerprint
from graphtrees.validation.models import fitted_trees

BOOSTING = {
    "n_estimators": whole(1),
    "learning_rate": number(0.0, open_low=True),
    "l2_regularization": number(0.0),
    "subsample": number(0.0, 1.0, open_low=True),
    "feature_fraction": number(0.0, 1.0, open_low=True),
    "feature_fraction_per_node": number(0.0, 1.0, open_low=True),
    "early_stopping": flag,
    "validation_fraction": number(0.0, 1.0, open_low=True),
    "n_iter_no_change": whole(1),
    "tol": number(0.0),
    "scoring": SCORING,
    "init": INIT,
    "warm_start": flag,
}


@dataclass(frozen=True, eq=False)
class Targets:
    """Class numbers (n,) or numbers (n, n_outputs), with their weights, classes and loss."""

    y: np.ndarray
    weight: np.ndarray
    loss: Loss
    n_outputs: int
    classes: np.ndarray | None = None
    class_weights: np.ndarray | None = None


class BoostedTrees(Starting, GraphTreesEstimator):
    """Boosting, whatever is predicted. Subclasses read y, and know the loss."""

    @property
    def estimators_(self) -> np.ndarray:
        """The trees as estimators of their own, a row for each round: what each adds, before the
        learning rate."""
        trees = fitted_trees(self).trees
        alone = np.empty(len(trees), dtype=object)
        alone[:] = [one_tree(GraphTreeRegressor, self, tree) for tree in trees]
        return alone.reshape(self.n_iter_, -1)

    @property
    def best_score_(self) -> dict[str, dict[str, float]]:
        """The scores after the round `best_iteration_`: set name -> metric name -> score."""
        check_is_fitted(self)
        return {
            where: {name: values[self.best_iteration_] for name, values in scores.items()}
            for where, scores in self.evals_result_.items()
        }

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None,
        callbacks: Any = None, resume_from: Any = None,
    ) -> Self:  # fmt: skip
        """Add trees round by round.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, GraphFiles, GraphTables, or table
            The examples. Of `GraphTables`, the vertices that have a label.
        y : array of shape (n_examples,), for regression also (n_examples, n_outputs), or str
            The class or number of each example, or the name of a column of Parquet files.
        sample_weight : array of shape (n_examples,) or str, optional
            How much each example counts; default 1.
        eval_set : (X, y), (X, y, sample_weight), list or dict of name -> these, optional
            Examples to watch; early stopping goes by the last of them.
        callbacks : list, optional
            Objects with `before_round(state)` and `after_round(state)`, or functions called after
            each round; a true return value ends the training. `state` has `round`, `n_rounds`,
            `evals_result` and `model`, a fitted estimator of the trees so far.
        resume_from : path, optional
            A file that `Checkpoint` or `save` wrote: training goes on from its trees, with the
            same X, y and parameters (other than `n_estimators`), to the same model as if it had
            never stopped.

        Returns
        -------
        self

        Notes
        -----
        Ctrl-C ends the training with the rounds that are complete and a warning that says how many.
        """
        check_parameters(self, self._constraints)
        refuse_alone_only(self, X)
        warn_of_unused(self)
        refuse_foreign_callbacks(type(self), callbacks)
        callbacks = check_callbacks(callbacks)
        start = begin(self, resume_from, workers_of(X))
        task = Task(X, y, sample_weight)
        sets = [one.read() for one in read_eval_sets(eval_set)]
        held_out = self.early_stopping and not sets
        if held_out:
            by_class = isinstance(self, ClassifierMixin)
            task, held = hold_out(task, self.validation_fraction, by_class, start.seed)
            sets = [held]
        with self._workers() as workers:
            examples, targets, boosting, fitted = self._boosting(task, start, workers)
            train = Watched("train", boosting.y, boosting.weight, boosting.raw, given=_given(task))
            watched = [self._watch(one, targets, fitted, workers, held_out) for one in sets]
            monitor = self._monitor(boosting, fitted, [train, *watched])
            if start.earlier is not None:
                repeat_rounds(boosting, monitor, start.earlier.trees, start.earlier.outputs)
            kept = self._train(boosting, fitted, monitor, callbacks)
            answer = one_answer(y, fitted.classes is not None)
            fitted = replace(fitted, training=replace(fitted.training, answer=answer))
            self._keep(boosting, fitted, monitor, kept)
        warn_of_no_split(self, examples, boosting.y, boosting.weight)
        return self

    def _boosting(
        self, task: Task, start: Beginning, workers: Workers
    ) -> tuple[Examples, Targets, Boosting, FittedTrees]:
        """Read the examples and place them where the run begins."""
        examples, fitted = self._read_training(task.X)
        fitted = start.carry_over(fitted)
        weight = read_weight(task.weight, examples.n)
        targets = self._read_y(task.y, weight, examples.n)
        settings, rng = self._settings(examples.n, targets), np.random.default_rng(start.seed)
        fitted = replace(
            fitted, classes=targets.classes, loss=targets.loss, scale=settings.learning_rate
        )
        routes = start.earlier is not None or self.subsample < 1 or not targets.weight.all()
        data = self._training_data(fitted, examples, workers, targets.n_outputs, routes)
        boosting = Boosting(data, targets.y, targets.weight, targets.loss, settings, rng)
        hashed = fingerprint(examples, targets.y, targets.weight)
        start.check(self, fitted, hashed, len(boosting.init))
        fitted = self._place(boosting, fitted, start, task, examples, hashed)
        run = Run(start.seed, boosting.generator, hashed, describe_fixed(self))
        fitted = replace(fitted, training=replace(fitted.training, run=run))
        return examples, targets, boosting, fitted

    def _trees_at_once(self, n_threads: int, n_classes: int) -> int:
        return 1 if self._shares_tree(n_classes) or n_classes < 3 else min(n_threads, n_classes)

    def _share_of_questions(self, n_questions: int) -> float:
        return float(self.feature_fraction_per_node)

    def _settings(self, n_examples: int, targets: Targets) -> BoostingSettings:
        return BoostingSettings(
            learning_rate=float(self.learning_rate),
            limits=self._limits(n_examples),
            l2_regularization=float(self.l2_regularization),
            subsample=self.subsample,
            feature_fraction=self.feature_fraction,
            feature_fraction_per_node=self.feature_fraction_per_node,
            shared_tree=self._shares_tree(targets.n_outputs),
        )

    def _watch(
        self, task: Task, targets: Targets, fitted: FittedTrees, workers: Workers, held_out: bool
    ) -> Watched:
        if is_empty(task.X):
            raise ValueError(f"eval_set {task.name!r} holds no examples; at least one is needed")
        examples = read_examples(fitted, task.X)
        weight = read_weight(task.weight, examples.n, f"eval_set {task.name!r}: sample_weight")
        y, weight = self._read_eval_y(task.y, weight, examples.n, targets, held_out)
        raw, router = start_values(fitted, examples), route(fitted, examples, workers)
        return Watched(task.name, y, weight, raw, router, _given(task))

    def _monitor(self, boosting: Boosting, fitted: FittedTrees, sets: list[Watched]) -> Monitor:
        metrics = make_metrics(
            fitted, lambda: self._so_far(boosting, fitted, monitor), self.scoring
        )
        if self.early_stopping and not metrics:
            raise ValueError(
                "early_stopping=True needs something to watch: give the loss a method "
                "loss(y, raw), or set scoring (a loss that is a function has no value to watch)"
            )
        patience = self.n_iter_no_change if self.early_stopping else None
        monitor = Monitor(metrics, sets, patience, self.tol)
        return monitor

    def _train(
        self, boosting: Boosting, fitted: FittedTrees, monitor: Monitor, callbacks: list
    ) -> int:
        n_done = len(boosting.trees) // boosting.trees_a_round
        progress = Progress("round", self.n_estimators, self.verbose, n_done)
        return run_rounds(
            boosting, self.n_estimators, monitor, callbacks, progress,
            lambda: self._so_far(boosting, fitted, monitor),
        )  # fmt: skip

    def _so_far(self, boosting: Boosting, fitted: FittedTrees, monitor: Monitor) -> Self:
        """A fitted copy with the trees that are there."""
        model = copy.copy(self)
        model._keep(boosting, fitted, monitor, len(boosting.trees) // boosting.trees_a_round)
        model.evals_result_ = copy.deepcopy(monitor.results)
        return model

    def _keep(
        self, boosting: Boosting, fitted: FittedTrees, monitor: Monitor, n_rounds: int
    ) -> None:
        n_trees, training = n_rounds * boosting.trees_a_round, fitted.training
        assert training.run is not None
        run = replace(training.run, generator=boosting.generator)
        self._fitted = replace(
            fitted, trees=tuple(boosting.trees[:n_trees]),
            outputs=tuple(boosting.outputs[:n_trees]), training=replace(training, run=run),
        )  # fmt: skip
        self.init_ = boosting.init
        self.n_iter_ = n_rounds
        self.best_iteration_ = monitor.best_round if monitor.best_round >= 0 else n_rounds - 1
        self.evals_result_ = monitor.results

    def _staged(
        self, X: Any, answer: Callable[[FittedTrees, np.ndarray], np.ndarray]
    ) -> Iterator[np.ndarray]:
        """What is answered after each round."""
        fitted = fitted_trees(self)
        with self._workers() as workers:
            examples = read_examples(fitted, X)
            for raw in staged_values(fitted, examples, workers, self.n_iter_):
                yield answer(fitted, raw)

    # ---- what subclasses know -------------------------------------------------------------------

    def _shares_tree(self, n_outputs: int) -> bool:
        """Whether one tree of a round adds to all outputs."""
        return False

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> Targets:
        raise NotImplementedError

    def _read_eval_y(
        self, y: Any, weight: np.ndarray, n: int, targets: Targets, held_out: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


def _given(task: Task) -> Given:
    weight = None if task.weight is None else np.asarray(task.weight)
    return Given(task.X, as_labels(task.y), weight)
