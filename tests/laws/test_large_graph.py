"""One graph in parts, each with a halo: the same model to the byte, whoever has which vertices."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from communicators import run_workers
from parts import fit_parts, part_of

import graphtrees as gt
from graphtrees.graphs.flat import dense

# How many workers, and whether each has vertices that lie together.
WORKERS = [(1, False), (2, True), (3, False), (5, True)]


def as_json(model, path):
    model.save(path / "model.json")
    return (path / "model.json").read_text()


def random_edges(rng, n, n_edges):
    """Edges between vertices with near numbers, with loops and parallel ones; the last vertices
    have none.
    """
    first = rng.integers(0, n - 3, n_edges)
    ends = np.stack([first, np.clip(first + rng.integers(-5, 6, n_edges), 0, n - 4)], axis=1)
    return np.concatenate([ends, ends[:5], np.repeat(ends[:3, :1], 2, axis=1)])


def some_labels(rng, graph, n_labelled):
    """Which vertices have labels, and numbers that depend on the features around each."""
    values = np.nan_to_num(dense(graph.features[:, [0]])[:, 0])
    around = graph.adjacency() @ values
    labelled = np.sort(rng.choice(graph.n_vertices, n_labelled, replace=False))
    return labelled, (around + values + rng.normal(scale=0.1, size=graph.n_vertices))[labelled]


def check(tmp_path, model, graph, labelled, y, seed=0, **given):
    """The model of all workers is that of one machine; returns it."""
    rng = np.random.default_rng(seed)
    alone = copy.deepcopy(model).fit(graph.vertices[labelled], y, **given)
    expected = as_json(alone, tmp_path)
    assert sum(tree["depth"].max() for _, tree in alone.trees_to_dataframe().groupby("tree")) > 2
    for n_workers, together in WORKERS:
        owner = rng.integers(0, n_workers, graph.n_vertices)
        owner = np.sort(owner) if together else owner
        for one in fit_parts(model, graph, labelled, y, owner, n_workers, **given):
            assert as_json(one, tmp_path) == expected, n_workers
    return alone


def boosting(**parameters):
    return gt.GraphBoostingClassifier(
        **{"n_estimators": 4, "min_samples_leaf": 2, "random_state": 0, **parameters}
    )


def classes(y):
    return np.digitize(y, np.quantile(y, [0.5]))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("operators", [("adjacency",), ("mean", "reverse"), ("reverse", "mean")])
def test_real_valued_features(tmp_path, directed, operators):
    rng = np.random.default_rng(1)
    graph = gt.Graph(
        rng.normal(size=(70, 3)), random_edges(rng, 70, 130), directed=directed,
        edge_weights=rng.normal(size=138),
    )  # fmt: skip
    labelled, y = some_labels(rng, graph, 50)
    check(tmp_path, boosting(operators=operators), graph, labelled, classes(y))


@pytest.mark.parametrize("directed", [False, True])
def test_types_and_features_of_edges(tmp_path, directed):
    rng = np.random.default_rng(2)
    graph = gt.Graph(
        rng.integers(0, 4, (60, 2)), random_edges(rng, 60, 120), directed=directed,
        edge_types=rng.choice(["likes", "owns", "rare"], 128, p=[0.6, 0.37, 0.03]),
        edge_features=pd.DataFrame({"hours": rng.normal(size=128)}),
    )  # fmt: skip
    labelled, y = some_labels(rng, graph, 45)
    operators = ("adjacency", "relations", "mean_relations")
    check(tmp_path, boosting(operators=operators), graph, labelled, classes(y))


@pytest.mark.parametrize("n_words", [12, 120])
def test_bags_of_words(tmp_path, n_words):
    rng = np.random.default_rng(3)
    words = sp.random_array((80, n_words), density=0.05, rng=rng, format="csr")
    words.data[:] = 1.0
    graph = gt.Graph(words, random_edges(rng, 80, 150))
    labelled, y = some_labels(rng, graph, 60)
    check(tmp_path, boosting(), graph, labelled, classes(y))


def test_sparse_features_that_are_mostly_filled(tmp_path):
    """Each column is held somewhere, but not in every part."""
    rng = np.random.default_rng(4)
    values = (rng.random((40, 4)) < 0.6) * rng.integers(1, 5, (40, 4)).astype(float)
    values[:, 3] = 0.0
    values[38, 3] = 2.0
    graph = gt.Graph(sp.csr_array(values), random_edges(rng, 40, 60))
    labelled, y = some_labels(rng, graph, 30)
    check(tmp_path, boosting(), graph, labelled, classes(y))


def test_features_that_are_filled_in_one_part_alone(tmp_path):
    """Whether values are kept as lists follows from the whole graph."""
    rng = np.random.default_rng(21)
    values = (rng.random((90, 5)) < 0.08) * rng.integers(1, 5, (90, 5)).astype(float)
    values[60:] = rng.integers(1, 5, (30, 5))
    for filled in (values, np.where(np.arange(90)[:, None] < 80, values, 0)):
        for features in (filled, sp.csr_array(filled)):
            graph = gt.Graph(features, random_edges(rng, 90, 160))
            labelled, y = some_labels(rng, graph, 70)
            model = boosting(feature_fraction_per_node=0.05, add_constant=False, n_estimators=3)
            check(tmp_path, model, graph, labelled, classes(y))


def test_small_and_large_counts(tmp_path):
    """Whether all sums are exact follows from the whole graph, too."""
    rng = np.random.default_rng(22)
    values = rng.integers(0, 4, (60, 2)).astype(float)
    values[59, 0] = 2.0**23
    edges = random_edges(rng, 60, 110)
    weights = np.where(edges.max(axis=1) > 50, 2.0**18, 1.0)
    graph = gt.Graph(values, edges, edge_weights=weights)
    labelled, y = some_labels(rng, graph, 50)
    check(tmp_path, boosting(), graph, labelled, classes(y))


def test_missing_values_and_categories(tmp_path):
    rng = np.random.default_rng(5)
    size = rng.normal(size=70)
    size[::6] = np.nan
    colour = pd.Categorical(rng.choice(["red", "green", "blue"], 70, p=[0.5, 0.45, 0.05]))
    frame = pd.DataFrame({"size": size, "colour": colour, "kind": rng.integers(0, 4, 70)})
    graph = gt.Graph(frame, random_edges(rng, 70, 130))
    labelled, y = some_labels(rng, graph, 50)
    check(tmp_path, boosting(), graph, labelled, classes(y))
    model = boosting(categorical_features=["colour", "kind"])
    check(tmp_path, model, graph, labelled, classes(y))


@pytest.mark.parametrize("walk_type_probability", [1.0, 0.5])
def test_closed_walks_of_three_steps(tmp_path, walk_type_probability):
    rng = np.random.default_rng(6)
    graph = gt.Graph(rng.integers(1, 4, (60, 2)), random_edges(rng, 30, 150), n_vertices=60)
    labelled, _ = some_labels(rng, graph, 50)
    matrix = graph.adjacency().toarray()
    y = np.diagonal(np.linalg.matrix_power(matrix, 3))[labelled]
    model = boosting(
        max_walk_length=3, walk_types=("source", "cycle"), max_ancestor_distance=3,
        walk_type_probability=walk_type_probability,
    )  # fmt: skip
    check(tmp_path, model, graph, labelled, (y > np.median(y)).astype(int))


def test_closed_walks_that_cancel_everywhere_are_not_asked_about(tmp_path):
    """In a part of the graph they do not cancel: some edges of its last vertices are not there."""
    rng = np.random.default_rng(7)
    here = np.arange(60)
    there = (here + 1) % 60
    edges = np.concatenate([np.stack([here, there], 1), np.stack([there, here], 1)])
    weights = np.concatenate([np.ones(60), np.tile([1.0, -1.0], 30)])
    graph = gt.Graph(rng.normal(size=(60, 2)), edges, directed=True, edge_weights=weights)
    assert not graph.adjacency().dot(graph.adjacency()).diagonal().any()
    labelled, y = some_labels(rng, graph, 50)
    model = boosting(walk_types=("source", "cycle"), feature_fraction_per_node=0.5)
    check(tmp_path, model, graph, labelled, classes(y))


def test_numbers_of_very_different_size(tmp_path):
    """Small ones are rounded by the largest of the whole graph, which few workers have."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(60, 2)) * 1e-12
    values[59, 0] = 1e12
    for features in (values, sp.csr_array(np.c_[values, np.zeros((60, 9))])):
        graph = gt.Graph(features, random_edges(rng, 60, 110))
        labelled, _ = some_labels(rng, graph, 45)
        around = graph.adjacency() @ np.nan_to_num(values[:, 0])
        check(tmp_path, boosting(), graph, labelled, classes(around[labelled]))


