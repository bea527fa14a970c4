"""The same task gives the same bits: for any number of threads, order of examples, and again."""

from __future__ import annotations

import numpy as np
import pytest
from builders import a_rich_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from models import BOOSTING, CLASSIFIERS, FORESTS, SIX, name_of, small
from pandas.testing import assert_frame_equal
from real_valued import real_graphs

import graphtrees as gt
from graphtrees._threads import Workers
from graphtrees.trees import grower, training_data, workspace
from graphtrees.validation.fingerprints import seen_in_training

a_few = settings(max_examples=5, deadline=None)
seeds = st.integers(0, 2**32 - 1)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
both_tasks = pytest.mark.parametrize("about", ["graphs", "vertices"])


def undrawn(kind: type, **given):
    """Nothing is sampled, so that the order of examples cannot matter."""
    drawn = {"bootstrap": False, "max_features": None} if kind in FORESTS else {}
    return small(kind, **drawn | given)


def a_task(kind: type, about: str, seed: int, **given):
    graphs = gt.Graphs(real_graphs(seed, **{"n_graphs": 14, "n_vertices": (1, 8)} | given))
    X = graphs if about == "graphs" else graphs.vertices
    rng = np.random.default_rng(seed)
    y = np.arange(len(X)) % 3 if kind in CLASSIFIERS else rng.normal(size=len(X)) * 1e3
    return X, y, rng


def assert_same(one, other, X) -> None:
    assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe(), check_exact=True)
    for method in ("predict", "predict_proba"):
        if hasattr(one, method):
            assert getattr(one, method)(X).tobytes() == getattr(other, method)(X).tobytes()


@six_kinds
@both_tasks
@pytest.mark.parametrize("asked", [{}, {"max_bins": None}, {"walk_type_probability": 0.5}], ids=str)
def test_any_number_of_threads_gives_the_same_bits(kind, about, asked, monkeypatch):
    """Work is shared out however little there is of it."""
    cut, run, shared, side_by_side = Workers.spans, Workers.each, [], []

    def finely(self, n, at_least, turns=1):
        shared.append(cut(self, n, at_least=1, turns=turns))
        return shared[-1]

    def counted(self, function, arguments):
        side_by_side.append(list(arguments))
        return run(self, function, side_by_side[-1])

    monkeypatch.setattr(Workers, "spans", finely)
    monkeypatch.setattr(Workers, "each", counted)
    monkeypatch.setattr(grower, "ANSWERS_A_THREAD", 1)
    given = {"n_graphs": 60, "n_vertices": (5, 20), "n_features": 6}
    X, y, _ = a_task(kind, about, 0, **given)
    asked = asked | ({"n_estimators": 2} if hasattr(kind(), "n_estimators") else {})
    alone = small(kind, n_jobs=1, **asked).fit(X, y)
    assert max(map(len, shared)) == 1
    for n_jobs in (2, 3, 7, -1):
        assert_same(alone, small(kind, n_jobs=n_jobs, **asked).fit(X, y), X)
    together = small(kind, n_jobs=1, **asked).fit(X, y).set_params(n_jobs=4)
    side_by_side.clear()
    assert alone.predict(X).tobytes() == together.predict(X).tobytes()
    assert max(map(len, side_by_side)) == 4


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_trees_whose_subsets_need_more_room_than_there_was_are_the_same(n_jobs, monkeypatch):
    """The team comes back for room, and goes on where it was."""
    X, y, _ = a_task(gt.GraphTreeRegressor, "vertices", 3, n_graphs=30, n_vertices=(5, 20))
    expected = gt.GraphTreeRegressor(n_jobs=1, max_leaf_nodes=None).fit(X, y)
    asked_for, more = [], grower.add_slots

    def counted(work):
        asked_for.append(len(work.free_slots))
        return more(work)

    monkeypatch.setattr(training_data, "FIRST_SLOTS", 1)
    monkeypatch.setattr(grower, "add_slots", counted)
    monkeypatch.setattr(grower, "ANSWERS_A_THREAD", 1)
    assert_same(expected, gt.GraphTreeRegressor(n_jobs=n_jobs, max_leaf_nodes=None).fit(X, y), X)
    assert asked_for[:3] == [1, 2, 4]


