"""What a model loses when a feature no longer belongs to its vertices."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch

from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.global_importance import KINDS, importance
from graphtrees.explain.shuffling import shuffles
from graphtrees.graphs.labels import as_labels
from graphtrees.graphs.validation.arguments import as_count, as_generator, as_word
from graphtrees.validation.metrics import as_scorer
from graphtrees.validation.models import fitted_trees
from graphtrees.validation.targets import read_labels

PERMUTATION = "permutation"
MOST_REPEATS = 1_000_000


def permutation_importance(
    model: Any, X: Any, y: Any, *, scoring: Any = None, n_repeats: int = 5,
    sample_weight: Any = None, random_state: Any = None,
) -> Bunch:  # fmt: skip
    """How much worse a model scores when one feature is shuffled over the vertices.

    Unlike gains, this says what a feature is worth on examples of your choice, best some that the
    model was not fitted on. Two features that tell the same are each found to be worth little.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    X : Graphs, Vertices, Edges, list of Graph, or table
        A vertex feature is shuffled over all vertices of all graphs of X, those of unlabelled
        vertices included; a graph feature over the graphs; what edges have of their own (for
        `Edges`) over the edges; a column of a table over its rows.
    y : array of shape (n_examples,) or (n_examples, n_outputs)
        What is true of them.
    scoring : str, callable or None
        A scikit-learn scorer, or a metric ``(y_true, y_pred)``, of which an error counts
        negatively; None is the model's own `score` (accuracy, R²).
    n_repeats : int, default=5
        How often each feature is shuffled.
    sample_weight : array of shape (n_examples,), optional
        How much each example counts in the score; default 1.
    random_state : int, RandomState or None, default=None
        The seed of the shuffles.

    Returns
    -------
    sklearn.utils.Bunch
        - ``importances`` (n_features, n_repeats): the score less the score with the feature
          shuffled; ``importances_mean`` and ``importances_std`` over the repeats.
        - ``feature_names``: what the rows are about.
        - ``score``: the score with nothing shuffled.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=100, n_vertices=12, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=10).fit(data.X, data.y)
    >>> result = gt.permutation_importance(model, data.X, data.y, random_state=0)
    >>> result.importances.shape == (data.X.n_features, 5)
    True
    """
    fitted = fitted_trees(model)
    n_repeats = as_count(n_repeats, "n_repeats", most=MOST_REPEATS)
    n = _n_examples(X)
    if fitted.classes is not None and n is not None:
        read_labels(y, n)  # what a scorer says of labels that are none is hard to read
    score = _score(model, scoring, y, sample_weight)
    known = score(X)
    seed = int(as_generator(random_state).randint(np.iinfo(np.int32).max))
    listed = shuffles(X, of_graphs=fitted.kind != "rows")
    used = _used(fitted)
    importances = np.zeros((len(listed), n_repeats))
    for k, (_, shuffle) in enumerate(listed):
        if fitted.kind != "edges" and k not in used:
            continue  # no tree asks about it
        for repeat in range(n_repeats):
            rng = np.random.default_rng([seed, k, repeat])
            importances[k, repeat] = known - score(shuffle(rng))
    return Bunch(
        importances=importances,
        importances_mean=importances.mean(axis=1),
        importances_std=importances.std(axis=1),
        feature_names=[name for name, _ in listed],
        score=known,
    )


def _n_examples(X: Any) -> int | None:
    """None where X holds no examples, of which prediction tells what is wrong."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, ValueError, IndexError):
        return None


def _score(model: Any, scoring: Any, y: Any, sample_weight: Any):
    scorer = check_scoring(model, as_scorer(scoring))
    weight = {}
    if sample_weight is not None:
        called = getattr(scorer, "_score_func", scorer if callable(scoring) else None)
        if called is not None and "sample_weight" not in inspect.signature(called).parameters:
            raise ValueError(f"sample_weight is given, but scoring={scoring!r} does not take one")
        weight["sample_weight"] = sample_weight
    y = as_labels(y)
    return lambda X: float(scorer(model, X, y, **weight))


def _used(fitted: FittedTrees) -> set[int]:
    """The features that any tree asks about."""
    return set(fitted.features.feature_of()[fitted.packed.every_column()].tolist())


def importance_of(
    model: Any, kind: str, by: str, X: Any, y: Any, options: dict[str, Any]
) -> dict[str, float]:
    """The importance of any kind, as the estimators' method `importance` gives it."""
    as_word(kind, "kind", (*KINDS, PERMUTATION))
    given = [name for name, value in (("X", X), ("y", y), *options.items()) if value is not None]
    if kind != PERMUTATION:
        if given:
            raise TypeError(f"{', '.join(given)}: for kind='permutation' alone; got kind={kind!r}")
        return importance(model, kind, by)
    if by != "feature":
        raise ValueError(f"kind='permutation' knows by='feature' alone; got by={by!r}")
    if X is None or y is None:
        raise TypeError("kind='permutation' needs X and y: examples to score the model on")
    result = permutation_importance(model, X, y, **options)
    losses = zip(result.feature_names, result.importances_mean.tolist(), strict=True)
    return dict(sorted(losses, key=lambda item: (-item[1], item[0])))
