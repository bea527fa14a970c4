"""A loss that the user brings along."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from boosting_tasks import both, classes, classifier, examples, numbers, regressor
from scipy.special import expit, softmax
from sklearn.base import clone


class HalfSquared:
    """Squared error by hand."""

    def gradient(self, y, raw):
        assert y.shape == raw.shape
        return raw - y

    def init(self, y, weight):
        return np.average(y, axis=0, weights=weight)

    def loss(self, y, raw):
        return ((y - raw) ** 2).reshape(len(y), -1).sum(axis=1)


class Counts:
    """Poisson by hand."""

    def gradient(self, y, raw):
        return np.exp(raw) - y

    def hessian(self, y, raw):
        return np.exp(raw)

    def link(self, raw):
        return np.exp(raw)

    def init(self, y, weight):
        return np.log(np.average(y, weights=weight))


class Median:
    """Absolute error by hand: leaves are medians."""

    def gradient(self, y, raw):
        return np.sign(raw - y)

    def init(self, y, weight):
        return np.median(y)

    def leaf_value(self, y, raw, weight):
        return np.median(y - raw)


class Logistic:
    def gradient(self, y, raw):
        return expit(raw) - y

    def hessian(self, y, raw):
        return expit(raw) * (1 - expit(raw))

    def init(self, y, weight):
        share = np.average(y, weights=weight)
        return np.log(share / (1 - share))


class OneOfMany:
    """The softmax by hand, without a link: that is the softmax anyway."""

    def gradient(self, y, raw):
        return softmax(raw, axis=1) - np.eye(raw.shape[1])[y]

    def hessian(self, y, raw):
        chance = softmax(raw, axis=1)
        return chance * (1 - chance)


@both
@pytest.mark.parametrize(
    ("loss", "name"),
    [(HalfSquared(), "squared_error"), (Counts(), "poisson"), (Median(), "absolute_error")],
    ids=["squared_error", "poisson", "absolute_error"],
)
def test_a_loss_written_by_hand_gives_the_model_of_the_one_built_in(about, loss, name):
    X = examples(about)
    y = np.abs(numbers(X))
    by_hand = regressor(loss=loss).fit(X, y)
    built_in = regressor(loss=name).fit(X, y)
    np.testing.assert_allclose(by_hand.predict(X), built_in.predict(X), rtol=1e-9)


@both
def test_a_loss_of_two_classes_written_by_hand_gives_the_same_model(about):
    X = examples(about)
    y = np.array(["no", "yes"])[classes(X)]
    by_hand, built_in = classifier(loss=Logistic()).fit(X, y), classifier().fit(X, y)
    np.testing.assert_allclose(by_hand.predict_proba(X), built_in.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(by_hand.predict(X), built_in.predict(X))


@both
def test_a_loss_of_many_classes_starts_from_zero_and_ends_in_probabilities(about):
    X = examples(about)
    model = classifier(loss=OneOfMany(), multi_strategy="softmax").fit(X, classes(X, 3))
    np.testing.assert_array_equal(model.init_, np.zeros(3))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, classes(X, 3)) > 0.7


def test_several_outputs_are_handed_over_side_by_side():
    X = examples("vertices")
    y = np.column_stack([numbers(X, 0), numbers(X, 1)])
    by_hand = regressor(loss=HalfSquared()).fit(X, y)
    np.testing.assert_allclose(by_hand.predict(X), regressor().fit(X, y).predict(X), rtol=1e-9)


def test_a_loss_with_a_value_is_watched_and_one_without_is_not():
    X = examples("graphs")
    y = np.abs(numbers(X))
    watched = regressor(loss=HalfSquared()).fit(X, y, eval_set=(X, y)).evals_result_
    assert len(watched["validation"]["loss"]) == 5
    assert regressor(loss=Counts()).fit(X, y).evals_result_ == {"train": {}}
    scored = regressor(loss=Counts(), scoring="r2").fit(X, y).evals_result_
    assert list(scored["train"]) == ["r2"]


def test_stopping_early_needs_something_to_watch():
    X = examples("graphs")
    y = np.abs(numbers(X))
    with pytest.raises(ValueError, match=r"give the loss a method loss\(y, raw\), or set scoring"):
        regressor(loss=Counts(), early_stopping=True).fit(X, y)
    with pytest.raises(ValueError, match="scoring='loss' needs a loss with a method"):
        regressor(loss=Counts(), scoring=["r2", "loss"]).fit(X, y)
    assert regressor(loss=Counts(), early_stopping=True, scoring="r2").fit(X, y).n_iter_ >= 1


def changed(method: str, answer) -> object:
    """A sound loss, but for one method."""
    loss = Counts()
    loss.loss = lambda y, raw: (y - raw) ** 2  # type: ignore[attr-defined]
    setattr(loss, method, answer)
    return loss


@pytest.mark.parametrize(
    ("method", "answer", "words"),
    [
        (
            "gradient",
            lambda y, raw: raw[:3],
            r"Counts\.gradient must return .* shape \(60, 1\); got",
        ),
        ("gradient", lambda y, raw: raw * np.nan, r"Counts\.gradient returned values that are NaN"),
        ("hessian", lambda y, raw: -np.ones_like(raw), r"Counts\.hessian returned negative"),
        ("init", lambda y, w: [1.0, 2.0], r"Counts\.init must return 1 finite number"),
        ("init", lambda y, w: np.inf, r"Counts\.init must return 1 finite number"),
        ("loss", lambda y, raw: 3.0, r"Counts\.loss must return an array of shape \(60,\)"),
        ("leaf_value", lambda y, raw, w: np.nan, r"Counts\.leaf_value returned nan"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_what_a_loss_returns_is_checked(method, answer, words):
    X = examples("graphs")
    with pytest.raises(ValueError, match=words):
        regressor(loss=changed(method, answer)).fit(X, np.abs(numbers(X)))


def test_a_link_to_anything_but_probabilities_is_refused():
    X = examples("graphs")
    loss = OneOfMany()
    loss.link = lambda raw: raw[:, :2]  # type: ignore[attr-defined]
    model = classifier(loss=loss, multi_strategy="softmax").fit(X, classes(X, 3))
    with pytest.raises(ValueError, match=r"link must return the probability of each class"):
        model.predict(X)


def test_a_model_with_a_loss_of_its_own_is_pickled_but_not_written_as_json(tmp_path):
    X = examples("graphs")
    model = regressor(loss=Counts()).fit(X, np.abs(numbers(X)))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert isinstance(clone(model).loss, Counts)
    with pytest.raises(TypeError, match="parameter 'loss' is Counts, which a JSON file cannot"):
        model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []
