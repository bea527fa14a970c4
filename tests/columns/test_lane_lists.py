"""Vertex values kept as lists, or written out in full: nobody can tell from outside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import FORESTS, name_of, small
from oracle_tasks import a_few
from pandas.testing import assert_frame_equal
from strategies import related_graphs

import graphtrees as gt
from graphtrees.columns import making
from graphtrees.columns.lane_lists import LaneLists
from graphtrees.trees import routing

KINDS = (gt.GraphForestClassifier, gt.GraphBoostingRegressor)
IN_FULL, AS_LISTS = -1.0, 2.0
ASKED = {"operators": ("adjacency", "mean", "relations"), "max_leaf_nodes": 6}


def both_ways(monkeypatch, compute) -> tuple:
    said = []
    for share in (IN_FULL, AS_LISTS):
        monkeypatch.setattr(making, "SPARSE_SHARE", share)
        said.append(compute())
    return tuple(said)


@pytest.mark.parametrize("about", ["vertices", "edges"])
@pytest.mark.parametrize("kind", KINDS, ids=name_of)
@settings(a_few, max_examples=4)
@given(graphs=related_graphs(), max_bins=st.sampled_from((255, None)))
def test_a_model_is_the_same_either_way(kind, about, graphs, max_bins):
    X = getattr(gt.Graphs(graphs), about)
    if len(X) < 4:
        return
    y = np.arange(len(X)) % 3
    # Where a draw holds no split, the next one leaves out features that no list of the node has.
    asked = ASKED | ({"max_features": None} if kind in FORESTS else {})
    with pytest.MonkeyPatch.context() as patch:
        models = both_ways(patch, lambda: small(kind, max_bins=max_bins, **asked).fit(X, y))
        assert_frame_equal(*(model.trees_to_dataframe() for model in models), check_exact=True)
        said = both_ways(patch, lambda: models[0].predict(X))
        assert said[0].tobytes() == said[1].tobytes()
        told = both_ways(patch, lambda: models[0].explain(X[0]))
        for name in ("vertex_importance", "edge_importance"):
            np.testing.assert_array_equal(*(getattr(e, name) for e in told))
        assert told[0].rules() == told[1].rules()


def test_trees_go_in_groups_where_their_columns_are_many(monkeypatch):
    rng = np.random.default_rng(0)
    kind = pd.Categorical([f"k{code}" for code in rng.integers(0, 12, 60)])
    X = gt.Graph(pd.DataFrame({"kind": kind}), rng.integers(0, 60, (90, 2))).vertices
    model = gt.GraphForestRegressor(n_estimators=12, random_state=0).fit(X, rng.normal(size=60))
    at_once = model.apply(X)
    for values in (1, 60 * 4, 60 * 9):
        monkeypatch.setattr(routing, "VALUES_AT_ONCE", values)
        np.testing.assert_array_equal(model.apply(X), at_once)


def test_lists_hold_what_the_table_holds():
    table = np.array([[0, 2, 0], [1, 0, 0], [0, np.nan, 0], [0, 0, 0], [0, 4, 5]], np.float32)
    lists = LaneLists.of(table, np.array([0, 2, 2, 5]))
    assert lists.lane_ptr.tolist() == [0, 2, 2, 4]
    assert lists.lane_features.tolist() == [0, 1, 1, 2]
    assert lists.vertex.tolist() == [1, 0, 2, 4, 4]
    np.testing.assert_array_equal(lists.value, [1, 2, np.nan, 4, 5])
    rows = lists.rows()
    assert (rows.stop - rows.start).tolist() == [1, 1, 1, 0, 2]
    assert rows.lane.tolist() == [1, 0, 0, 0, 1]
    full = lists.write_out(np.array([1]))
    assert full.lane_features.tolist() == [1, 1]
    np.testing.assert_array_equal(full.x, [2, 0, np.nan, 0, 4])
