"""Labels of other vertices and edges as evidence: `WithLabels`."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

import graphtrees as gt
from graphtrees.estimators.labels.evidence import Evidence

SMALL = {"max_leaf_nodes": 4, "min_samples_leaf": 2, "max_walk_length": 1, "n_jobs": 1}
BOOSTED = gt.GraphBoostingClassifier(10, random_state=0, **SMALL)
NUMBERS = gt.GraphBoostingRegressor(10, random_state=0, **SMALL)
TREE = gt.GraphTreeRegressor(max_depth=2, max_walk_length=1, n_jobs=1)


def two_groups(n: int = 80, seed: int = 0, features: Any = None) -> tuple[gt.Graph, np.ndarray]:
    """Two groups that hardly meet."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 2
    chance = np.where(group[:, None] == group, 0.2, 0.01)
    edges = np.argwhere(np.triu(rng.random((n, n)) < chance, 1))
    return gt.Graph(features, edges, n_vertices=n), group


def smooth_numbers(n: int = 100, seed: int = 0) -> tuple[gt.Graph, np.ndarray]:
    """A ring whose numbers change little from one vertex to the next; features are noise."""
    rng = np.random.default_rng(seed)
    ring = [(i, (i + step) % n) for i in range(n) for step in (1, 2)]
    y = np.sin(np.arange(n) * 4 * np.pi / n) + 0.1 * rng.normal(size=n)
    return gt.Graph(rng.normal(size=(n, 1)), ring), y


def fitted(estimator: Any, X: Any, y: Any, **given: Any) -> gt.WithLabels:
    return gt.WithLabels(estimator, cv=3, random_state=0).fit(X, y, **given)


# ---- no example is shown its own label -----------------------------------------------------------


def channels_of(view: Any) -> np.ndarray:
    """Everything that an example could read: the columns of all vertices of the copy it sees."""
    seen = []
    for graph, part in zip(view.graph_of, view._part_of, strict=True):
        g = view.graphs[int(graph)]
        of_edges = isinstance(view, gt.Edges)
        columns = g.edge_features if of_edges else np.asarray(g.features)
        seen.append(np.r_[columns[part], columns.ravel()])
    return np.array(seen)


@pytest.mark.parametrize("of_edges", [False, True])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), asked=st.integers(0, 11), directed=st.booleans())
def test_an_own_label_changes_nothing_that_an_example_is_trained_on(
    of_edges, seed, asked, directed
):
    rng = np.random.default_rng(seed)
    g = gt.Graph(rng.normal(size=(12, 1)), rng.integers(12, size=(20, 2)), directed=directed)
    X = (g.edges if of_edges else g.vertices)[:12]
    y = rng.normal(size=12)
    changed = y.copy()
    changed[asked] += 100.0
    one, other = (fitted(TREE, X, labels).transform(X[[asked]]) for labels in (y, changed))
    np.testing.assert_array_equal(channels_of(one), channels_of(other))


class Witness(gt.GraphTreeRegressor):
    """Records everything that one vertex could read whenever it is trained on or predicted."""

    seen: ClassVar[list[np.ndarray]] = []

    def fit(self, X, y, sample_weight=None):
        self.record(X)
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        self.record(X)
        return super().predict(X)

    def record(self, X):
        rows = np.flatnonzero(X.vertex_of == 3)
        Witness.seen += [channels_of(X[rows])] if len(rows) else []


def test_no_trial_shows_an_example_its_own_label():
    g, y = smooth_numbers(30)
    changed = y.copy()
    changed[3] += 100.0
    witnessed = []
    for labels in (y, changed):
        Witness.seen = []
        fitted(Witness(max_depth=2), g.vertices, labels)
        witnessed.append(Witness.seen)
    # Without and with channels: trained on in two folds, predicted in the third; and in the end.
    assert len(witnessed[0]) >= 2 * (2 + 1) + 1
    for one, other in zip(*witnessed, strict=True):
        np.testing.assert_array_equal(one, other)


def test_edge_weights_in_another_unit_change_no_channel():
    g, y = smooth_numbers(30)
    weights = np.random.default_rng(1).integers(1, 5, g.n_edges)
    channels = []
    for unit in (1, 1024):
        weighted = gt.Graph(g.features, g.edge_index.T, edge_weights=unit * weights)
        X = weighted.vertices
        channels.append(channels_of(fitted(TREE, X, y).transform(X)))
    np.testing.assert_allclose(*channels, rtol=1e-6)


