"""scikit-learn's own checks of an estimator, all of them, on tables."""

from __future__ import annotations

import pytest
from models import FORESTS, SIX, small
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphtrees as gt

# Every check that is expected to fail, by estimator, with the reason. An entry that no longer
# fails makes the run fail, so that this list cannot go stale.
_DRAWN = "the bootstrap draws by the number of examples, and weight 2 does not count twice there"
_PURE = (
    "a leaf of one class says that class however little it weighs; scikit-learn's own trees "
    "pass only because the check sets their min_weight_fraction_leaf, which is no parameter here"
)
_BOOTSTRAPPED = {
    "check_sample_weight_equivalence_on_dense_data": _DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": _DRAWN,
}
EXPECTED_FAILURES: dict[type, dict[str, str]] = {
    gt.GraphTreeClassifier: {"check_class_weight_classifiers": _PURE},
    gt.GraphForestClassifier: {"check_class_weight_classifiers": _PURE} | _BOOTSTRAPPED,
    gt.GraphForestRegressor: _BOOTSTRAPPED,
}


def expected_failures(model) -> dict[str, str]:
    return EXPECTED_FAILURES.get(type(model), {})


def checked(kind: type):
    """Three trees that draw their questions may all miss what scikit-learn's data is about."""
    return small(kind, n_estimators=10) if kind in FORESTS else small(kind)


# A check sets n_iter_no_change on whatever has it, which is warned of while early stopping is off.
@pytest.mark.filterwarnings("ignore:n_iter_no_change=20")
@parametrize_with_checks([checked(kind) for kind in SIX], expected_failed_checks=expected_failures)
def test_scikit_learn_accepts(estimator, check):
    check(estimator)


def without_a_draw(kind: type):
    return small(kind, bootstrap=False, max_features=None)


def what_no_draw_leaves(model) -> dict[str, str]:
    return {k: why for k, why in expected_failures(model).items() if why != _DRAWN}


@parametrize_with_checks(
    [without_a_draw(kind) for kind in FORESTS], expected_failed_checks=what_no_draw_leaves
)
def test_scikit_learn_accepts_without_a_draw(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [gt.GraphTreeClassifier, gt.GraphForestClassifier])
def test_class_weights_decide_leaves_of_several_classes(kind):
    """What the check that is expected to fail is after: the heavy class wins where classes mix."""
    X, y = [[0.0], [0.0], [0.0], [1.0]], [0, 1, 1, 1]
    given = {"bootstrap": False} if kind in FORESTS else {}
    plain = small(kind, **given).fit(X, y)
    weighted = small(kind, class_weight={0: 1000, 1: 0.001}, **given).fit(X, y)
    assert plain.predict(X).tolist() == [1, 1, 1, 1]
    assert weighted.predict(X).tolist() == [0, 0, 0, 1]
