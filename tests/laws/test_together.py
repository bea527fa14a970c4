"""Workers that each have some of the examples train the very model that one machine would have.

Byte for byte as it is saved, for any number of workers, whoever has which of the examples.
"""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
from communicators import assert_law, run_workers, text_of, train_together
from hypothesis import given, settings
from hypothesis import strategies as st
from models import BOOSTING, CLASSIFIERS, ONE_TREE, SIX, name_of, small
from real_valued import real_graphs
from scipy import sparse
from sklearn.metrics import make_scorer, mean_absolute_error
from strategies import busy_graphs, limits_of_growth, questions_on_offer, related_graphs

import graphtrees as gt
from graphtrees._communicator import Part, Share
from graphtrees.trees import distributed_gains, grower, training_data, workspace

a_few = settings(max_examples=8, deadline=None)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
# Of both tasks, with sums of classes, of gradients, and drawn questions.
three_kinds = pytest.mark.parametrize(
    "kind",
    [gt.GraphTreeRegressor, gt.GraphForestClassifier, gt.GraphBoostingRegressor],
    ids=name_of,
)
all_kinds_of_examples = pytest.mark.parametrize("about", ["graphs", "vertices", "edges", "rows"])


def little(kind: type, **given):
    """A model of this kind that is trained in no time."""
    given = {"max_leaf_nodes": 5} | given
    return small(kind, **given if kind in ONE_TREE else {"n_estimators": 2} | given)


def examples_of(graphs: gt.Graphs, about: str, rng: np.random.Generator):
    if about == "rows":
        table = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-2, 3, (40, 3))
        table[rng.random(table.shape) < 0.1] = np.nan
        return np.column_stack([table, rng.integers(0, 4, 40)])
    return {"graphs": graphs, "vertices": graphs.vertices, "edges": graphs.edges}[about]


def a_task(kind: type, about: str = "graphs", seed: int = 0, **given):
    """Examples and labels of a kind of model, and what chance there is besides."""
    rng = np.random.default_rng(seed)
    given = {"n_graphs": 30 if about == "graphs" else 8, "n_vertices": (0, 8)} | given
    X = examples_of(gt.Graphs(real_graphs(seed, **given)), about, rng)
    y = np.arange(len(X)) % 3 if kind in CLASSIFIERS else rng.normal(size=len(X))
    return X, y, rng