def test_labels_of_others_do_change_what_an_example_is_trained_on():
    g, y = smooth_numbers(20)
    seen = []
    for moved in (0.0, 100.0):
        labels = y + moved * (np.arange(20) % 2)
        seen.append(channels_of(fitted(TREE, g.vertices, labels).transform(g.vertices[[0]])))
    assert not np.array_equal(*seen)


def test_random_labels_are_not_learned_back_through_neighbours():
    """Each vertex has one neighbour: whoever sees its channel could read its own label."""
    rng = np.random.default_rng(0)
    pairs = gt.Graph(None, np.arange(300).reshape(-1, 2))
    y = rng.integers(2, size=300)
    model = fitted(BOOSTED, pairs.vertices[:200], y[:200])
    assert model.score(pairs.vertices[:200], y[:200]) < 0.75
    assert model.scores_["estimator"] > -0.75
    assert model.scores_["channels"] < -0.6


# ---- what it is for ------------------------------------------------------------------------------


def test_channels_tell_groups_apart_that_no_feature_tells_apart():
    g, group = two_groups()
    train, test = np.arange(50), np.arange(50, 80)
    alone = clone(BOOSTED).fit(g.vertices[train], group[train])
    model = fitted(BOOSTED, g.vertices[train], group[train])
    assert model.score(g.vertices[test], group[test]) == 1.0
    assert alone.score(g.vertices[test], group[test]) < 0.9
    assert model.scores_["channels"] > model.scores_["estimator"]


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_numbers_are_told_from_those_around(n_outputs):
    g, y = smooth_numbers()
    y = y if n_outputs == 1 else np.stack([y, -y], axis=1)
    train = np.arange(100) % 3 > 0
    model = fitted(NUMBERS, g.vertices[train], y[train])
    alone = clone(NUMBERS).fit(g.vertices[train], y[train])
    assert model.score(g.vertices[~train], y[~train]) > 0.7
    assert alone.score(g.vertices[~train], y[~train]) < 0.3


class Mean(gt.GraphTreeRegressor):
    """Says the mean of what it saw, whatever the features: channels are of no use to it."""

    def predict(self, X):
        return np.full(len(X), float(np.mean(self._fitted.trees[0].value[0])))


def test_residuals_help_an_estimator_that_cannot_use_channels():
    g, y = smooth_numbers()
    train = np.arange(100) % 3 > 0
    model = fitted(Mean(max_depth=1), g.vertices[train], y[train])
    assert not model.uses_channels_
    assert model.residual_strength_ > 0
    assert model.score(g.vertices[~train], y[~train]) > 0.7


def test_no_part_is_used_where_labels_say_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 1))
    g = gt.Graph(X, rng.integers(120, size=(200, 2)))
    model = fitted(NUMBERS, g.vertices, X[:, 0])
    assert not model.uses_channels_ or model.scores_["channels"] > model.scores_["estimator"]
    best = max(model.scores_.values())
    name = {(False, False): "estimator", (True, False): "channels", (False, True): "residuals",
            (True, True): "channels and residuals"}  # fmt: skip
    used = (model.uses_channels_, model.residual_strength_ > 0)
    assert model.scores_[name[used]] == best


def test_edges_are_told_from_edges_that_meet_them():
    g, group = two_groups(40)
    X = g.edges
    y = group[g.edge_index[0]]
    train = np.arange(len(X)) % 2 == 0
    model = fitted(BOOSTED, X[train], y[train])
    assert model.score(X[~train], y[~train]) > 0.9


# ---- evidence at prediction time -----------------------------------------------------------------


@pytest.mark.parametrize("estimator", [NUMBERS, Mean(max_depth=1)])
def test_further_labels_are_evidence(estimator):
    """With channels, and for an estimator that can use residuals alone."""
    g, y = smooth_numbers()
    place = np.arange(100)
    train, known, asked = (
        place < 50,
        (place >= 50) & (place % 2 == 0),
        (place > 60) & (place % 2 == 1),
    )
    model = fitted(estimator, g.vertices[train], y[train])
    alone = model.predict(g.vertices[asked])
    more = model.predict(g.vertices[asked], known=(g.vertices[known], y[known]))
    assert np.mean((more - y[asked]) ** 2) < 0.5 * np.mean((alone - y[asked]) ** 2)


def test_the_own_label_of_an_example_is_no_evidence_even_if_it_is_known():
    g, group = two_groups(60)
    model = fitted(BOOSTED, g.vertices[:30], group[:30])
    for asked in (g.vertices[[40]], g.vertices[[5]]):
        place = int(asked.vertex_of[0])
        one, other = (model.predict_proba(asked, known=(asked, [c])) for c in (0, 1))
        np.testing.assert_array_equal(one, other)
        assert place in (40, 5)


