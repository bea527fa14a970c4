"""Looking inside by the names that scikit-learn, LightGBM and XGBoost have for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from models import BOOSTING, CLASSIFIERS, FORESTS, ONE_TREE, SIX, name_of, small
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import graphtrees as gt

six = pytest.mark.parametrize("kind", SIX, ids=name_of)


def fitted(kind, about="graphs", **given):
    graphs = some_graphs(14, n_vertices=(3, 7))
    X = graphs if about == "graphs" else getattr(graphs, about)
    y = np.arange(len(X)) % 3 if kind in CLASSIFIERS else np.sin(np.arange(len(X)))
    return small(kind, **given).fit(X, y), X


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@six
def test_there_is_one_importance_for_each_feature_and_one_for_the_constant(kind, about):
    model, _ = fitted(kind, about)
    assert model.feature_importances_.shape == (model.n_features_in_,)
    total = model.feature_importances_.sum() + model.constant_importance_
    assert total == pytest.approx(1.0)
    gains = model.trees_to_dataframe().groupby("feature_index")["gain"].sum()
    shares = gains.drop(-1) / gains.drop(-1).sum()
    assert model.constant_importance_ == pytest.approx(shares.get(model.n_features_in_, 0.0))
    for feature in range(model.n_features_in_):
        assert model.feature_importances_[feature] == pytest.approx(shares.get(feature, 0.0))


def test_a_table_has_no_constant():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = gt.GraphTreeRegressor().fit(X, X[:, 0])
    assert model.constant_importance_ == 0.0
    assert model.feature_importances_.sum() == pytest.approx(1.0)


@six
def test_importances_may_count_splits(kind):
    model, _ = fitted(kind, importance_type="split")
    splits = model.trees_to_dataframe().query("feature_index >= 0")["feature_index"]
    for feature in range(model.n_features_in_):
        share = (splits == feature).mean()
        assert model.feature_importances_[feature] == pytest.approx(share)
    assert model.importance("split") == model.importance("splits")
    with pytest.raises(ValueError, match=r"'importance_type' parameter .* 'gain', 'split'"):
        small(kind, importance_type="cover").fit(some_graphs(4), [0, 1, 0, 1])


def test_the_constant_is_called_a_count():
    star, path = gt.Graph(None, [(0, 1), (0, 2), (0, 3)]), gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    assert model.importance() == {"count of vertices": 1.0}
    of_edges = gt.GraphTreeRegressor().fit(path.edges, [1.0, 2.0, 1.0])
    assert of_edges.importance() == {"count of edges": 1.0}
    assert set(model.trees_to_dataframe()["feature"].dropna()) == {"1"}


@six
def test_depth_and_leaves_are_those_of_the_table(kind):
    model, _ = fitted(kind)
    frame = model.trees_to_dataframe()
    assert model.get_depth() == frame["depth"].max()
    assert model.get_n_leaves() == (frame["left"] == -1).sum()
    with pytest.raises(NotFittedError):
        kind().get_depth()


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_a_forest_is_the_mean_of_its_estimators(kind):
    model, X = fitted(kind)
    trees = model.estimators_
    assert len(trees) == model.n_estimators
    if kind in CLASSIFIERS:
        said = np.mean([tree.predict_proba(X) for tree in trees], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), said)
    else:
        np.testing.assert_allclose(model.predict(X), np.mean([t.predict(X) for t in trees], axis=0))


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_boosting_is_the_sum_of_its_estimators(kind):
    model, X = fitted(kind)
    trees = model.estimators_
    n_outputs = 3 if kind in CLASSIFIERS else 1
    assert trees.shape == (model.n_iter_, n_outputs)
    said = [[tree.predict(X) for tree in column] for column in trees.T]
    raw = model.init_[:, None] + model.learning_rate * np.sum(said, axis=1)
    told = model.decision_function(X).T if kind in CLASSIFIERS else model.predict(X)[None]
    np.testing.assert_allclose(raw, told, rtol=1e-12)


def test_a_tree_for_all_classes_is_one_estimator_a_round():
    model, X = fitted(gt.GraphBoostingClassifier, multi_strategy="multi_output_tree")
    assert model.estimators_.shape == (model.n_iter_, 1)
    assert model.estimators_[0, 0].predict(X).shape == (len(X), 3)


def passed_nodes(model, X):
    """By replaying the paths that explanations tell."""
    starts = np.cumsum([0] + [tree.n_nodes for tree in model._fitted.trees])
    passed = np.zeros((len(X), starts[-1]), int)
    for row, explanation in enumerate(gt.explain_many(model, X)):
        for tree in range(explanation.n_trees):
            path = explanation.path(tree)
            for node in (*(step.node for step in path.steps), path.leaf):
                passed[row, starts[tree] + node] = 1
    return passed, starts


@pytest.mark.parametrize("kind", ONE_TREE + FORESTS, ids=name_of)
def test_the_decision_path_holds_every_node_on_the_way(kind):
    model, X = fitted(kind)
    wanted, starts = passed_nodes(model, X)
    if kind in FORESTS:
        found, ptr = model.decision_path(X)
        np.testing.assert_array_equal(ptr, starts)
    else:
        found = model.decision_path(X)
    np.testing.assert_array_equal(found.toarray(), wanted)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_pruning_path_of_classes_is_that_of_scikit_learn(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:150, :4].astype(np.float32)
    given = {"criterion": criterion, "max_leaf_nodes": 8, "random_state": 0}
    ours = gt.GraphTreeClassifier(max_bins=None, **given)
    theirs = DecisionTreeClassifier(**given).cost_complexity_pruning_path(X, y[:150])
    path = ours.cost_complexity_pruning_path(X, y[:150])
    np.testing.assert_allclose(path.ccp_alphas, theirs.ccp_alphas, atol=1e-9)
    np.testing.assert_allclose(path.impurities, theirs.impurities, atol=1e-9)


def test_the_pruning_path_of_numbers_is_that_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X, weight = X[:120, :4].astype(np.float32), np.arange(120) % 3 + 1.0
    given = {"max_leaf_nodes": 8, "random_state": 0}
    theirs = DecisionTreeRegressor(**given).cost_complexity_pruning_path(X, y[:120], weight)
    ours = gt.GraphTreeRegressor(max_bins=None, **given)
    path = ours.cost_complexity_pruning_path(X, y[:120], weight)
    np.testing.assert_allclose(path.ccp_alphas, theirs.ccp_alphas, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(path.impurities, theirs.impurities, rtol=1e-6)


def test_each_alpha_of_the_pruning_path_prunes_one_more_node():
    X, y = some_graphs(30, n_vertices=(3, 7)), np.sin(np.arange(30.0))
    model = gt.GraphTreeRegressor(max_leaf_nodes=7)
    path = model.cost_complexity_pruning_path(X, y)
    sizes = [
        gt.GraphTreeRegressor(max_leaf_nodes=7, ccp_alpha=alpha * (1 + 1e-9)).fit(X, y)
        .get_n_leaves() for alpha in path.ccp_alphas
    ]  # fmt: skip
    assert sizes[0] == 7
    assert sizes[-1] == 1
    assert (np.diff(sizes) < 0).all()
    assert path.impurities[-1] == pytest.approx(np.var(y))


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_the_best_score_is_that_of_the_best_round(kind):
    X = some_graphs(30, n_vertices=(3, 7))
    y = np.arange(30) % 2 if kind in CLASSIFIERS else np.sin(np.arange(30.0))
    model = small(kind, n_estimators=6).fit(X[:20], y[:20], eval_set=(X[20:], y[20:]))
    for where, scores in model.evals_result_.items():
        for metric, values in scores.items():
            assert model.best_score_[where][metric] == values[model.best_iteration_]
    watched = list(model.evals_result_)[-1]
    (best,) = model.best_score_[watched].values()
    assert best == min(*model.evals_result_[watched].values())


@six
def test_a_model_is_saved_and_loaded_by_its_methods(kind, tmp_path):
    model, X = fitted(kind)
    model.save_model(tmp_path / "model.json")
    read = kind.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    empty = kind()
    assert empty.load_model(tmp_path / "model.json") is empty
    np.testing.assert_array_equal(empty.predict(X), model.predict(X))
    assert empty.get_params() == model.get_params()


def test_another_kind_of_model_is_not_loaded(tmp_path):
    model, _ = fitted(gt.GraphTreeRegressor)
    model.save_model(tmp_path / "model.json")
    empty = gt.GraphForestRegressor()
    for load in (gt.GraphForestRegressor.load_model, empty.load_model):
        with pytest.raises(TypeError, match="holds a GraphTreeRegressor, not a GraphForestRegress"):
            load(tmp_path / "model.json")
    with pytest.raises(NotFittedError):
        empty.predict(some_graphs(2))


@six
def test_the_text_of_a_tree_has_every_split_on_both_sides(kind):
    model, _ = fitted(kind)
    frame = model.trees_to_dataframe().query("tree == 0")
    lines = gt.export_text(model).splitlines()
    for node, left in zip(frame["node"], frame["left"], strict=True):
        asked = [line for line in lines if f"--- node {node}: " in line]
        assert len(asked) == (2 if left >= 0 else 0)
        if asked:
            assert " <= " in asked[0]
            assert " >  " in asked[1]
    leaves = [line for line in lines if "--- class: " in line or "--- value: " in line]
    assert len(leaves) == (frame["left"] < 0).sum()


def test_the_text_of_a_tree_may_be_cut_and_weighed():
    model, _ = fitted(gt.GraphTreeRegressor)
    assert "truncated branch of depth" in gt.export_text(model, max_depth=0)
    text = gt.export_text(model, show_weights=True)
    assert "(1 example)" in text or "examples)" in text
    assert "(1 examples)" not in text
    with pytest.raises(IndexError, match="tree must be a number below 1; got 1"):
        gt.export_text(model, tree=1)
    with pytest.raises(ValueError, match="spacing must be an integer of at least 1; got 0"):
        gt.export_text(model, spacing=0)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_the_text_of_a_tree_holds_the_splits_down_to_a_depth(max_depth):
    """Every split down to it twice, once for each side; those just below are cut off."""
    X = np.arange(64.0)[:, None]
    model = gt.GraphTreeRegressor(max_leaf_nodes=20).fit(X, np.arange(64) ** 2)
    splits = model.trees_to_dataframe().query("left >= 0")
    lines = gt.export_text(model, max_depth=max_depth).splitlines()
    shown = sorted(int(line.split("node ")[1].split(":")[0]) for line in lines if "node " in line)
    assert shown == sorted(2 * splits.query("depth <= @max_depth")["node"].tolist())
    cut = [line for line in lines if "truncated branch" in line]
    assert len(cut) == (splits["depth"] == max_depth + 1).sum() > 0


@pytest.mark.parametrize("kind", [*FORESTS, *BOOSTING], ids=name_of)
def test_a_tree_of_an_ensemble_is_saved_as_it_was_fitted(kind, tmp_path):
    model, X = fitted(kind, max_leaf_nodes=5)
    model.set_params(max_leaf_nodes=3)
    for tree in np.ravel(model.estimators_):
        assert tree.max_leaf_nodes == 5
        tree.save(tmp_path / "tree.json")
        again = gt.load_model(tmp_path / "tree.json")
        assert again.get_params() == tree.get_params()
        np.testing.assert_array_equal(again.predict(X), tree.predict(X))


@six
def test_the_type_of_importances_is_carried_by_a_file(kind, tmp_path):
    model, _ = fitted(kind, importance_type="split")
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.importance_type == "split"
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


def test_counting_along_a_relation_goes_by_its_name():
    """What is counted along an edge type or edge feature is told apart in importances."""
    rng = np.random.default_rng(0)
    ends, types = rng.integers(0, 120, (600, 2)), rng.choice(["cites", "likes"], 600)
    amounts = pd.DataFrame({"amount": rng.lognormal(size=600).round(2)})
    g = gt.Graph(rng.normal(size=(120, 1)), ends, directed=True, edge_types=types,
                 edge_features=amounts, feature_names=["age"])  # fmt: skip
    cited = np.bincount(ends[types == "cites", 1], minlength=120)
    paid = np.bincount(ends[:, 1], weights=amounts["amount"], minlength=120)
    model = small(gt.GraphTreeRegressor, operators=("adjacency", "relations"), max_walk_length=1)
    for y, name in (
        (cited, "number of neighbours along cites"),
        (paid, "sum of amount over edges"),
    ):
        told = model.fit(g.vertices, y).importance()
        assert next(iter(told)) == name
        counted = sum(share for part, share in told.items() if part != "age")
        assert counted == pytest.approx(model.constant_importance_)
        assert model.importance(by="category") == told
        bars = [text.get_text() for text in gt.plot_importance(model).get_yticklabels()]
        assert name in bars


def test_counting_along_every_edge_keeps_its_name():
    assert (
        "count of vertices"
        in gt.GraphTreeRegressor(operators=("adjacency", "reverse"))
        .fit(gt.Graph(None, [(0, 1), (0, 2), (1, 2)], directed=True).vertices, [1.0, 2.0, 3.0])
        .importance()
    )