@both_tasks
@pytest.mark.parametrize("asked", [{}, {"walk_type_probability": 0.5}], ids=str)
def test_entries_of_sparse_features_are_listed_alike_by_any_number_of_threads(
    about, asked, monkeypatch
):
    rng = np.random.default_rng(4)
    features = rng.integers(1, 4, (300, 12)) * (rng.random((300, 12)) < 0.15)
    path = [(k, k + 1) for k in range(5)]
    graphs = gt.Graphs([gt.Graph(features[k : k + 6], path) for k in range(0, 300, 6)])
    X = graphs if about == "graphs" else graphs.vertices
    y, stretches, own = rng.normal(size=len(X)), [], workspace._work

    def watched(shape):
        stretches.append(own(shape).entry_start.shape[2])
        return own(shape)

    monkeypatch.setattr(workspace, "_work", watched)
    monkeypatch.setattr(workspace, "LISTED_ROWS", 1)
    monkeypatch.setattr(workspace, "ENTRIES_A_FEATURE", 0)
    monkeypatch.setattr(grower, "ANSWERS_A_THREAD", 1)
    alone = small(gt.GraphBoostingRegressor, n_jobs=1, **asked).fit(X, y)
    for n_jobs in (2, 3, 7):
        assert_same(alone, small(gt.GraphBoostingRegressor, n_jobs=n_jobs, **asked).fit(X, y), X)
    assert min(stretches) == workspace.MOST_LISTED


@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_labels_colours_and_relations_are_the_same_for_any_number_of_threads(directed, monkeypatch):
    cut = Workers.spans
    monkeypatch.setattr(Workers, "spans", lambda self, n, at_least, turns=1: cut(self, n, 1, turns))
    X = gt.Graphs([a_rich_graph(k, k % 9, directed=directed) for k in range(60)])
    y = np.arange(60) % 2
    asked = {
        "n_estimators": 2, "max_walk_length": 3, "colours": 1, "min_samples_leaf": 2,
        "operators": ("adjacency", "reverse", "mean", "relations"),
    }  # fmt: skip
    alone = gt.GraphBoostingClassifier(n_jobs=1, **asked).fit(X, y)
    together = gt.GraphBoostingClassifier(n_jobs=5, **asked).fit(X, y)
    assert_same(alone, together, X)
    assert seen_in_training(together, X).all()


@six_kinds
@both_tasks
@a_few
@given(seed=seeds, max_bins=st.sampled_from((4, 255, None)))
def test_any_order_of_the_examples_gives_the_same_bits(kind, about, seed, max_bins):
    X, y, rng = a_task(kind, about, seed)
    weight = rng.uniform(0.5, 2.0, len(X))
    order = rng.permutation(len(X))
    one = undrawn(kind, max_bins=max_bins).fit(X, y, sample_weight=weight)
    other = undrawn(kind, max_bins=max_bins).fit(X[order], y[order], sample_weight=weight[order])
    assert_same(one, other, X)


@six_kinds
@a_few
@given(seed=seeds)
def test_any_order_of_the_graphs_of_vertices_gives_the_same_bits(kind, seed):
    X, y, rng = a_task(kind, "vertices", seed)
    order = rng.permutation(len(X.graphs))
    moved = X.graphs[order].vertices
    place = {pair: k for k, pair in enumerate(zip(X.graph_of, X.vertex_of, strict=True))}
    same = [place[order[g], v] for g, v in zip(moved.graph_of, moved.vertex_of, strict=True)]
    one, other = undrawn(kind).fit(X, y), undrawn(kind).fit(moved, y[same])
    assert_same(one, other, X)


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
)
def test_any_order_of_the_examples_gives_the_same_bits_for_every_loss(loss):
    X, y, rng = a_task(gt.GraphBoostingRegressor, "graphs", 7, n_graphs=30)
    y = np.abs(y) if loss == "poisson" else y
    order = rng.permutation(len(X))
    one = undrawn(gt.GraphBoostingRegressor, loss=loss).fit(X, y)
    other = undrawn(gt.GraphBoostingRegressor, loss=loss).fit(X[order], y[order])
    assert one.init_.tobytes() == other.init_.tobytes()
    assert one.evals_result_ == other.evals_result_
    assert_same(one, other, X)


@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
def test_any_order_of_the_examples_gives_the_same_bits_for_every_strategy(strategy):
    X, y, rng = a_task(gt.GraphBoostingClassifier, "graphs", 7, n_graphs=30)
    order = rng.permutation(len(X))
    one = undrawn(gt.GraphBoostingClassifier, multi_strategy=strategy).fit(X, y)
    other = undrawn(gt.GraphBoostingClassifier, multi_strategy=strategy).fit(X[order], y[order])
    assert_same(one, other, X)