def test_few_labelled_vertices(tmp_path):
    rng = np.random.default_rng(9)
    graph = gt.Graph(rng.normal(size=(200, 2)), random_edges(rng, 200, 400))
    labelled, y = some_labels(rng, graph, 12)
    check(tmp_path, boosting(max_leaf_nodes=5), graph, labelled, classes(y))


@pytest.mark.parametrize("max_bins", [None, 8])
def test_regression_with_weights_of_examples(tmp_path, max_bins):
    rng = np.random.default_rng(10)
    graph = gt.Graph(rng.normal(size=(90, 2)), random_edges(rng, 90, 170))
    labelled, y = some_labels(rng, graph, 70)
    model = gt.GraphBoostingRegressor(
        n_estimators=4, min_samples_leaf=2, max_bins=max_bins, random_state=0
    )
    check(tmp_path, model, graph, labelled, y, sample_weight=rng.integers(0, 3, 70))


def test_trees_that_see_some_of_the_examples(tmp_path):
    """The others are led through the trees, and need the subsets of their halos."""
    rng = np.random.default_rng(11)
    graph = gt.Graph(rng.normal(size=(80, 2)), random_edges(rng, 80, 160))
    labelled, y = some_labels(rng, graph, 70)
    model = boosting(subsample=0.6, feature_fraction=0.5, max_ancestor_distance=3)
    check(tmp_path, model, graph, labelled, classes(y))


