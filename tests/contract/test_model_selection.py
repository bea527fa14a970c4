"""Every kind of X through scikit-learn's splits, searches and pipelines, with our estimators."""

from __future__ import annotations

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from builders import some_graphs
from models import CLASSIFIERS, SIX, name_of, small
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFE
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import graphtrees as gt

N = 24
KINDS_OF_X = ("graphs", "list", "vertices", "array", "frame", "sparse")


def make(about: str):
    """N examples, and a label that can be learnt: whether there are more than four of something."""
    if about in ("array", "frame", "sparse"):
        rows = np.random.default_rng(0).integers(0, 9, (N, 2)).astype(float)
        y = (rows[:, 0] > 4).astype(int)
        if about == "frame":
            return pd.DataFrame(rows, columns=["a", "b"]), y
        return (rows, y) if about == "array" else (sp.csr_array(rows), y)
    graphs = some_graphs(N, n_vertices=(2, 8), density=0.6)
    if about == "vertices":
        vertices = graphs.vertices
        degree = np.concatenate([np.asarray(g.adjacency().sum(axis=1)).ravel() for g in graphs])
        chosen = np.arange(0, len(vertices), 4)[:N]
        return vertices[chosen], (degree[chosen] > np.median(degree)).astype(int)
    y = (np.diff(graphs.flat.vertex_ptr) > 4).astype(int)
    return (graphs if about == "graphs" else list(graphs)), y


@pytest.fixture(params=KINDS_OF_X)
def task(request):
    return make(request.param)


pair = pytest.mark.parametrize(
    "kind", [gt.GraphBoostingClassifier, gt.GraphBoostingRegressor], ids=name_of
)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)


@six_kinds
def test_a_model_learns_from_one_part_and_predicts_the_other(kind, task):
    X, y = task
    train, test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    model = small(kind, n_estimators=5) if hasattr(kind(), "n_estimators") else small(kind)
    model.fit(train, y_train)
    assert model.predict(test).shape == y_test.shape
    better_than_chance = 0.6 if kind in CLASSIFIERS else 0.2
    assert model.score(test, y_test) > better_than_chance


@six_kinds
def test_cross_validation_scores_every_fold(kind, task):
    X, y = task
    scores = cross_val_score(small(kind), X, y, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    assert scores.mean() > (0.6 if kind in CLASSIFIERS else 0.0)


@pair
def test_cross_validated_predictions_are_those_of_the_folds(kind, task):
    X, y = task
    said = cross_val_predict(small(kind), X, y, cv=3)
    assert said.shape == y.shape


@pair
def test_a_grid_search_finds_the_setting_that_can_learn(kind, task):
    X, y = task
    grid = {"learning_rate": [1e-6, 0.5], "max_leaf_nodes": [2, 4]}
    search = GridSearchCV(small(kind), grid, cv=2).fit(X, y)
    assert search.best_params_["learning_rate"] == 0.5
    assert search.predict(X).shape == y.shape


@pair
def test_a_random_search_draws_settings(kind, task):
    X, y = task
    drawn = {"max_walk_length": [0, 1], "min_samples_leaf": [1, 2, 3]}
    search = RandomizedSearchCV(small(kind), drawn, n_iter=2, cv=2, random_state=0).fit(X, y)
    assert search.best_estimator_.predict(X).shape == y.shape


@six_kinds
def test_a_pipeline_hands_examples_through(kind, task):
    X, y = task
    plain = small(kind).fit(X, y)
    piped = make_pipeline(FunctionTransformer(), small(kind)).fit(X, y)
    np.testing.assert_array_equal(piped.predict(X), plain.predict(X))
    assert piped.score(X, y) == plain.score(X, y)


@pair
def test_a_pipeline_hands_weights_through(kind, task):
    X, y = task
    weight = np.linspace(0.5, 2.0, N)
    plain = small(kind).fit(X, y, sample_weight=weight)
    piped = make_pipeline(FunctionTransformer(), small(kind))
    piped.fit(X, y, **{f"{kind.__name__.lower()}__sample_weight": weight})
    np.testing.assert_array_equal(piped.predict(X), plain.predict(X))


@pair
def test_a_search_inside_a_pipeline_sets_parameters_by_path(kind, task):
    X, y = task
    step = kind.__name__.lower()
    piped = make_pipeline(FunctionTransformer(), small(kind))
    search = GridSearchCV(piped, {f"{step}__max_leaf_nodes": [2, 3]}, cv=2).fit(X, y)
    assert search.best_params_[f"{step}__max_leaf_nodes"] in (2, 3)


@six_kinds
def test_a_clone_learns_the_same(kind, task):
    X, y = task
    model = small(kind).fit(X, y)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


@six_kinds
def test_a_copied_model_says_the_same(kind, task):
    X, y = task
    model = small(kind).fit(X, y)
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), joblib.load(buffer)):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_search_in_other_processes_gives_the_same(about):
    X, y = make(about)
    alone = cross_val_score(small(gt.GraphTreeClassifier), X, y, cv=2)
    together = cross_val_score(small(gt.GraphTreeClassifier), X, y, cv=2, n_jobs=2)
    np.testing.assert_array_equal(alone, together)


def test_a_model_of_one_output_is_multiplied_by_scikit_learn():
    X, y = make("array")
    model = MultiOutputRegressor(small(gt.GraphTreeRegressor)).fit(X, np.column_stack([y, -y]))
    np.testing.assert_array_equal(model.predict(X)[:, 0], -model.predict(X)[:, 1])


