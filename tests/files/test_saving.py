"""A model that was saved and read again is the same model, bit for bit."""

from __future__ import annotations

import copy
import gzip
import io
import json
import pickle
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
from builders import a_rich_graph, some_graphs
from models import BOOSTING, CLASSIFIERS, SIX, name_of, small
from pandas.testing import assert_frame_equal
from sklearn.base import clone

import graphtrees as gt

N = 12
ATTRIBUTES = (
    "n_features_in_", "feature_names_in_", "classes_", "init_", "n_iter_", "feature_importances_",
)  # fmt: skip


def examples(about: str):
    """Graphs with everything: two features of which one is categorical, NaN, weights, loops."""
    if about == "rows":
        rng = np.random.default_rng(0)
        return pd.DataFrame({"size": rng.normal(size=N), "kind": pd.Categorical(list("abca") * 3)})
    graphs = gt.Graphs([a_rich_graph(seed, directed=True) for seed in range(N)])
    return graphs if about == "graphs" else graphs.vertices[: 2 * N : 2]


def targets(kind: type) -> np.ndarray:
    if kind in CLASSIFIERS:
        return np.array(["red", "green", "blue"], dtype=object)[np.arange(N) % 3]
    return np.sin(np.arange(N))


@pytest.fixture(params=SIX, ids=name_of)
def kind(request):
    return request.param


@pytest.fixture(params=["graphs", "vertices", "rows"])
def about(request):
    return request.param


@pytest.fixture
def fitted(kind, about):
    return fitted_once(kind, about)


@cache
def fitted_once(kind: type, about: str):
    X = examples(about)
    operators = ("adjacency", "reverse", "mean")
    return small(kind, operators=operators).fit(X, targets(kind)), X


def assert_same(one, other, X) -> None:
    """Parameters, attributes, trees and everything that is said about X."""
    assert type(one) is type(other)
    assert one.get_params() == other.get_params()
    assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe(), check_exact=True)
    for name in ATTRIBUTES:
        if hasattr(one, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
            assert np.asarray(getattr(one, name)).dtype == np.asarray(getattr(other, name)).dtype
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        if hasattr(one, method):
            np.testing.assert_array_equal(getattr(one, method)(X), getattr(other, method)(X))


@pytest.mark.parametrize("name", ["model.json", "model.json.gz"])
def test_a_saved_model_says_the_same(fitted, name, tmp_path):
    model, X = fitted
    model.save(tmp_path / name)
    assert_same(model, gt.load_model(tmp_path / name), X)
    assert_same(model, gt.load_model(str(tmp_path / name)), X)


def test_a_saved_model_saves_to_the_same_bytes(fitted, tmp_path):
    model, _ = fitted
    model.save(tmp_path / "one.json")
    gt.load_model(tmp_path / "one.json").save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_file_is_readable_versioned_json(fitted, tmp_path):
    model, _ = fitted
    model.save(tmp_path / "model.json")
    model.save(tmp_path / "model.json.gz")
    content = json.loads((tmp_path / "model.json").read_text())
    assert content["format"] == "graphtrees model"
    assert isinstance(content["version"], int)
    assert content["estimator"] == type(model).__name__
    assert json.loads(gzip.decompress((tmp_path / "model.json.gz").read_bytes())) == content


def test_saving_leaves_nothing_else_behind(fitted, tmp_path):
    fitted[0].save(tmp_path / "model.json")
    fitted[0].save(tmp_path / "model.json")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_pickle_copy_and_joblib_keep_a_model(fitted):
    model, X = fitted
    assert_same(model, pickle.loads(pickle.dumps(model)), X)
    assert_same(model, copy.deepcopy(model), X)
    assert_same(model, copy.copy(model), X)
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    assert_same(model, joblib.load(buffer), X)


def test_a_clone_has_the_parameters_and_nothing_else(fitted):
    model, X = fitted
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "n_features_in_")
    assert_same(model, fresh.fit(X, targets(type(model))), X)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize(
    "labels",
    [[2, 1], [True, False], ["b", "a"], [-1.0, 1.0], np.array([7, 3], np.int8)],
    ids=["int", "bool", "str", "float", "int8"],
)
def test_classes_keep_their_type_in_a_file(kind, labels, tmp_path):
    X = some_graphs(6)
    model = small(kind).fit(X, np.tile(labels, 3))
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.classes_.dtype == model.classes_.dtype
    assert again.predict(X).dtype == model.predict(X).dtype
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    "given",
    [
        {"class_weight": {0: 2.0, 1: 1.0}},
        {"class_weight": "balanced", "max_bins": None},
        {"random_state": np.random.RandomState(0)},
        {
            "walk_types": ["source", "cycle"],
            "max_leaf_nodes": np.int64(3),
            "min_gain": np.float32(0),
        },
    ],
    ids=lambda given: ", ".join(given),
)
def test_every_kind_of_parameter_can_be_saved(given, tmp_path):
    X, y = some_graphs(6), np.array([0, 1] * 3)
    model = small(gt.GraphTreeClassifier, **given).fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(again).fit(X, y).predict(X).shape == (6,)


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_what_was_watched_is_saved(kind, tmp_path):
    X, y = some_graphs(6), np.array([0, 1] * 3)
    model = small(kind).fit(X, y, eval_set=(X, y))
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.evals_result_ == model.evals_result_
    assert (again.n_iter_, again.best_iteration_) == (model.n_iter_, model.best_iteration_)


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_a_loaded_model_can_go_on(kind, tmp_path):
    X, y = some_graphs(8), np.array([0, 1, 1, 0] * 2)
    model = small(kind, warm_start=True).fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    for one in (model, again):
        one.set_params(n_estimators=5).fit(X, y)
    assert_same(model, again, X)