def test_early_stopping(tmp_path):
    rng = np.random.default_rng(12)
    graph = gt.Graph(rng.normal(size=(80, 2)), random_edges(rng, 80, 160))
    labelled, y = some_labels(rng, graph, 70)
    model = boosting(n_estimators=12, early_stopping=True, n_iter_no_change=3)
    alone = check(tmp_path, model, graph, labelled, classes(y))
    owner = rng.integers(0, 3, 80)
    for one in fit_parts(model, graph, labelled, classes(y), owner, 3):
        assert one.evals_result_ == alone.evals_result_


@pytest.mark.parametrize("kind", [gt.GraphForestClassifier, gt.GraphForestRegressor])
def test_forests(tmp_path, kind):
    rng = np.random.default_rng(13)
    graph = gt.Graph(rng.integers(0, 3, (70, 3)), random_edges(rng, 70, 140))
    labelled, y = some_labels(rng, graph, 60)
    y = classes(y) if kind is gt.GraphForestClassifier else y
    model = kind(n_estimators=4, min_samples_leaf=2, oob_score=True, random_state=0)
    alone = check(tmp_path, model, graph, labelled, y)
    for one in fit_parts(model, graph, labelled, y, rng.integers(0, 2, 70), 2):
        assert one.oob_score_ == alone.oob_score_


def test_a_single_tree_of_many_leaves(tmp_path):
    rng = np.random.default_rng(14)
    graph = gt.Graph(rng.normal(size=(120, 3)), random_edges(rng, 120, 200))
    labelled, y = some_labels(rng, graph, 100)
    model = gt.GraphTreeRegressor(
        max_leaf_nodes=60, min_samples_leaf=1, max_ancestor_distance=1, random_state=0
    )
    check(tmp_path, model, graph, labelled, y)


def test_workers_without_vertices_and_vertices_without_neighbours_of_their_own(tmp_path):
    rng = np.random.default_rng(15)
    graph = gt.Graph(rng.normal(size=(60, 2)), random_edges(rng, 60, 120))
    labelled, y = some_labels(rng, graph, 50)
    for operators in ("adjacency", "mean"):
        model = boosting(operators=operators)
        alone = copy.deepcopy(model).fit(graph.vertices[labelled], classes(y))
        expected = as_json(alone, tmp_path)
        for owner in (np.full(60, 2), np.arange(60) % 4 * 2, np.where(np.arange(60) < 59, 0, 4)):
            for one in fit_parts(model, graph, labelled, classes(y), owner % 5, 5):
                assert as_json(one, tmp_path) == expected