def test_a_training_example_whose_label_is_given_again_sees_what_it_was_trained_on():
    g, group = two_groups(60)
    model = fitted(BOOSTED, g.vertices[:30], group[:30])
    asked = g.vertices[[5]]
    seen = channels_of(model.transform(asked))
    for label in (0, 1):
        known = (asked, [label])
        np.testing.assert_array_equal(channels_of(model.transform(asked, known=known)), seen)


def with_both_parts(n: int = 90) -> tuple[gt.WithLabels, gt.Graph, np.ndarray]:
    """A model with channels and residuals, trained on two of every three vertices of a ring."""
    rng = np.random.default_rng(3)
    ring = [(i, (i + step) % n) for i in range(n) for step in (1, 2, 3)]
    around = np.sin(np.arange(n) * 4 * np.pi / n)
    size = rng.normal(size=n)
    g, y = gt.Graph(size[:, None], ring), 100 + 10 * around + 3 * np.sign(size)
    estimator = gt.GraphBoostingRegressor(5, random_state=0, **SMALL)
    train = np.arange(0, n, 3).tolist() + np.arange(1, n, 3).tolist()
    model = fitted(estimator, g.vertices[train], y[train])
    model.uses_channels_, model.residual_strength_ = True, 1.0
    view = model.transform(g.vertices[train])
    model.estimator_ = clone(estimator).fit(view, y[train])
    return model, g, y


@pytest.mark.parametrize("asked", [0, 2], ids=["training vertex", "new vertex"])
@pytest.mark.parametrize("known", [range(90), range(0, 90, 2), [0, 2, 5, 8], [0, 1, 2, 3, 4]])
def test_no_label_in_known_comes_back_to_its_own_example(asked, known):
    """Neither by channels nor by residuals, nor by channels and then residuals."""
    model, g, y = with_both_parts()
    known, changed = list(known), y.copy()
    changed[asked] += 1000.0
    one, other = (
        model.predict(g.vertices[[asked]], known=(g.vertices[known], labels[known]))
        for labels in (y, changed)
    )
    np.testing.assert_array_equal(one, other)
    near = asked + 1
    if near in known:  # it does count for others
        one, other = (
            model.predict(g.vertices[[near]], known=(g.vertices[known], labels[known]))
            for labels in (y, changed)
        )
        assert abs(one - other).item() > 1


def test_labels_of_the_training_set_may_be_given_again():
    model, g, y = with_both_parts()
    train = [v for v in range(90) if v % 3 < 2]
    again = model.predict(g.vertices, known=(g.vertices[train], y[train]))
    np.testing.assert_array_equal(again, model.predict(g.vertices))


def test_an_example_whose_label_is_known_still_sees_the_known_labels_of_others():
    g, group = two_groups(60)
    model = fitted(BOOSTED, g.vertices[:30], group[:30])
    asked, others = g.vertices[[40]], np.r_[30:40, 41:60]
    everyone = np.r_[others, 40]
    seen = [
        channels_of(model.transform(asked, known=(g.vertices[known], group[known])))
        for known in (others, everyone)
    ]
    np.testing.assert_array_equal(*seen)
    assert not np.array_equal(seen[0], channels_of(model.transform(asked)))


def some_towns(seed: int, kind: str) -> tuple[Any, np.ndarray]:
    """Vertices or edges of graphs that differ in their labels and in how heavy their edges are."""
    rng = np.random.default_rng(seed)
    graphs = gt.Graphs(
        gt.Graph(
            rng.normal(size=(8, 1)), rng.integers(8, size=(9, 2)),
            edge_weights=rng.uniform(0.5, 1.5, 9) * (1 + town),
        )
        for town in range(6)
    )  # fmt: skip
    X = getattr(graphs, kind)
    return X, X.graph_of + 0.1 * rng.normal(size=len(X))


@pytest.mark.parametrize("kind", ["vertices", "edges"])
@settings(max_examples=6)
@given(seed=st.integers(0, 1000), of_classes=st.booleans())
def test_what_else_is_asked_about_changes_nothing(kind, seed, of_classes):
    X, y = some_towns(seed, kind)
    train = np.random.default_rng(seed).random(len(X)) < 0.6
    train[X.graph_of == 5] = False  # never seen
    model = (
        fitted(BOOSTED, X[train], y[train] > 2)
        if of_classes
        else fitted(NUMBERS, X[train], y[train])
    )
    said = model.predict_proba if of_classes else model.predict
    of_each = [said(X[X.graph_of == town]) for town in range(6)]
    np.testing.assert_allclose(said(X), np.concatenate(of_each), rtol=1e-12)
    seen = [channels_of(model.transform(one))[:, :4] for one in (X[X.graph_of == 5], X)]
    np.testing.assert_array_equal(seen[0], seen[1][X.graph_of == 5])


