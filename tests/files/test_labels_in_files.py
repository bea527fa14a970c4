"""Labels of every kind are carried faithfully by a model file, or refused before training."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from models import CLASSIFIERS, name_of, small

import graphtrees as gt


class Colour(Enum):
    RED = 1
    BLUE = 2


class Word(StrEnum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Odd:
    """Hashable, and known to nobody."""


N = 8
CARRIED = {
    "str": ["a", "b"],
    "str of every letter": ["\ud800", 'quote " back \\ line \n null \0'],
    "int": [1, 2],
    "large int": [10**30, -(10**30)],
    "float": [0.1, float("inf")],
    "bool": [True, False],
    "mixed": [1, "1"],
    "tuple": [(1, "a"), (2, (3.5, True))],
    "date": [dt.date(2024, 5, 1), dt.date(1, 1, 1)],
    "datetime": [dt.datetime(2024, 5, 1, 12, 30, 1, 7), dt.datetime(2024, 5, 2)],
    "datetime with a zone": [dt.datetime(2024, 5, d, tzinfo=dt.UTC) for d in (1, 2)],
    "time": [dt.time(12, 30), dt.time(1, 2, 3, 4)],
    "timedelta": [dt.timedelta(days=-3, microseconds=1), dt.timedelta(10**6)],
    "bytes": [b"a\xff", b""],
    "Decimal": [Decimal("1.50"), Decimal("-2E+5")],
    "Timestamp": [pd.Timestamp("2024-05-01"), pd.Timestamp("2025-05-01 12:00")],
    "Timedelta": [pd.Timedelta("1s"), pd.Timedelta("2 days")],
    "Interval": list(pd.cut([1, 5], [0, 2, 6]).categories),
    "Interval of times": list(pd.interval_range(pd.Timestamp("2024"), periods=2, closed="left")),
    "StrEnum": list(Word),
    "IntEnum": list(Size),
}  # fmt: skip
REFUSED = {
    "Enum": list(Colour),
    "any object": [Odd(), Odd()],
    "frozenset": [frozenset("a"), frozenset("b")],
    "complex": [1j, 2j],
    "Period": [pd.Period("2024-01"), pd.Period("2024-02")],
    "Fraction": [Fraction(1, 3), Fraction(2, 3)],
    "nanoseconds": [pd.Timestamp(1), pd.Timestamp(2)],
    "an Enum in a tuple": [(Colour.RED,), (Colour.BLUE,)],
    "NaN in a tuple": [(1.0, float("nan")), (2.0, 1.0)],
    "a text without end": ["a" * 2**20 + "b", "c"],
    "a number without end": [10**2000, 1],
}


def a_column(labels: list) -> pd.DataFrame:
    """One categorical feature that holds each label every other time."""
    codes = np.arange(N) % 2
    values = np.empty(2, object)
    values[:] = labels
    categories = pd.Index(values, dtype=object, tupleize_cols=False)
    return pd.DataFrame({"kind": pd.Categorical.from_codes(codes, categories=categories)})


def graphs_with(labels: list) -> gt.Vertices:
    features = (np.arange(N) % 2).reshape(-1, 1).astype(float)
    return gt.Graphs.from_flat(
        vertex_ptr=[0, N],
        edge_ptr=[0, 1],
        edges=np.array([[0], [1]]),
        features=features,
        categories={0: labels},
    ).vertices


EXAMPLES = {"rows": a_column, "vertices": graphs_with}
TARGETS = np.arange(N) % 2 + 0.5


@pytest.mark.parametrize("about", EXAMPLES)
@pytest.mark.parametrize("kind", CARRIED)
def test_a_category_of_this_kind_is_carried_by_a_file(kind, about, tmp_path):
    X = EXAMPLES[about](CARRIED[kind])
    model = small(gt.GraphTreeRegressor).fit(X, TARGETS)
    np.testing.assert_array_equal(model.predict(X), TARGETS)
    for name in ("model.json", "model.json.gz"):
        model.save(tmp_path / name)
        again = gt.load_model(tmp_path / name)
        np.testing.assert_array_equal(again.predict(X), TARGETS)
        assert again._fitted.features.categories == model._fitted.features.categories


@pytest.mark.parametrize("about", EXAMPLES)
@pytest.mark.parametrize("kind", REFUSED)
def test_a_category_of_this_kind_is_refused_before_training(kind, about, monkeypatch):
    X = EXAMPLES[about](REFUSED[kind])
    monkeypatch.setattr("graphtrees.estimators.single.grow_tree", None)
    where = "'kind'" if about == "rows" else "'x0'"
    with pytest.raises(TypeError, match=rf"feature {where} has the category .*\.astype"):
        small(gt.GraphTreeRegressor).fit(X, TARGETS)


def test_a_refused_category_is_no_matter_where_it_is_not_read_as_one():
    model = small(gt.GraphTreeRegressor, categorical_features=None, min_samples_leaf=1)
    model.fit(a_column(REFUSED["Fraction"]), TARGETS)
    threshold = model.trees_to_dataframe()["threshold"][0]
    assert threshold == pytest.approx(0.5)  # between 1/3 and 2/3, read as numbers


CLASSES = {
    "days": np.array(["2024-05-01", "2025-05-01"], "datetime64[D]"),
    "nanoseconds": np.array(["2024-05-01", "2025-05-01"], "datetime64[ns]"),
    "seconds between": np.array([5, 90], "timedelta64[s]"),
    "large": np.array([1, 2**64 - 1], np.uint64),
    "half": np.array([1.0, 2.0], np.float16),
    "big-endian": np.array([3, 500], ">i4"),
    "wide": np.array(["a", "b"], "<U50"),
    "halves of a pair": np.array(["\ud800", "a"], object),
    "StrEnum": np.array(list(Word), object),
}


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("kind", CLASSES)
def test_classes_of_this_kind_are_carried_by_a_file(estimator, kind, tmp_path):
    X, y = some_graphs(6), np.tile(CLASSES[kind], 3)
    model = small(estimator).fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.classes_.dtype.newbyteorder("=") == model.classes_.dtype.newbyteorder("=")
    np.testing.assert_array_equal(again.classes_, model.classes_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def as_objects(*labels) -> np.ndarray:
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


REFUSED_CLASSES = {
    "tuple": as_objects((1, 2), (3, 4)),
    "date": as_objects(dt.date(2024, 5, 1), dt.date(2025, 5, 1)),
    "bytes": np.array([b"a", b"b"]),
    "Decimal": as_objects(Decimal("1.5"), Decimal("2")),
    "Enum": as_objects(*Colour),
    "long double": np.array([1, 2], np.longdouble),
    "NaT": np.array(["2024-05-01", "NaT"], "datetime64[D]"),
    "too wide": np.array(["a", "b"], "<U9000000"),
}


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("kind", REFUSED_CLASSES)
def test_classes_of_this_kind_are_refused_before_training(estimator, kind):
    if kind == "long double" and np.dtype(np.longdouble) == np.float64:
        pytest.skip("a long double is a double here")
    X, y = some_graphs(2), REFUSED_CLASSES[kind]
    with pytest.raises((TypeError, ValueError), match=r"label|NaT"):
        small(estimator).fit(X, y)


@pytest.mark.parametrize("kind", ["tuple", "date", "Decimal", "Enum"])
def test_the_error_names_the_label_and_what_to_do(kind):
    label = REFUSED_CLASSES[kind][0]
    with pytest.raises(ValueError, match=rf"y\[0\] is .*{type(label).__name__}.*strings, numbers"):
        small(gt.GraphTreeClassifier).fit(some_graphs(2), REFUSED_CLASSES[kind])


def test_weights_of_classes_are_carried_whatever_the_classes_are(tmp_path):
    X, y = some_graphs(6), np.tile(CLASSES["days"], 3)
    weight = {y[0].item(): 2.0, y[1].item(): 1.0}
    model = small(gt.GraphTreeClassifier)
    model.fit(X, y)
    model._fitted.training.parameters["class_weight"] = weight
    model.save(tmp_path / "model.json")
    assert gt.load_model(tmp_path / "model.json").class_weight == weight


def test_the_longest_walk_that_can_be_fitted_can_be_saved(tmp_path):
    X = gt.Graph([[1.0], [2.0], [3.0]], [(0, 1), (1, 2)]).vertices
    model = small(gt.GraphTreeRegressor, max_walk_length=1000, operators="mean")
    model.fit(X, [1.0, 2.0, 3.0]).save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.max_walk_length == 1000


def test_a_longer_walk_is_refused_before_training():
    X = gt.Graph([[1.0], [2.0]], [(0, 1)]).vertices
    with pytest.raises(ValueError, match=r"from 0 to 1000 or .*; got 1001"):
        small(gt.GraphTreeRegressor, max_walk_length=1001).fit(X, [1.0, 2.0])


def test_parameters_that_are_numbers_of_another_kind_are_carried(tmp_path):
    given = {"learning_rate": Fraction(1, 4), "min_gain": np.longdouble(0.5), "verbose": np.False_}
    X = some_graphs(6)
    model = small(gt.GraphBoostingRegressor, **given).fit(X, np.arange(6.0))
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert (again.learning_rate, again.min_gain, again.verbose) == (0.25, 0.5, False)


def test_scores_of_any_float_are_carried(tmp_path):
    X, y = some_graphs(6), np.arange(6.0)
    scores = iter([np.float32(0.5), float("nan"), -np.inf, 1, 2, 3])
    model = small(gt.GraphBoostingRegressor, scoring=lambda model, X, y: next(scores))
    model.fit(X, y).save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_equal(again.evals_result_, model.evals_result_)


def test_a_file_says_in_words_what_kind_a_label_is(tmp_path):
    small(gt.GraphTreeRegressor).fit(a_column(CARRIED["date"]), TARGETS).save(tmp_path / "m.json")
    [[_, labels]] = json.loads((tmp_path / "m.json").read_text())["features"]["categories"]
    assert labels == [{"date": "2024-05-01"}, {"date": "0001-01-01"}]