def test_without_edges_walks_or_subsets(tmp_path):
    rng = np.random.default_rng(16)
    edges = random_edges(rng, 60, 120)
    no_edges = np.empty((0, 2), int)
    for one, parameters in (
        (no_edges, {}), (edges, {"max_walk_length": 0}), (edges, {"max_ancestor_distance": 0}),
    ):  # fmt: skip
        graph = gt.Graph(rng.normal(size=(60, 2)), one, directed=True)
        labelled, y = some_labels(rng, graph, 50)
        check(tmp_path, boosting(**parameters), graph, labelled, classes(y))


def test_names_of_vertices_are_kept_apart(tmp_path):
    """They are part of what the file remembers of the training examples."""
    rng = np.random.default_rng(17)
    names = [f"v{k}" for k in range(60)]
    graph = gt.Graph(rng.normal(size=(60, 2)), random_edges(rng, 60, 120), vertex_names=names)
    labelled, y = some_labels(rng, graph, 50)
    check(tmp_path, boosting(), graph, labelled, classes(y))


@pytest.mark.parametrize("seed", range(12))
def test_any_graph_and_any_parameters(tmp_path, seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(40, 100))
    features = rng.integers(0, 5, (n, 3)).astype(float)
    if seed % 3 == 0:
        features[rng.random((n, 3)) < 0.2] = np.nan
    if seed % 4 == 1:
        features = sp.csr_array(np.where(rng.random((n, 3)) < 0.8, 0, features))
    edges = random_edges(rng, n, int(rng.integers(n // 2, 3 * n)))
    weights = rng.integers(-1, 3, len(edges)) if rng.random() < 0.5 else None
    graph = gt.Graph(features, edges, directed=bool(rng.integers(2)), edge_weights=weights)
    labelled, y = some_labels(rng, graph, n - 10)
    model = boosting(
        max_walk_length=int(rng.integers(0, 4)), max_ancestor_distance=int(rng.integers(1, 4)),
        feature_fraction_per_node=float(rng.choice([1.0, 0.5, 0.04])),
        max_leaf_nodes=int(rng.integers(4, 12)), min_samples_leaf=int(rng.integers(1, 4)),
        operators=[("adjacency",), ("mean",), ("adjacency", "reverse")][seed % 3],
        random_state=seed,
    )  # fmt: skip
    check(tmp_path, model, graph, labelled, classes(y), seed)


def test_predictions_for_all_vertices_are_those_of_one_machine():
    rng = np.random.default_rng(18)
    graph = gt.Graph(rng.normal(size=(90, 2)), random_edges(rng, 90, 200))
    labelled, y = some_labels(rng, graph, 60)
    model = boosting(n_estimators=8, max_ancestor_distance=3).fit(
        graph.vertices[labelled], classes(y)
    )
    owner, everyone = rng.integers(0, 3, 90), np.arange(90)

    def predict(communicator):
        part = part_of(graph, owner, everyone, 2, communicator)
        return model.decision_function(part), model.apply(part)

    for raw, leaves in run_workers(predict, 3):
        np.testing.assert_array_equal(raw, model.decision_function(graph.vertices))
        np.testing.assert_array_equal(leaves, model.apply(graph.vertices))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_walk_length": 4}, "max_walk_length=4 is longer than the 2 steps"),
        ({"colours": 1}, "colours=1 cannot be learned on a graph in parts"),
    ],
)
def test_what_parts_cannot_tell_is_refused(parameters, message):
    rng = np.random.default_rng(19)
    graph = gt.Graph(rng.normal(size=(60, 2)), random_edges(rng, 60, 120))
    labelled, y = some_labels(rng, graph, 50)

    def fit(communicator):
        part = part_of(graph, np.arange(60) % 2, labelled, 2, communicator)
        return boosting(**parameters).fit(part, classes(y))

    with pytest.raises(ValueError, match=message):
        run_workers(fit, 2)
