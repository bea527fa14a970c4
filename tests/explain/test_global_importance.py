"""Shares of features and other parts of questions."""

import numpy as np
import pytest
from builders import some_graphs
from models import SIX, name_of, small

import graphtrees as gt
from graphtrees.explain import importance

PARTS = (
    "feature",
    "category",
    "walk_length",
    "walk_type",
    "aggregator",
    "operator",
    "subset",
    "question",
)


@pytest.mark.parametrize("by", PARTS)
@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_shares_sum_to_one_the_largest_first(kind, by):
    X = some_graphs(12)
    model = small(kind).fit(X, np.arange(12) % 2)
    for what in ("gain", "splits"):
        shares = list(importance(model, kind=what, by=by).values())
        assert sum(shares) == pytest.approx(1.0)
        assert shares == sorted(shares, reverse=True)


def test_gain_by_feature_is_the_feature_importances():
    X = some_graphs(12)
    model = small(gt.GraphBoostingRegressor).fit(X, np.linspace(0, 1, 12))
    shares = importance(model)
    for feature, value in enumerate(model.feature_importances_):
        assert shares.get(model._fitted.features.name(feature), 0.0) == pytest.approx(value)


def test_splits_are_counted_from_the_table_of_nodes():
    pytest.importorskip("pandas")
    X = some_graphs(12)
    model = small(gt.GraphForestRegressor).fit(X, np.linspace(0, 1, 12))
    nodes = model.trees_to_dataframe()
    counts = nodes["walk_type"].dropna().value_counts(normalize=True)
    assert importance(model, kind="splits", by="walk_type") == pytest.approx(counts.to_dict())


def test_a_model_without_splits_has_no_shares():
    model = gt.GraphTreeRegressor(min_samples_leaf=6).fit(some_graphs(6), np.arange(6.0))
    assert importance(model) == {}


def test_unknown_parts_and_kinds_are_refused():
    model = small(gt.GraphTreeRegressor).fit(some_graphs(6), np.arange(6.0))
    with pytest.raises(ValueError, match=r"by must be one of feature, .*; got 'colour'"):
        importance(model, by="colour")
    with pytest.raises(ValueError, match="kind must be one of gain, split, splits; got 'cover'"):
        importance(model, kind="cover")
