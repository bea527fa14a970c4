"""An estimator that is told the labels around each example."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from graphtrees.ensembles.prediction import one_column
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.labels.copies import (
    Parts,
    among_used,
    neighbourhood_of,
    places_of,
    with_columns,
)
from graphtrees.estimators.labels.evidence import Evidence, channels, met_by_walks, usual_weight
from graphtrees.estimators.labels.memory import LabelMemory, gather
from graphtrees.estimators.labels.parts import Trial, choose_parts, corrected
from graphtrees.estimators.labels.reading import (
    channel_names,
    check_pair,
    n_hidden,
    read_further,
    read_parts,
)
from graphtrees.estimators.out_of_fold import SCORER, predictions_of
from graphtrees.estimators.parameters import Constraint, check_parameters, seed, whole
from graphtrees.validation.examples import read_weight
from graphtrees.validation.metrics import as_scorer
from graphtrees.validation.targets import labels_to_score, read_labels, read_numbers

ESTIMATOR = Constraint(
    "an estimator with fit and predict",
    lambda v: not isinstance(v, type) and hasattr(v, "fit") and hasattr(v, "predict"),
)


def _has(method: str) -> Any:
    return available_if(lambda self: hasattr(self.estimator, method))


class WithLabels(MetaEstimatorMixin, BaseEstimator):
    """Let an estimator of vertices or edges know the labels around each of them.

    For graphs of which some labels are known when others are predicted, such as a social network
    where some members have told their age. Two parts are tried, and each is kept only if it
    improves predictions out of fold:

    - *channels*: further features with the mean label of the labelled neighbours, of those two
      steps away, and of those that a random walk meets (a personalised PageRank);
    - *residuals*: what the estimator got wrong at labelled examples, carried along the edges and
      added to the predictions nearby, as much as helps.

    An example is never shown its own label: its fold is left out of the labels of the graph that
    it is trained on, so that walks along edges cannot bring its label back either. Labels are
    remembered with their graph: a graph is known again by all that is in it.

    Parameters
    ----------
    estimator : estimator
        A classifier or regressor of this library, or one that takes the same `X`.
    cv : int, default=5
        Folds. Fitting takes about 2 × `cv` + 1 fits of the estimator.
    scoring : str, callable or None, default=None
        What decides whether a part is kept: a scorer of scikit-learn, or a metric
        ``(y_true, y_pred)``, which counts negatively if its name says that it is an error. None:
        the log loss for classes, the squared error for numbers.
    random_state : int, RandomState or None, default=None
        Deals out the folds.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator; its features are those of `transform` if `uses_channels_`.
    uses_channels_ : bool
        Whether it sees label channels.
    residual_strength_ : float
        0 where residuals are not used.
    scores_ : dict of str to float
        The score out of fold with neither part, with each, and with both; more is better.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; of classifiers.
    n_features_in_ : int
        Number of features seen in `fit`.

    Examples
    --------
    Two groups that hardly meet, and no features at all:

    >>> import numpy as np, graphtrees as gt
    >>> rng = np.random.default_rng(0)
    >>> group = np.arange(80) % 2
    >>> chance = np.where(group[:, None] == group, 0.2, 0.01)
    >>> g = gt.Graph(None, np.argwhere(np.triu(rng.random((80, 80)) < chance, 1)), n_vertices=80)
    >>> train, test = g.vertices[:50], g.vertices[50:]
    >>> model = gt.WithLabels(gt.GraphBoostingClassifier(20), cv=3, random_state=0)
    >>> model.fit(train, group[:50]).score(test, group[50:])
    1.0
    """

    def __init__(
        self, estimator: Any, cv: int = 5, *, scoring: Any = None, random_state: Any = None
    ):
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        return tags

    # ---- fitting ----------------------------------------------------------------------------

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit on vertices or edges, and decide which parts to use.

        Parameters
        ----------
        X : Vertices or Edges
            The examples, in graphs of which other labels may be known.
        y : array of shape (n_examples,), for regression also (n_examples, n_outputs)
            The class or number of each example.
        sample_weight : array of shape (n_examples,), optional
            Labels of weight 0 are no evidence.
        """
        constraints = {
            "estimator": ESTIMATOR, "cv": whole(2), "scoring": SCORER, "random_state": seed,
        }  # fmt: skip
        check_parameters(self, constraints)
        X = among_used(read_parts(X))
        self._kind = type(X)
        weight = read_weight(sample_weight, len(X))
        y, values = self._read_y(y, len(X))
        self.n_features_in_ = X.graphs.flat.n_features
        fold = self._deal_out(X)
        known_weight = None if sample_weight is None else weight
        trial = Trial(self, X, y, known_weight, fold, as_scorer(self.scoring))
        labels = Evidence.of(places_of(X), values, weight, fold)
        self._all_labels, self._usual_weight = labels, usual_weight(neighbourhood_of(X))
        chosen = choose_parts(trial, labels, values, weight)
        self.scores_, self.uses_channels_ = chosen.scores, chosen.uses_channels
        self.residual_strength_ = chosen.strength
        self._labels = LabelMemory.of(X[weight > 0], values[weight > 0], fold[weight > 0])
        residuals = (values - chosen.predicted)[weight > 0]
        self._residuals = LabelMemory.of(X[weight > 0], residuals, fold[weight > 0])
        view = self._view(X, labels, fold, labels) if self.uses_channels_ else X
        self.estimator_ = trial.fit(view, np.arange(len(X)))
        return self

    def _read_y(self, y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The labels as given, and what is carried along edges: indicators, or numbers."""
        if not is_classifier(self.estimator):
            values = read_numbers(y, n)
            self._n_values = values.shape[1]
            return (values[:, 0] if values.shape[1] == 1 else values), values
        self.classes_, codes = read_labels(y, n)
        self._n_values = len(self.classes_)
        return self.classes_[codes], np.eye(self._n_values)[codes]

    def _deal_out(self, X: Parts) -> np.ndarray:
        """A fold for each example, by its place alone: never by its label."""
        places, back = np.unique(places_of(X), return_inverse=True)
        if len(places) < self.cv:
            raise ValueError(f"cv={self.cv} folds need as many examples; got {len(places)}")
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        return (rng.permutation(len(places)) % self.cv)[back]

    # ---- evidence ---------------------------------------------------------------------------

    @describe_arguments
    def transform(self, X: Any, known: Any = None) -> Parts:
        """The examples in graphs with label channels, as the estimator sees them.

        An example of the training set sees what it was trained on: labels outside of its fold.
        """
        check_is_fitted(self)
        X = among_used(self._read_new(X))
        further = None if known is None else self._read_known(known)
        labels, group = gather(X, self._labels, further, self._n_values)
        return self._view(X, labels, group, self._all_labels)

    def _view(self, X: Parts, labels: Evidence, group: np.ndarray, trained_on: Evidence) -> Parts:
        """The examples with channels; each looks at labels that are not of its group.

        Where few labels are near, what counts is the mean of those that were trained on, whatever
        else is asked about.
        """
        around = neighbourhood_of(X)
        classes = getattr(self, "classes_", None)
        shown = slice(n_hidden(classes), None)
        groups, copy_of = np.unique(group, return_inverse=True)
        columns = []
        for one in groups.tolist():
            others, prior = labels.without(one), trained_on.without(one).mean()
            others = Evidence(others.places, others.values[:, shown], others.fold)
            columns.append(channels(around, others, prior[shown], self._usual_weight))
        return with_columns(X, columns, channel_names(classes, self._n_values), copy_of)

    def _read_known(self, known: Any) -> tuple[Parts, np.ndarray]:
        check_pair(known)
        X, classes = self._read_new(known[0]), getattr(self, "classes_", None)
        return X, read_further(known[1], len(X), classes, self._n_values)

    def _read_new(self, X: Any) -> Parts:
        X = read_parts(X)
        if type(X) is not self._kind:
            kinds = self._kind.__name__.lower(), type(X).__name__.lower()
            raise ValueError(f"WithLabels was fitted on {kinds[0]}; got {kinds[1]}")
        return X

    # ---- prediction -------------------------------------------------------------------------

    def _predicted(self, X: Any, known: Any) -> np.ndarray:
        check_is_fitted(self)
        X = among_used(self._read_new(X))
        further = None if known is None else self._read_known(known)
        predicted = self._before_residuals(X, further)
        if self.residual_strength_ == 0:
            return predicted
        if further is not None:
            further = further[0], self._wrong_at(*further)
        left, group = gather(X, self._residuals, further, self._n_values)
        around, places, added = neighbourhood_of(X), places_of(X), np.zeros_like(predicted)
        for one in np.unique(group):
            rows = group == one
            carried = met_by_walks(around, left.without(int(one)), np.zeros(predicted.shape[1]))
            added[rows] = carried[places[rows]]
        return corrected(predicted, added, self.residual_strength_, is_classifier(self.estimator))

    def _wrong_at(self, labelled: Parts, values: np.ndarray) -> np.ndarray:
        """What the estimator gets wrong at further labels, of which it is shown none.

        Where a label of the training set is given again, what it was wrong by out of fold.
        """
        labelled = among_used(labelled)
        wrong = values - self._before_residuals(labelled, None)
        places = places_of(labelled)
        trained = self._labels.about(labelled, self._n_values)
        residuals = self._residuals.about(labelled, self._n_values)  # at the same places
        rows = np.flatnonzero(np.isin(places, trained.places))
        at = np.searchsorted(trained.places, places[rows])
        wrong[rows] = values[rows] - trained.values[at] + residuals.values[at]
        return wrong

    def _before_residuals(self, X: Parts, further: tuple[Parts, np.ndarray] | None) -> np.ndarray:
        if self.uses_channels_:
            labels, group = gather(X, self._labels, further, self._n_values)
            X = self._view(X, labels, group, self._all_labels)
        return predictions_of(self.estimator_, X, getattr(self, "classes_", None))

    @describe_arguments
    def predict(self, X: Any, known: Any = None) -> np.ndarray:
        """Predict for vertices or edges."""
        predicted = self._predicted(X, known)
        if is_classifier(self.estimator):
            return self.classes_[predicted.argmax(axis=1)]
        return one_column(predicted)

    @_has("predict_proba")
    @describe_arguments
    def predict_proba(self, X: Any, known: Any = None) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        return self._predicted(X, known)

    @describe_arguments
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy for classes, R² for numbers."""
        of_classes = is_classifier(self.estimator)
        measure, truth = (accuracy_score, labels_to_score(y)) if of_classes else (r2_score, y)
        return float(measure(truth, self.predict(X), sample_weight=sample_weight))

    def save(self, path: Any) -> None:
        """Not possible as JSON, which has no place for the graph and its labels: use pickle.

        Parameters
        ----------
        path : str or path
            As for the estimators that can be saved.
        """
        raise TypeError(
            "WithLabels holds the graph and its known labels, which a model file has no place for: "
            "use pickle"
        )

    @_has("explain")
    @describe_arguments
    def explain(self, example: Any, class_: Any = None, method: str = "attribution") -> Any:
        """Why the estimator says what it says, channels among its features; see its `explain`.

        What residuals add is no part of it.
        """
        check_is_fitted(self)
        view = self.transform(example) if self.uses_channels_ else self._read_new(example)
        return self.estimator_.explain(view, class_, method)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "estimator_" in state and "_all_labels" not in state:
            raise ValueError(
                "this WithLabels was pickled by an earlier graphtrees, and this one cannot read "
                "what it learned: fit it again"
            )
        super().__setstate__(state)
