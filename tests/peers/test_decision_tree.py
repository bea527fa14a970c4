"""Without walks and subsets, a tree on vertices is scikit-learn's exact decision tree."""

from __future__ import annotations

import numpy as np
import pytest
from builders import a_graph
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import graphtrees as gt

N, N_FEATURES = 120, 4
PLAIN = {"max_walk_length": 0, "max_ancestor_distance": 0, "n_jobs": 1}


def a_table(seed: int) -> np.ndarray:
    """Every value of a column is different, a multiple of 1/8, and so exact in float32."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(N) / 8.0 for _ in range(N_FEATURES)])


def as_vertices(X: np.ndarray, seed: int = 0) -> gt.Vertices:
    """Vertices of a graph with edges, which may not matter."""
    return gt.Graph(X, a_graph(len(X), seed=seed, density=0.05).edge_index.T).vertices


def numbers(X: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sin(X[:, 0]) * 3 + X[:, 1] / 4 + rng.normal(size=len(X))


def labels(X: np.ndarray, seed: int, n_classes: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (X[:, 0] // 5 + X[:, 2] // 8 + rng.integers(0, 2, len(X))).astype(int) % n_classes


def weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 40, N) / 8.0


def assert_same_tree(ours, theirs, path: str = "root", node: int = 0, other: int = 0) -> None:
    """Walk both trees together: counts, features, thresholds, gains and values."""
    row, tree = ours.loc[node], theirs.tree_
    assert row["n_samples"] == tree.n_node_samples[other], path
    value = tree.value[other].ravel()
    np.testing.assert_allclose(row["value"], value if len(value) > 1 else value[0], rtol=1e-9)
    left, right = tree.children_left[other], tree.children_right[other]
    assert (row["left"] == -1) == (left == -1), path
    if left == -1:
        return
    assert row["feature_index"] == tree.feature[other], path
    assert row["threshold"] == tree.threshold[other], path
    assert row["gain"] == pytest.approx(decrease(tree, other), rel=1e-7), path
    assert_same_tree(ours, theirs, path + ".left", row["left"], left)
    assert_same_tree(ours, theirs, path + ".right", row["right"], right)


def decrease(tree, node: int) -> float:
    """Decrease of impurity times weight."""
    left, right = tree.children_left[node], tree.children_right[node]
    summed = tree.impurity * tree.weighted_n_node_samples
    return summed[node] - summed[left] - summed[right]


def compare(ours, theirs, X, y, weight=None) -> None:
    vertices = as_vertices(X)
    ours.fit(vertices, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    assert theirs.get_n_leaves() > 2, "a stump proves little"
    frame = ours.trees_to_dataframe()
    assert (frame["walk_length"] <= 0).all()
    assert_same_tree(frame.set_index("node"), theirs)
    np.testing.assert_allclose(ours.predict(vertices), theirs.predict(X), rtol=1e-9)
    unseen = a_table(999) * 1.3
    np.testing.assert_allclose(ours.predict(as_vertices(unseen)), theirs.predict(unseen), rtol=1e-9)
    if hasattr(theirs, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(vertices), theirs.predict_proba(X), rtol=1e-9)


LIMITS = {
    "leaves": ({"max_leaf_nodes": 12}, {"max_leaf_nodes": 12}),
    "depth": ({"max_depth": 3}, {"max_depth": 3}),
    "samples": (
        {"max_leaf_nodes": 12, "min_samples_leaf": 7},
        {"max_leaf_nodes": 12, "min_samples_leaf": 7},
    ),
}
limits = pytest.mark.parametrize("limit", LIMITS)
seeds = pytest.mark.parametrize("seed", [0, 1, 2])
bins = pytest.mark.parametrize("max_bins", [255, None])


@seeds
@limits
@bins
def test_a_regression_tree_equals_scikit_learns(seed, limit, max_bins):
    X = a_table(seed)
    ours, theirs = LIMITS[limit]
    compare(
        gt.GraphTreeRegressor(**PLAIN, **ours, max_bins=max_bins),
        DecisionTreeRegressor(**theirs, random_state=0),
        X,
        numbers(X, seed),
    )


@seeds
@limits
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_a_classification_tree_equals_scikit_learns(seed, limit, criterion):
    X = a_table(seed)
    ours, theirs = LIMITS[limit]
    compare(
        gt.GraphTreeClassifier(criterion=criterion, **PLAIN, **ours | {"max_leaf_nodes": 7}),
        DecisionTreeClassifier(
            criterion=criterion, **theirs | {"max_leaf_nodes": 7}, random_state=0
        ),
        X,
        labels(X, seed),
        weights(seed),
    )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_classification_tree_without_weights_equals_scikit_learns(criterion):
    """Few leaves: with counts alone, small nodes have splits of equal gain."""
    X = a_table(5)
    compare(
        gt.GraphTreeClassifier(criterion=criterion, **PLAIN, max_leaf_nodes=5, min_samples_leaf=9),
        DecisionTreeClassifier(
            criterion=criterion, max_leaf_nodes=5, min_samples_leaf=9, random_state=0
        ),
        X,
        labels(X, 5, n_classes=2),
    )


@seeds
def test_a_weighted_regression_tree_equals_scikit_learns(seed):
    X = a_table(seed)
    compare(
        gt.GraphTreeRegressor(**PLAIN, max_leaf_nodes=12),
        DecisionTreeRegressor(max_leaf_nodes=12, random_state=0),
        X,
        numbers(X, seed),
        weights(seed),
    )


@seeds
@pytest.mark.parametrize("weighted", [False, True])
def test_pruning_equals_scikit_learns(seed, weighted):
    X = a_table(seed)
    y, weight = numbers(X, seed), weights(seed) if weighted else None
    given = {"max_leaf_nodes": 20, "min_samples_leaf": 4}
    grown = DecisionTreeRegressor(**given, random_state=0)
    alphas = grown.cost_complexity_pruning_path(X, y, sample_weight=weight).ccp_alphas
    for alpha in (alphas[3] + alphas[4]) / 2, (alphas[-4] + alphas[-3]) / 2:
        compare(
            gt.GraphTreeRegressor(**PLAIN, **given, ccp_alpha=alpha),
            DecisionTreeRegressor(**given, ccp_alpha=alpha, random_state=0),
            X,
            y,
            weight,
        )


@seeds
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_pruning_of_classes_equals_scikit_learns(seed, criterion):
    X = a_table(seed)
    y, weight = labels(X, seed), weights(seed)
    given = {"criterion": criterion, "max_leaf_nodes": 7}
    grown = DecisionTreeClassifier(**given, random_state=0)
    alphas = grown.cost_complexity_pruning_path(X, y, sample_weight=weight).ccp_alphas
    alpha = (alphas[1] + alphas[2]) / 2
    compare(
        gt.GraphTreeClassifier(**PLAIN, **given, ccp_alpha=alpha),
        DecisionTreeClassifier(**given, ccp_alpha=alpha, random_state=0),
        X,
        y,
        weight,
    )


@seeds
def test_the_least_gain_equals_scikit_learns_least_decrease(seed):
    """Theirs is a share of all weight, ours is not."""
    X = a_table(seed)
    y = numbers(X, seed)
    compare(
        gt.GraphTreeRegressor(**PLAIN, min_gain=20.0, max_leaf_nodes=50),
        DecisionTreeRegressor(min_impurity_decrease=20.0 / N, max_leaf_nodes=50, random_state=0),
        X,
        y,
    )


@seeds
def test_several_outputs_equal_scikit_learns(seed):
    X = a_table(seed)
    Y = np.column_stack([numbers(X, seed), numbers(X[:, ::-1], seed + 1)])
    ours = gt.GraphTreeRegressor(**PLAIN, max_leaf_nodes=10).fit(as_vertices(X), Y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=10, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.predict(as_vertices(X)), theirs.predict(X), rtol=1e-9)


@seeds
def test_balanced_classes_equal_scikit_learns(seed):
    X = a_table(seed)
    y = labels(X, seed)
    given = {"class_weight": "balanced", "max_leaf_nodes": 6}
    compare(
        gt.GraphTreeClassifier(**PLAIN, **given),
        DecisionTreeClassifier(**given, random_state=0),
        X,
        y,
        weights(seed),
    )


@seeds
def test_missing_values_go_where_scikit_learn_sends_them(seed):
    X = a_table(seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.08] = np.nan
    y = numbers(np.nan_to_num(X), seed)
    ours = gt.GraphTreeRegressor(**PLAIN, max_leaf_nodes=8).fit(as_vertices(X), y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=8, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(as_vertices(X)), theirs.predict(X), rtol=1e-9)


@seeds
def test_edges_do_not_matter_without_walks(seed):
    X = a_table(seed)
    y = numbers(X, seed)
    model = gt.GraphTreeRegressor(**PLAIN, max_leaf_nodes=12).fit(as_vertices(X, seed=1), y)
    other = gt.GraphTreeRegressor(**PLAIN, max_leaf_nodes=12).fit(gt.Graph(X, []).vertices, y)
    table = gt.GraphTreeRegressor(max_leaf_nodes=12).fit(X, y)
    np.testing.assert_array_equal(model.predict(as_vertices(X)), other.predict(as_vertices(X)))
    np.testing.assert_array_equal(model.predict(as_vertices(X)), table.predict(X))
