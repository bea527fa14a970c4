"""What goes into a node comes out of it, and training does not make things worse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import CLASSIFIERS, FORESTS, ONE_TREE, SIX, name_of, small
from real_valued import real_graphs

import graphtrees as gt

a_few = settings(max_examples=5, deadline=None)
seeds = st.integers(0, 2**32 - 1)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
both_tasks = pytest.mark.parametrize("about", ["graphs", "vertices"])


def a_task(about: str, seed: int, n_graphs: int = 12):
    graphs = gt.Graphs(real_graphs(seed, n_graphs=n_graphs, n_vertices=(1, 6)))
    X = graphs if about == "graphs" else graphs.vertices
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, len(X))
    y[0], y[1] = 0, 1
    return X, y, rng


@six_kinds
@both_tasks
@a_few
@given(seed=seeds)
def test_children_share_out_their_parents_rows(kind, about, seed):
    X, y, _ = a_task(about, seed)
    frame = small(kind).fit(X, y).trees_to_dataframe().set_index(["tree", "node"])
    for (tree, _), row in frame[frame["left"] >= 0].iterrows():
        left, right = frame.loc[(tree, row["left"])], frame.loc[(tree, row["right"])]
        assert left["n_samples"] + right["n_samples"] == row["n_samples"]
        assert left["n_samples"] > 0
        assert right["n_samples"] > 0
    if kind not in FORESTS:
        assert (frame.xs(0, level="node")["n_samples"] == len(X)).all()


@six_kinds
@both_tasks
@a_few
@given(seed=seeds)
def test_a_leaf_holds_the_examples_that_were_counted_there(kind, about, seed):
    given = {"bootstrap": False} if kind in FORESTS else {}
    X, y, _ = a_task(about, seed)
    model = small(kind, **given).fit(X, y)
    leaves = model.apply(X)
    for number, tree in model.trees_to_dataframe().groupby("tree"):
        ends = tree[tree["left"] < 0].set_index("node")["n_samples"]
        found, counts = np.unique(leaves[:, number], return_counts=True)
        assert dict(zip(found, counts, strict=True)) == ends.to_dict()


@pytest.mark.parametrize("kind", ONE_TREE, ids=name_of)
@both_tasks
@a_few
@given(seed=seeds, weighted=st.booleans())
def test_a_leaf_says_the_mean_of_its_examples(kind, about, seed, weighted):
    X, y, rng = a_task(about, seed)
    weight = rng.uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    model = small(kind).fit(X, y, sample_weight=weight)
    leaves = model.apply(X)[:, 0]
    said = model.predict_proba(X)[:, 1] if kind in CLASSIFIERS else model.predict(X)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        np.testing.assert_allclose(said[here], np.average(y[here], weights=weight[here]), atol=1e-9)


@pytest.mark.parametrize("kind", ONE_TREE, ids=name_of)
@both_tasks
@a_few
@given(seed=seeds)
def test_gains_add_up_to_what_training_saved(kind, about, seed):
    X, y, _ = a_task(about, seed)
    model = small(kind).fit(X, y)
    frame = model.trees_to_dataframe()
    gain = frame.loc[frame["left"] >= 0, "gain"].sum()
    if kind in CLASSIFIERS:
        chances = model.predict_proba(X)
        share = y.mean()
        before, after = 2 * share * (1 - share) * len(y), (1 - (chances**2).sum(axis=1)).sum()
    else:
        before, after = ((y - y.mean()) ** 2).sum(), ((y - model.predict(X)) ** 2).sum()
    assert gain == pytest.approx(before - after, rel=1e-9, abs=1e-9)


@six_kinds
@both_tasks
@a_few
@given(seed=seeds, least=st.integers(1, 4), deepest=st.integers(1, 3), leaves=st.integers(2, 7))
def test_limits_are_kept(kind, about, seed, least, deepest, leaves):
    X, y, _ = a_task(about, seed)
    given = {"min_samples_leaf": least, "max_depth": deepest, "max_leaf_nodes": leaves}
    frame = small(kind, **given).fit(X, y).trees_to_dataframe()
    ends = frame[frame["left"] < 0]
    split = frame.groupby("tree").size().gt(1)
    assert ends.groupby("tree").size().max() <= leaves
    assert frame["depth"].max() <= deepest
    assert (ends[ends["tree"].map(split)]["n_samples"] >= least).all()


@a_few
@given(seed=seeds, least=st.floats(0.01, 3.0))
def test_every_split_gains_more_than_the_least(seed, least):
    X, y, _ = a_task("graphs", seed)
    frame = small(gt.GraphTreeRegressor, min_gain=least).fit(X, y).trees_to_dataframe()
    assert (frame.loc[frame["left"] >= 0, "gain"] > least).all()


@a_few
@given(seed=seeds)
def test_pruning_only_takes_away(seed):
    X, y, _ = a_task("graphs", seed)
    sizes = [
        len(small(gt.GraphTreeRegressor, ccp_alpha=a).fit(X, y).trees_to_dataframe())
        for a in (0.0, 0.005, 0.02, 0.1, 10.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def train_losses(model) -> np.ndarray:
    return np.array(model.evals_result_["train"]["loss"])


def assert_never_rises(losses: np.ndarray, start: float) -> None:
    steps = np.diff(np.r_[start, losses])
    assert (steps <= 1e-9 * abs(start)).all(), losses
    assert losses[-1] < start


@both_tasks
@settings(max_examples=12, deadline=None)
@given(
    seed=seeds,
    loss=st.sampled_from(("squared_error", "absolute_error", "quantile")),
    rate=st.sampled_from((0.1, 0.5, 1.0)),
    weighted=st.booleans(),
)
def test_the_training_loss_never_rises(about, seed, loss, rate, weighted):
    """Each leaf takes the step that is best for it, or a part of it: these losses are convex."""
    X, _, rng = a_task(about, seed)
    y = rng.normal(size=len(X)) * 3
    weight = rng.uniform(0.5, 2.0, len(X)) if weighted else None
    given = {"loss": loss, "alpha": 0.7, "learning_rate": rate, "n_estimators": 6}
    model = small(gt.GraphBoostingRegressor, **given).fit(X, y, sample_weight=weight)
    residual = y - model.init_[0]
    start = {
        "squared_error": residual**2,
        "absolute_error": np.abs(residual),
        "quantile": np.maximum(0.7 * residual, -0.3 * residual),
    }[loss]
    assert_never_rises(train_losses(model), np.average(start, weights=weight))


@both_tasks
@settings(max_examples=6, deadline=None)
@given(seed=seeds, strategy=st.sampled_from(("one_vs_rest", "softmax", "multi_output_tree")))
def test_the_training_loss_of_classes_never_rises_in_small_steps(about, seed, strategy):
    """A Newton step may go too far where all is settled; a tenth of one from even odds does not."""
    X, _, rng = a_task(about, seed)
    for n_classes in (2, 3):
        y = np.arange(len(X)) % n_classes
        rng.shuffle(y)
        given = {"multi_strategy": strategy, "learning_rate": 0.1, "n_estimators": 6}
        model = small(gt.GraphBoostingClassifier, **given).fit(X, y)
        losses = train_losses(model)
        assert (np.diff(losses) <= 1e-12).all(), losses


@both_tasks
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_the_training_loss_of_counts_never_rises_in_small_steps(about, seed):
    X, _, rng = a_task(about, seed)
    y = rng.poisson(2.0, len(X)) + 1.0
    model = small(gt.GraphBoostingRegressor, loss="poisson", learning_rate=0.1, n_estimators=6)
    losses = train_losses(model.fit(X, y))
    assert (np.diff(losses) <= 1e-12).all(), losses


@both_tasks
def test_enough_leaves_and_rounds_learn_any_labels_by_heart(about):
    X, _, rng = a_task(about, 1)
    y = rng.normal(size=len(X))
    tree = gt.GraphTreeRegressor(n_jobs=1).fit(X, y)
    model = small(gt.GraphBoostingRegressor, n_estimators=3, learning_rate=1.0, max_leaf_nodes=None)
    np.testing.assert_allclose(model.fit(X, y).predict(X), tree.predict(X), atol=1e-9)


def test_training_and_prediction_agree_where_draws_differ_in_how_many_columns_they_have():
    """Some draws of walk types make more columns than two bytes can number, others fewer."""
    rng = np.random.default_rng(0)
    n_labels = 1500
    graphs = [
        gt.Graph(np.eye(n_labels)[labels], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
        for labels in n_labels - 1 - rng.integers(0, 6, (80, 4))
    ]
    y = rng.integers(0, 2, 80)
    settings = {"walk_type_probability": 0.5, "min_samples_leaf": 2, "n_estimators": 5}
    model = gt.GraphBoostingClassifier(**settings, random_state=0).fit(gt.Graphs(graphs), y)
    seen = model.trees_to_dataframe()
    assert (seen["pointer"] != seen["node"]).any(), "some split asks about a subset"
    chance = model.predict_proba(gt.Graphs(graphs))[np.arange(80), y]
    assert -np.log(chance).mean() == pytest.approx(model.evals_result_["train"]["loss"][-1])