def as_object_array(graphs) -> np.ndarray:
    array = np.empty(len(graphs), dtype=object)
    array[:] = list(graphs)
    return array


@six_kinds
@pytest.mark.parametrize("form", [list, tuple, as_object_array], ids=lambda f: f.__name__)
def test_a_list_a_tuple_and_an_array_of_graphs_are_graphs(kind, form):
    X, y = make("graphs")
    wanted = small(kind).fit(X, y).predict(X)
    np.testing.assert_array_equal(small(kind).fit(form(X), y).predict(form(X)), wanted)


@six_kinds
def test_labels_may_come_as_a_list_or_a_series(kind):
    X, y = make("graphs")
    wanted = small(kind).fit(X, y).predict(X)
    for other in (y.tolist(), pd.Series(y), y.astype(np.int8), y.astype(float)):
        np.testing.assert_array_equal(small(kind).fit(X, other).predict(X), wanted)


@pytest.mark.parametrize("about", KINDS_OF_X)
@pair
def test_early_stopping_sets_examples_of_any_kind_aside(kind, about):
    X, y = make(about)
    model = small(
        kind, n_estimators=8, early_stopping=True, validation_fraction=0.25, n_iter_no_change=2
    ).fit(X, y)
    assert 1 <= model.n_iter_ <= 8
    assert len(model.evals_result_["validation"]["loss"]) >= model.n_iter_
    assert model.predict(X).shape == y.shape


@pair
def test_examples_may_be_watched_under_names(kind, task):
    X, y = task
    for given, names in (
        ((X, y), {"train", "validation"}),
        ([(X, y), (X, y)], {"train", "validation_0", "validation_1"}),
        ({"here": (X, y)}, {"train", "here"}),
    ):
        model = small(kind).fit(X, y, eval_set=given)
        assert set(model.evals_result_) == names
        for scores in model.evals_result_.values():
            np.testing.assert_allclose(scores["loss"], model.evals_result_["train"]["loss"])


def a_few() -> list:
    return [
        ("boosting", small(gt.GraphBoostingClassifier)),
        ("tree", small(gt.GraphTreeClassifier)),
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: VotingClassifier(a_few(), voting="soft"),
        lambda: StackingClassifier(a_few(), cv=2),
        lambda: CalibratedClassifierCV(small(gt.GraphBoostingClassifier), cv=2),
    ],
    ids=["voting", "stacking", "calibrated"],
)
def test_models_of_models_hand_examples_on(make, task):
    X, y = task
    assert make().fit(X, y).predict_proba(X).shape == (N, 2)


def test_curves_and_pictures_of_scikit_learn_take_every_kind_of_example(task):
    pytest.importorskip("matplotlib").use("Agg")
    X, y = task
    model = small(gt.GraphBoostingClassifier).fit(X, y)
    assert learning_curve(model, X, y, cv=2, train_sizes=[0.5, 1.0])[1].shape == (2, 2)
    assert ConfusionMatrixDisplay.from_estimator(model, X, y).confusion_matrix.sum() == N
    assert RocCurveDisplay.from_estimator(model, X, y).roc_auc > 0.5


@pytest.mark.parametrize("about", ["graphs", "list", "vertices"])
@pytest.mark.parametrize(
    "wrapper", [AdaBoostClassifier, BaggingClassifier, OneVsOneClassifier, RFE]
)
def test_wrappers_that_want_a_table_refuse_graphs(wrapper, about):
    X, y = make(about)
    error, words = ValueError, "Expected 2D array"
    if about == "vertices":
        error, words = TypeError, r"^Vertices cannot be made numbers\. .*work on tables alone"
    with pytest.raises(error, match=words):
        wrapper(small(gt.GraphBoostingClassifier)).fit(X, y)


INSTEAD = (
    r"graphtrees\.permutation_importance\(model, X, y\) in place of its namesake, model\.explain"
)


@pytest.mark.parametrize("about", ["graphs", "list", "vertices", "edges"])
@pytest.mark.parametrize(
    "use",
    [
        lambda X: np.asarray(X, dtype=float),
        lambda X: StandardScaler().fit(X),
        lambda X: RandomForestClassifier().fit(X, np.arange(len(X)) % 2),
    ],
    ids=["asarray", "scaler", "forest"],
)
def test_who_wants_numbers_of_graphs_is_told_what_to_use(use, about):
    X, _ = make("graphs" if about == "edges" else about)
    X = X.edges if about == "edges" else X
    with pytest.raises(TypeError, match=rf"cannot be made numbers\. .*{INSTEAD}"):
        use(X)


def test_inspection_of_vertices_by_scikit_learn_names_ours():
    X, y = make("vertices")
    model = small(gt.GraphTreeClassifier).fit(X, y)
    with pytest.raises(TypeError, match=INSTEAD):
        permutation_importance(model, X, y)
    with pytest.raises(IndexError, match=INSTEAD):
        partial_dependence(model, X, [0])
    with pytest.raises(TypeError, match=INSTEAD):
        np.asarray(X)
    assert np.asarray(X, dtype=object).shape == X.shape == (len(X),)


def test_graphs_are_a_column_of_objects():
    X, y = make("graphs")
    table = pd.DataFrame({"graph": X, "y": y})
    assert np.asarray(X).dtype == object
    assert small(gt.GraphTreeClassifier).fit(table["graph"], y).score(table["graph"], y) > 0.4