def test_a_graph_without_labels_is_taken_for_the_mean_of_the_training_labels():
    X, y = some_towns(0, "vertices")
    for shift in (0.0, 1000.0):
        model = fitted(NUMBERS, X, y + shift)
        alone = gt.Graph([[0.5]] * 3, [(0, 1)]).vertices
        np.testing.assert_allclose(
            channels_of(model.transform(alone))[:, 1:4], y.mean() + shift, rtol=1e-6
        )


def test_a_new_graph_has_the_labels_that_are_given_for_it():
    g, group = two_groups(80)
    new, truth = two_groups(60, seed=7)
    model = fitted(BOOSTED, g.vertices, group)
    told = model.predict(new.vertices[30:], known=(new.vertices[:30], truth[:30]))
    assert (told == truth[30:]).mean() > 0.9
    assert len(model.predict(new.vertices)) == 60  # nothing is known: still an answer


def test_a_graph_is_known_again_when_it_is_made_anew():
    features = np.random.default_rng(0).normal(size=(60, 2))
    g, group = two_groups(60, features=features)
    again, _ = two_groups(60, features=features)
    model = fitted(BOOSTED, g.vertices[:40], group[:40])
    np.testing.assert_array_equal(
        model.predict_proba(g.vertices[40:]), model.predict_proba(again.vertices[40:])
    )


def test_vertices_of_several_graphs_keep_their_own_labels():
    (one, first), (two, second) = two_groups(40), two_groups(50, seed=3)
    graphs = gt.Graphs([one, two])
    y = np.r_[first, 1 - second]
    rng = np.random.default_rng(0)
    train = rng.random(90) < 0.6
    model = fitted(BOOSTED, graphs.vertices[train], y[train])
    assert model.score(graphs.vertices[~train], y[~train]) > 0.9
    order = rng.permutation(np.flatnonzero(~train))
    np.testing.assert_array_equal(
        model.predict_proba(graphs.vertices[order]),
        model.predict_proba(graphs.vertices[np.sort(order)])[np.argsort(np.argsort(order))],
    )


def test_labels_of_no_weight_are_no_evidence():
    g, group = two_groups(60)
    weight = np.r_[np.ones(30), np.zeros(30)]
    wrong = np.r_[group[:30], 1 - group[30:]]
    one = fitted(BOOSTED, g.vertices, wrong, sample_weight=weight)
    other = fitted(BOOSTED, g.vertices, np.r_[group[:30], group[30:]], sample_weight=weight)
    np.testing.assert_array_equal(
        one.transform(g.vertices[40:]).graphs.flat.features,
        other.transform(g.vertices[40:]).graphs.flat.features,
    )


def test_labels_of_no_weight_are_as_if_they_were_not_there_while_training():
    """Not as evidence of zeros."""
    g, y = smooth_numbers(30)
    y, weight = y + 10.0, np.r_[np.ones(20), np.zeros(10)]
    Witness.seen = []
    fitted(Witness(max_depth=2), g.vertices, y, sample_weight=weight)
    channels = Witness.seen[-1][0, -30 * 4 :].reshape(30, 4)[:, 1:]
    assert channels.min() > 5.0  # every label that was there is about 10


# ---- as any estimator ----------------------------------------------------------------------------


def test_it_is_a_classifier_or_a_regressor_as_its_estimator_is():
    assert is_classifier(gt.WithLabels(BOOSTED))
    assert is_regressor(gt.WithLabels(NUMBERS))
    assert hasattr(gt.WithLabels(BOOSTED), "predict_proba")
    assert not hasattr(gt.WithLabels(NUMBERS), "predict_proba")


def test_grid_search_clone_and_pickle_work():
    g, group = two_groups(60)
    names = np.array(["left", "right"])[group]
    search = GridSearchCV(
        gt.WithLabels(BOOSTED, cv=2, random_state=0),
        {"estimator__max_leaf_nodes": [2, 4], "cv": [2, 3]},
        cv=2,
    ).fit(g.vertices, names)
    assert search.best_score_ > 0.8
    assert set(search.best_estimator_.classes_) == {"left", "right"}
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(
        again.predict_proba(g.vertices), search.best_estimator_.predict_proba(g.vertices)
    )
    assert cross_val_score(clone(again), g.vertices, names, cv=2).mean() > 0.8