SEVERAL = {
    "one tree for all classes": (
        gt.GraphBoostingClassifier,
        {"multi_strategy": "multi_output_tree"},
        np.arange(12) % 3,
    ),
    "a tree per class": (
        gt.GraphBoostingClassifier,
        {"multi_strategy": "softmax"},
        np.arange(12) % 3,
    ),
    "two targets, one tree": (gt.GraphTreeRegressor, {}, np.arange(24.0).reshape(12, 2) ** 2),
    "two targets, boosted": (gt.GraphBoostingRegressor, {}, np.arange(24.0).reshape(12, 2) ** 2),
    "counts": (gt.GraphBoostingRegressor, {"loss": "poisson"}, np.arange(12.0)),
    "out of bag": (gt.GraphForestClassifier, {"oob_score": True}, np.arange(12) % 2),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_models_of_every_shape_are_saved(case, tmp_path):
    kind, given, y = SEVERAL[case]
    X = examples("graphs")
    model = small(kind, **given).fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert_same(model, again, X)
    assert getattr(again, "oob_score_", None) == getattr(model, "oob_score_", None)


ALPHAS = (0.005, 0.008, 0.01, 0.02)


@cache
def pruned(about: str, alpha: float):
    """A tree on labels of which a third are noise, cut back, and the tree before it was cut."""
    graphs = some_graphs(240, n_vertices=(3, 6), directed=True)
    X = graphs if about == "graphs" else graphs.vertices[:240]
    degrees = np.concatenate([np.bincount(g.edge_index[1], minlength=g.n_vertices) for g in graphs])
    labels = [g.n_edges % 3 for g in graphs] if about == "graphs" else degrees[:240] % 3
    rng = np.random.default_rng(1)
    y = np.where(rng.random(240) < 0.33, rng.integers(3, size=240), labels)
    settings = {"max_leaf_nodes": None, "max_ancestor_distance": 3}
    whole = small(gt.GraphTreeClassifier, **settings).fit(X, y)
    return small(gt.GraphTreeClassifier, ccp_alpha=alpha, **settings).fit(X, y), whole, X


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_pruned_tree_is_saved_and_every_leaf_points_to_itself(alpha, about, tmp_path):
    model, whole, X = pruned(about, alpha)
    nodes = model.trees_to_dataframe()
    leaves = nodes[nodes.left < 0]
    assert 1 < len(leaves) < (whole.trees_to_dataframe().left < 0).sum(), "something was cut"
    assert (leaves.pointer == leaves.node).all()
    assert leaves.sign.isna().all()
    model.save(tmp_path / "model.json")
    assert_same(model, gt.load_model(tmp_path / "model.json"), X)


def test_pruning_cuts_splits_that_used_subsets_and_keeps_others():
    """So that the test above is about pointers: of splits that are gone, and of those that stay."""
    cut = kept = 0
    for alpha in ALPHAS:
        model, whole, _ = pruned("graphs", alpha)
        kept += (model._fitted.trees[0].sign != 0).sum()
        cut += (whole._fitted.trees[0].sign != 0).sum() - (model._fitted.trees[0].sign != 0).sum()
    assert kept > 0
    assert cut > 0


def test_a_pickle_of_an_earlier_version_is_refused_and_not_taken_for_an_unfitted_model():
    model = gt.GraphTreeClassifier()
    state = model.__getstate__() | {"_trees": (), "_kind": "graphs"}
    with pytest.raises(ValueError, match=r"pickled by an earlier graphtrees.*fit it again"):
        model.__setstate__(state)
    with_labels = gt.WithLabels(model)
    state = with_labels.__getstate__() | {"estimator_": model}
    with pytest.raises(ValueError, match=r"WithLabels was pickled by an earlier.*fit it again"):
        with_labels.__setstate__(state)