def counted_task(kind: type, about: str = "graphs", seed: int = 0, n_graphs: int = 30):
    """The same with whole numbers, most of them 0."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n = int(rng.integers(1, 9))
        counts = rng.integers(0, 4, (n, 6)) * (rng.random((n, 6)) < 0.2)
        graphs.append(gt.Graph(counts.astype(float), rng.integers(0, n, (2 * n, 2))))
    X = examples_of(gt.Graphs(graphs), about, rng)
    y = np.arange(len(X)) % 3 if kind in CLASSIFIERS else rng.normal(size=len(X))
    return X, y, rng


def dealt(rng: np.random.Generator, n: int, n_workers: int) -> np.ndarray:
    """An owner for each example, in no order; the last worker has one example alone."""
    owner = rng.integers(0, max(1, n_workers - 1), n)
    owner[rng.integers(n)] = n_workers - 1
    return owner


# ---- models, examples, workers -------------------------------------------------------------------


@six_kinds
@all_kinds_of_examples
def test_any_number_of_workers_trains_the_same_model(kind, about):
    X, y, rng = a_task(kind, about)
    for n_workers in (1, 2, 3, 7) if about == "graphs" else (1, 3):
        assert_law(little(kind), X, y, dealt(rng, len(X), n_workers))


@three_kinds
@all_kinds_of_examples
@pytest.mark.parametrize("asked", [{"max_bins": None}, {"max_bins": 3}])
def test_whole_numbers_of_which_most_are_0(kind, about, asked):
    X, y, rng = counted_task(kind, about)
    assert_law(little(kind, **asked), X, y, dealt(rng, len(X), 3))


def test_every_worker_makes_more_room_for_subsets(monkeypatch):
    X, y, rng = a_task(gt.GraphTreeRegressor, "vertices", 3, n_graphs=30, n_vertices=(5, 20))
    asked_for, more = [], grower.add_slots

    def counted(work):
        asked_for.append(len(work.free_slots))
        return more(work)

    monkeypatch.setattr(training_data, "FIRST_SLOTS", 1)
    monkeypatch.setattr(grower, "add_slots", counted)
    model = gt.GraphTreeRegressor(n_jobs=1, max_leaf_nodes=None)
    assert_law(model, X, y, dealt(rng, len(X), 3))
    assert [asked_for.count(n) for n in (1, 2, 4)] == [1 + 3] * 3  # alone, and each of three


@a_few
@given(
    graphs=busy_graphs() | related_graphs(),
    kind=st.sampled_from(SIX),
    asked=questions_on_offer(max_walk_length=3),
    limits=limits_of_growth(),
    max_bins=st.sampled_from((2, 4, 255, None)),
    about=st.sampled_from(("graphs", "vertices", "edges")),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_questions_limits_and_owners(graphs, kind, asked, limits, max_bins, about, seed):
    rng = np.random.default_rng(seed)
    X = examples_of(gt.Graphs(graphs), about, rng)
    if len(X) < 4:
        return
    y = rng.integers(0, 3, len(X)) if kind in CLASSIFIERS else rng.normal(size=len(X))
    y[:3] = 0, 1, 2
    owner = rng.integers(0, rng.integers(1, 8), len(X))
    model = little(kind, max_bins=max_bins, random_state=seed, **asked, **limits)
    assert_law(model, X, y, owner)


@three_kinds
def test_a_worker_may_have_no_examples(kind):
    for about in ("graphs", "vertices", "edges", "rows"):
        X, y, rng = a_task(kind, about, seed=1)
        assert_law(little(kind), X, y, rng.choice([0, 2, 4], len(X)))


@pytest.mark.parametrize("kind", [gt.GraphForestRegressor, gt.GraphBoostingClassifier], ids=name_of)
@all_kinds_of_examples
def test_every_worker_may_use_several_threads(kind, about, monkeypatch):
    monkeypatch.setattr(grower, "ANSWERS_A_THREAD", 1)
    X, y, rng = a_task(kind, about, seed=2)
    alone = assert_law(little(kind, n_jobs=1), X, y, dealt(rng, len(X), 3))
    many = train_together(little(kind, n_jobs=2), X, y, dealt(rng, len(X), 2))
    for one in many:
        pd.testing.assert_frame_equal(
            one.trees_to_dataframe(), alone.trees_to_dataframe(), check_exact=True
        )


def test_a_list_of_graphs_and_a_table_with_names_are_shared_out_too():
    X, y, rng = a_task(gt.GraphBoostingRegressor, seed=3)
    owner = dealt(rng, len(X), 3)
    assert_law(little(gt.GraphBoostingRegressor), list(X), y, owner)
    frame = pd.DataFrame(rng.normal(size=(len(X), 2)), columns=["a", "b"])
    frame["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], len(X)))
    model = little(gt.GraphBoostingRegressor, early_stopping=True)
    assert_law(model, frame, y, owner)


# ---- features ------------------------------------------------------------------------------------


@three_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("chosen", ["from_dtype", ["size"], None], ids=str)
def test_categories(kind, about, chosen):
    rng = np.random.default_rng(4)
    graphs = []
    for _ in range(20):
        n = int(rng.integers(1, 7))
        labels = pd.Categorical.from_codes(rng.integers(-1, 3, n), categories=[3, 1, 2])
        size = rng.choice([0.5, 1.0, 7.0, np.nan], n)
        frame = pd.DataFrame({"label": labels, "size": size})
        graphs.append(gt.Graph(frame, rng.integers(0, n, (n, 2))))
    X = examples_of(gt.Graphs(graphs), about, rng)
    y = np.arange(len(X)) % 2
    model = little(kind, categorical_features=chosen)
    assert_law(model, X, y, dealt(rng, len(X), 3))


@three_kinds
def test_graph_features(kind):
    X, y, rng = a_task(kind, seed=5)
    frame = pd.DataFrame({"mass": rng.normal(size=len(X)), "n": rng.integers(0, 3, len(X))})
    frame["class"] = pd.Categorical(rng.choice(["x", "y"], len(X)))
    X = gt.Graphs(list(X), graph_features=frame)
    assert_law(little(kind), X, y, dealt(rng, len(X), 3))
    owner = dealt(rng, len(X.vertices), 3)
    y = np.arange(len(X.vertices)) % 3 if kind in CLASSIFIERS else rng.normal(size=len(owner))
    assert_law(little(kind), X.vertices, y, owner)


def test_features_that_one_worker_alone_has():
    """Another worker has no edges, and a third graphs without vertices."""
    rng = np.random.default_rng(6)
    empty = gt.Graph(np.empty((0, 4)), np.empty((0, 2), int))
    single = [gt.Graph(rng.normal(size=(3, 4)) * [1, 0, 0, 0], []) for _ in range(10)]
    others = [
        gt.Graph(rng.normal(size=(4, 4)) * [0, k % 2, 1, 0], [(0, 1), (1, 2), (2, 2)])
        for k in range(10)
    ]
    X = gt.Graphs([empty, empty, *single, *others])
    owner = np.repeat([0, 1, 2], [2, 10, 10])
    for kind in SIX:
        assert_law(little(kind, max_leaf_nodes=None), X, np.arange(22) % 3, owner)


@pytest.mark.parametrize("seed", [0, 1, 13])
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_one_layout_for_all_workers(about, seed):
    """Features are listed, or kept in full, by how many are 0 over all: few on some workers.

    A node that finds no split among the questions drawn for it asks about features it holds.
    """
    rng = np.random.default_rng(seed)
    graphs = []
    for k in range(16):
        n = int(rng.integers(2, 7))
        values = rng.integers(1, 3, (n, 5)) * (rng.random((n, 5)) < (0.05 if k % 4 else 0.95))
        graphs.append(gt.Graph(values.astype(float), rng.integers(0, n, (n, 2))))
    X = examples_of(gt.Graphs(graphs), about, rng)
    y = rng.integers(0, 3, len(X))
    graph_of = np.arange(len(X)) if about == "graphs" else X.graph_of
    model = little(gt.GraphForestClassifier, max_features=0.03, add_constant=seed == 0)
    for least in (1, 3):
        model.set_params(min_samples_leaf=least)
        assert_law(model, X, y, graph_of % 4)
        # All four have the graphs with few zeros, and the first one those with many.
        assert_law(model, X, y, np.where(graph_of % 4, 0, np.arange(len(X)) % 4))


@pytest.mark.parametrize("share", [0.15, 0.27, 0.5])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame], ids=name_of)
def test_one_layout_of_a_table(share, form):
    rng = np.random.default_rng(25)
    table = rng.integers(1, 9, (40, 6)) * (rng.random((40, 6)) < share) * 1.0
    table[:20, :3] = 0.0  # features that the first worker does not hold
    table = form(table)
    if form is pd.DataFrame:
        table.columns = list("abcdef")
        table["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], 40))
    y = rng.integers(0, 3, 40)
    for seed in range(3):
        model = little(gt.GraphForestClassifier, max_features=1, random_state=seed)
        assert_law(model, table, y, np.repeat([0, 1, 2], [20, 15, 5]))


def test_times_lose_the_same_offset():
    rng = np.random.default_rng(7)
    table = np.column_stack([1.7e9 + rng.integers(0, 3000, 40), rng.normal(size=40)])
    y = table[:, 0] % 7
    owner = (table[:, 0] > 1.7e9 + 1500).astype(int)
    alone = assert_law(little(gt.GraphBoostingRegressor), table, y, owner)
    assert alone._fitted.features.offsets
    graphs = gt.Graphs([gt.Graph(None, [(0, 1)]) for _ in y], graph_features=table)
    assert_law(little(gt.GraphForestRegressor), graphs, y, owner)


# ---- edges and operators -------------------------------------------------------------------------


@three_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@pytest.mark.parametrize("directed", [False, True])
def test_directed_weighted_and_typed_edges(kind, about, directed):
    rng = np.random.default_rng(8)
    graphs = []
    for k in range(24):
        n = int(rng.integers(1, 6))
        graphs.append(
            gt.Graph(
                rng.normal(size=(n, 1)),
                rng.integers(0, n, (2 * n, 2)),
                directed=directed,
                edge_types=rng.choice(["far", "near", "odd"][: 2 + (k == 0)], 2 * n),
                edge_weights=rng.choice([0.3, 1.0, 2.5], 2 * n),
                edge_features=pd.DataFrame({"toll": rng.choice([0.0, 1.5, 2.0], 2 * n)}),
            )
        )
    X = examples_of(gt.Graphs(graphs), about, rng)
    owner = dealt(rng, len(X), 3)
    y = rng.integers(0, 3, len(X))
    ways = [("adjacency", "reverse", "mean")]
    if about != "edges":
        ways += [("relations",), ("mean_relations", "reverse:near")]
    for operators in ways:
        assert_law(little(kind, operators=operators, max_walk_length=3), X, y, owner)


# ---- the search ----------------------------------------------------------------------------------


@three_kinds
@all_kinds_of_examples
def test_columns_that_are_not_refined(kind, about, monkeypatch):
    """Those of more than so many entries are cut between bins; histograms go in many pieces."""
    for module in (workspace, training_data):
        monkeypatch.setattr(module, "REFINED_ROWS", 12)
    monkeypatch.setattr(distributed_gains, "MOST_WORDS", 300)
    for make in (a_task, counted_task):
        X, y, rng = make(kind, about, seed=9)
        assert_law(little(kind, max_bins=9), X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize("asked", [
    {"walk_type_probability": 0.3}, {"max_depth": 2}, {"max_leaf_nodes": None},
    {"min_samples_leaf": 3}, {"min_gain": 0.05}, {"ccp_alpha": 0.02}, {"max_ancestor_distance": 0},
    {"max_ancestor_distance": 4, "max_leaf_nodes": None}, {"max_walk_length": 0},
    {"add_constant": False}, {"walk_types": ("source",), "aggregators": ("mean", "max")},
], ids=str)  # fmt: skip
def test_limits_and_questions(asked):
    for kind, about in (
        (gt.GraphBoostingRegressor, "graphs"),
        (gt.GraphTreeClassifier, "vertices"),
    ):
        X, y, rng = a_task(kind, about, seed=10)
        assert_law(little(kind, **asked), X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize("about", ["graphs", "vertices", "rows"])
@pytest.mark.parametrize("asked", [
    {"max_features": "sqrt"}, {"max_features": 0.05}, {"max_features": 30}, {"max_features": None},
    {"bootstrap": False}, {"oob_score": True}, {"max_samples": 0.5}, {"max_samples": 1},
], ids=str)  # fmt: skip
def test_forests_draw_alike(about, asked):
    kind = gt.GraphForestClassifier if "max_features" in asked else gt.GraphForestRegressor
    X, y, rng = counted_task(kind, about, seed=11)
    model = little(kind, n_estimators=12 if "oob_score" in asked else 2)
    assert_law(model.set_params(**asked), X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize("about", ["graphs", "vertices", "rows"])
@pytest.mark.parametrize("asked", [
    {"subsample": 0.5}, {"feature_fraction": 0.5}, {"feature_fraction_per_node": 0.3},
    {"feature_fraction_per_node": 0.05}, {"early_stopping": True, "validation_fraction": 0.3},
    {"l2_regularization": 2.0},
], ids=str)  # fmt: skip
def test_boosting_draws_and_stops_alike(about, asked):
    kind = gt.GraphBoostingRegressor if about == "rows" else gt.GraphBoostingClassifier
    X, y, rng = counted_task(kind, about, seed=12)
    model = little(kind, n_estimators=6, n_iter_no_change=1) if "early_stopping" in asked else None
    assert_law((model or little(kind)).set_params(**asked), X, y, dealt(rng, len(X), 3))


# ---- targets, weights, losses --------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_classes(strategy, n_classes):
    X, _, rng = a_task(gt.GraphBoostingClassifier, seed=13)
    y = np.array(["a", "b", "c", "d"])[np.arange(len(X)) % n_classes]
    model = little(gt.GraphBoostingClassifier, multi_strategy=strategy, class_weight="balanced")
    assert_law(model, X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize("kind", [k for k in CLASSIFIERS if k not in BOOSTING], ids=name_of)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_criteria(kind, criterion):
    X, y, rng = a_task(kind, seed=14)
    model = little(kind, criterion=criterion, class_weight={0: 1.0, 1: 0.3, 2: 2.0})
    assert_law(model, X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
)
def test_losses(loss):
    X, y, rng = a_task(gt.GraphBoostingRegressor, seed=15)
    y = np.abs(y) if loss == "poisson" else y
    assert_law(little(gt.GraphBoostingRegressor, loss=loss), X, y, dealt(rng, len(X), 3))


@pytest.mark.parametrize("kind", [k for k in SIX if k not in CLASSIFIERS], ids=name_of)
def test_several_outputs(kind):
    X, _, rng = a_task(kind, seed=16)
    assert_law(little(kind), X, rng.normal(size=(len(X), 3)), dealt(rng, len(X), 3))


@three_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_weights_some_of_them_0(kind, about):
    X, y, rng = a_task(kind, about, seed=17)
    weight = rng.choice([0.0, 0.5, 1.0, 3.3], len(X))
    weight[:6] = 1.0
    owner = dealt(rng, len(X), 3)
    assert_law(little(kind), X, y, owner, sample_weight=weight)
    owner[weight == 0] = 3  # a worker all of whose examples count nothing
    assert_law(little(kind), X, y, owner, sample_weight=weight)


# ---- colours -------------------------------------------------------------------------------------


@three_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_colours(kind, about, rounds):
    rng = np.random.default_rng(18)
    graphs = []
    for _ in range(20):
        n = int(rng.integers(0, 7))
        atom = pd.Categorical.from_codes(rng.integers(-1, 2, n), categories=["C", "O"])
        charge = rng.choice([0.0, -0.0, 1.0], n)
        frame = pd.DataFrame({"atom": atom, "charge": charge, "size": rng.normal(size=n)})
        edges = rng.integers(0, max(n, 1), (n, 2))
        bonds = rng.choice(["one", "two"], len(edges))
        graphs.append(gt.Graph(frame, edges, edge_types=bonds, directed=rounds == 2))
    X = examples_of(gt.Graphs(graphs), about, rng)
    model = little(kind, colours=rounds, min_samples_leaf=2, max_leaf_nodes=None)
    alone = assert_law(model, X, np.arange(len(X)) % 3, dealt(rng, len(X), 4))
    assert len(alone._fitted.features.colours) > 1


def test_a_number_of_few_values_on_each_worker_and_many_over_all_colours_no_vertex():
    rng = np.random.default_rng(19)
    graphs = [gt.Graph(np.full((3, 1), float(k)), [(0, 1), (1, 2)]) for k in range(60)]
    model = little(gt.GraphForestRegressor, colours=1)
    alone = assert_law(model, gt.Graphs(graphs), rng.normal(size=60), np.arange(60) // 20)
    assert alone._fitted.features.colours.features == ()


# ---- watching, going on, refusals ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [gt.GraphBoostingRegressor], ids=name_of)
@pytest.mark.parametrize("scoring", [None, "loss", "metric", "scorer"])
def test_examples_to_watch(kind, scoring):
    """Each worker has all of them, or some."""
    X, y, rng = a_task(kind, seed=20)
    watched, target, _ = a_task(kind, seed=21)
    scoring = {"metric": mean_absolute_error, "scorer": make_scorer(mean_absolute_error)}.get(
        scoring, scoring
    )
    model = little(kind, scoring=scoring, early_stopping=True, n_iter_no_change=1, n_estimators=5)
    owner, owner_of_watched = dealt(rng, len(X), 3), dealt(rng, len(watched), 3)
    alone = assert_law(model, X, y, owner, eval_set=[(watched, target)])

    def fit(communicator):
        parts = [
            Part(given[mine], Share(communicator, mine, len(given)))
            for given, mine in (
                (X, np.flatnonzero(owner == communicator.rank)),
                (watched, np.flatnonzero(owner_of_watched == communicator.rank)),
            )
        ]
        return copy.deepcopy(model).fit(parts[0], y, eval_set=[(parts[1], target)])

    for one in run_workers(fit, 3):
        assert text_of(one) == text_of(alone)
        assert one.evals_result_ == alone.evals_result_


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_going_on(kind, tmp_path):
    X, y, rng = a_task(kind, seed=22)
    owner = dealt(rng, len(X), 3)
    begun = little(kind, n_estimators=2, warm_start=True)
    begun = train_together(begun, X, y, owner)[1]
    alone = assert_law(begun.set_params(n_estimators=4), X, y, owner)
    assert alone.n_iter_ == 4
    assert_law(begun, X[:20], y[:20], owner[:20] % 2)
    little(kind, n_estimators=2).fit(X, y).save(tmp_path / "model.json")
    assert_law(little(kind, n_estimators=4), X, y, owner, resume_from=tmp_path / "model.json")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"init": "linear"}, "init='linear' is not possible where several workers train together"),
        ({"init": gt.GraphTreeRegressor()}, "init=GraphTreeRegressor is not possible where"),
        ({"scoring": lambda model, X, y: 0.0}, r"scoring: the function .* is not possible where"),
        ({"scoring": {"mine": lambda model, X, y: 0.0}}, "scoring: the function mine"),
    ],
    ids=["linear", "estimator", "function", "named"],
)
def test_what_needs_all_examples_is_refused(asked, message):
    X, y, rng = a_task(gt.GraphBoostingRegressor, seed=23)
    with pytest.raises(ValueError, match=message):
        train_together(little(gt.GraphBoostingRegressor, **asked), X, y, dealt(rng, len(X), 2))


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ({"labels": ["x", "y"]}, {"labels": ["x", "z"]}, "the categories"),
        ({"types": ["far"]}, {"types": ["near"]}, "the edge types"),
        ({"directed": True}, {"directed": False}, "directed edges"),
    ],
    ids=["labels", "types", "direction"],
)
def test_parts_that_were_made_apart_must_be_alike(one, other, message):
    """The columns of a model would mean different things to different workers."""

    def graphs(labels=("x", "y"), types=("far",), directed=False):
        frame = pd.DataFrame({"kind": pd.Categorical(labels, categories=labels)})
        return gt.Graphs([gt.Graph(frame, [(0, 1)], edge_types=types, directed=directed)] * 4)

    def fit(communicator):
        rank = communicator.rank
        part = Part(
            graphs(**(other if rank else one)), Share(communicator, np.arange(4) + 4 * rank, 8)
        )
        return little(gt.GraphTreeClassifier).fit(part, np.arange(8) % 2)

    with pytest.raises(ValueError, match=f"worker [01] has {message}.*worker [01] has"):
        run_workers(fit, 2)


@three_kinds
def test_the_error_of_one_worker_ends_the_training_of_all(kind):
    """Sums of the last graph overflow float32, which its owner alone can see."""
    X, y, _ = counted_task(kind, seed=24)
    large = gt.Graph(np.full((3, 6), 2e38), [(0, 1), (1, 2)])
    X = gt.Graphs([*X, large])
    owner = np.arange(len(X)) // 11
    with pytest.raises(ValueError, match=r"graph 8: .*overflow float32"):
        train_together(little(kind), X, np.r_[y, 1], owner)


@pytest.mark.parametrize("kind", [*ONE_TREE, gt.GraphForestClassifier], ids=name_of)
def test_columns_that_are_the_same_on_each_worker_are_not_called_the_same(kind):
    """The warning that no tree has a split says why."""
    table, owner = np.repeat([[0.0], [1.0]], 5, axis=0), np.repeat([0, 1], 5)
    y = np.array([0, 1, 0, 1, 1, 1, 0, 1, 0, 1])
    model = little(kind, min_samples_leaf=5)
    said = []
    for train in (lambda: model.fit(table, y), lambda: train_together(model, table, y, owner)):
        with pytest.warns() as warnings:
            train()
        said.append({str(one.message) for one in warnings})
    assert said[0] == said[1]


@pytest.mark.parametrize("kind", [gt.GraphBoostingClassifier, gt.GraphForestClassifier])
def test_without_a_seed_all_workers_draw_alike(kind):
    """The first worker chooses the seed for all."""
    data = gt.datasets.make_red_isolated_vertex(n_graphs=30, n_vertices=6, random_state=0)
    drawn = {"subsample": 0.5} if "subsample" in kind().get_params() else {}
    model = kind(2, random_state=None, min_samples_leaf=1, n_jobs=1, **drawn)
    made = train_together(model, data.X, data.y, np.arange(30) % 3)
    assert len({text_of(one) for one in made}) == 1