def test_a_scorer_of_scikit_learn_may_decide():
    g, group = two_groups(60)
    model = gt.WithLabels(BOOSTED, cv=3, scoring="accuracy", random_state=0)
    model.fit(g.vertices, group)
    assert all(0 <= value <= 1 for value in model.scores_.values())


def test_sparse_features_stay_sparse_and_names_are_kept():
    rng = np.random.default_rng(0)
    table = sparse.csr_array(rng.normal(size=(60, 30)) * (rng.random((60, 30)) < 0.1))
    g, group = two_groups(60, features=table)
    view = fitted(BOOSTED, g.vertices, group).transform(g.vertices)
    assert sparse.issparse(view.graphs.flat.features)
    names = view.graphs.flat.feature_names
    assert names[29] == "x29"
    assert names[30:] == ("label 1 (neighbours)", "label 1 (2 steps)", "label 1 (PageRank)")


def test_explanations_name_the_channels():
    g, y = smooth_numbers()
    model = fitted(NUMBERS, g.vertices[:70], y[:70])
    assert model.uses_channels_
    rules = " ".join(model.explain(g.vertices[[80]]).rules())
    assert "label (" in rules


def test_the_same_seed_gives_the_same_model():
    g, group = two_groups(60)
    one, other = (fitted(BOOSTED, g.vertices[:40], group[:40]) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(g.vertices), other.predict_proba(g.vertices))


def test_labels_are_not_remembered_from_an_earlier_fit():
    g, group = two_groups(60)
    model = fitted(BOOSTED, g.vertices[:40], group[:40])
    fresh = fitted(BOOSTED, g.vertices[20:], group[20:])
    model.fit(g.vertices[20:], group[20:])
    np.testing.assert_array_equal(model.predict_proba(g.vertices), fresh.predict_proba(g.vertices))


# ---- errors --------------------------------------------------------------------------------------


def test_whole_graphs_are_refused_with_advice():
    g, _ = two_groups(10)
    for X in (gt.Graphs([g, g]), [g, g], g):
        with pytest.raises(TypeError, match="Whole graphs have no neighbours"):
            gt.WithLabels(BOOSTED).fit(X, [0, 1])
    with pytest.raises(TypeError, match=r"needs vertices or edges, such as g\.vertices"):
        gt.WithLabels(BOOSTED).fit(np.eye(4), [0, 1, 0, 1])


def test_what_cannot_be_is_refused_by_name():
    g, group = two_groups(30)
    with pytest.raises(ValueError, match="cv=31 folds need as many examples; got 30"):
        gt.WithLabels(BOOSTED, cv=31).fit(g.vertices, group)
    with pytest.raises(ValueError, match="'cv' parameter of WithLabels must be an integer"):
        gt.WithLabels(BOOSTED, cv=1).fit(g.vertices, group)
    with pytest.raises(ValueError, match="'scoring' parameter of WithLabels"):
        gt.WithLabels(BOOSTED, scoring="best").fit(g.vertices, group)
    with pytest.raises(ValueError, match="'estimator' parameter of WithLabels"):
        gt.WithLabels(LinearRegression).fit(g.vertices, group)
    model = fitted(BOOSTED, g.vertices, group)
    with pytest.raises(ValueError, match="was fitted on vertices; got edges"):
        model.predict(g.edges)
    with pytest.raises(ValueError, match=r"known must be a pair \(X, y\)"):
        model.predict(g.vertices, known=g.vertices)
    with pytest.raises(ValueError, match="known holds the class 7, which y did not"):
        model.predict(g.vertices, known=(g.vertices[:1], [7]))
    numbers = fitted(TREE, g.vertices, group.astype(float))
    with pytest.raises(ValueError, match="y of known has 2 columns; y had 1"):
        numbers.predict(g.vertices, known=(g.vertices[:1], [[7.0, 8.0]]))


def test_saving_as_json_is_refused_with_a_way_out(tmp_path):
    graph, y = two_groups(40)
    model = fitted(BOOSTED, graph.vertices, y)
    with pytest.raises(TypeError, match="use pickle"):
        model.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_labels_of_one_vertex_are_averaged_by_their_weight():
    weight, fold = np.array([1.0, 3.0, 2.0]), np.zeros(3, int)
    known = Evidence.of(np.array([4, 4, 2]), np.array([[0.0], [1.0], [5.0]]), weight, fold)
    assert known.places.tolist() == [2, 4]
    assert known.values.tolist() == [[5.0], [0.75]]