@both_tasks
def test_more_values_than_bins_do_not_bring_the_order_back(about):
    """Several hundred distinct values in 255 bins."""
    X, y, rng = a_task(gt.GraphTreeRegressor, about, 1, n_graphs=400, n_vertices=(1, 3))
    order = rng.permutation(len(X))
    one = undrawn(gt.GraphTreeRegressor).fit(X, y)
    other = undrawn(gt.GraphTreeRegressor).fit(X[order], y[order])
    assert_same(one, other, X)


def drawing(kind: type) -> list[dict]:
    """Settings under which this kind of model draws by chance."""
    ways = [{"walk_type_probability": 0.3}]
    if kind in FORESTS:
        ways += [{}, {"bootstrap": False, "max_features": 0.1}]
    if kind in BOOSTING:
        ways += [{"subsample": 0.5}, {"feature_fraction": 0.5}]
        ways += [{"early_stopping": True, "validation_fraction": 0.3}]
    return ways


WAYS = [
    pytest.param(kind, way, id=f"{name_of(kind)}-{way}") for kind in SIX for way in drawing(kind)
]


@pytest.mark.parametrize(("kind", "way"), WAYS)
@both_tasks
def test_the_same_seed_gives_the_same_model_and_other_seeds_others(kind, way, about):
    X, y, _ = a_task(kind, about, 2, n_graphs=60)
    X, y, way = X[:60], y[:60], {"max_leaf_nodes": 12} | way
    models = [small(kind, random_state=seed, **way).fit(X, y) for seed in (0, 0, 1, 2)]
    assert_same(models[0], models[1], X)
    frames = [model.trees_to_dataframe() for model in models]
    assert any(not frames[0].equals(frame) for frame in frames[2:]), "nothing was drawn"


@pytest.mark.parametrize("kind", [k for k in SIX if k not in FORESTS], ids=name_of)
@both_tasks
def test_a_seed_does_not_matter_where_nothing_is_drawn(kind, about):
    """Forests always draw: equally good questions are chosen among by chance."""
    X, y, _ = a_task(kind, about, 3)
    assert_same(undrawn(kind, random_state=0).fit(X, y), undrawn(kind, random_state=1).fit(X, y), X)


@six_kinds
def test_a_generator_is_a_seed_that_moves_on(kind):
    X, y, _ = a_task(kind, "graphs", 4, n_graphs=30)
    way = {"walk_type_probability": 0.3}
    one = small(kind, random_state=np.random.RandomState(0), **way).fit(X, y)
    other = small(kind, random_state=np.random.RandomState(0), **way).fit(X, y)
    assert_same(one, other, X)


@six_kinds
@both_tasks
def test_fitting_again_forgets_what_was_there(kind, about):
    X, y, _ = a_task(kind, about, 5)
    model = small(kind).fit(X, y)
    model.fit(X[::2], y[::2]).fit(X, y)
    assert_same(model, small(kind).fit(X, y), X)


@six_kinds
@both_tasks
def test_predicting_one_at_a_time_is_predicting_all_at_once(kind, about):
    X, y, _ = a_task(kind, about, 6)
    model = small(kind).fit(X, y)
    together = model.predict(X)
    alone = np.concatenate([model.predict(X[k : k + 1]) for k in range(len(X))])
    assert together.tobytes() == alone.tobytes()


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
@both_tasks
def test_going_on_is_going_on_from_the_start(kind, about):
    X, y, _ = a_task(kind, about, 8)
    model = small(kind, n_estimators=2, warm_start=True).fit(X, y)
    model.set_params(n_estimators=5).fit(X, y)
    at_once = small(kind, n_estimators=5).fit(X, y)
    assert_frame_equal(
        model.trees_to_dataframe(), at_once.trees_to_dataframe(), rtol=1e-12, check_exact=False
    )
    np.testing.assert_array_equal(model.predict(X), at_once.predict(X))


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_fewer_rounds_are_the_beginning_of_more(kind):
    X, y, _ = a_task(kind, "graphs", 9)
    few, many = small(kind, n_estimators=2).fit(X, y), small(kind, n_estimators=5).fit(X, y)
    frame = many.trees_to_dataframe()
    begun = frame[frame["tree"] <= few.trees_to_dataframe()["tree"].max()]
    assert_frame_equal(few.trees_to_dataframe(), begun, check_exact=True)
    stages = list(many.staged_predict(X))
    np.testing.assert_array_equal(stages[1], few.predict(X))
