"""Features that float32 cannot hold to their own spread.

Those that are only compared are moved near 0 (see also tests/laws/test_offsets.py); of those that
are added up the user is told, by name, with a remedy.
"""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from models import SIX, name_of, small

import graphtrees as gt
from graphtrees._layout import IN_PLUS
from graphtrees.questions.text import Nouns, QuestionText

SECONDS = np.arange(0.0, 3600.0, 9.0)
TIMES = 1_700_000_000 + SECONDS
Y = (SECONDS % 600 > 300).astype(int)
CHAIN = [(k, k + 1) for k in range(len(TIMES) - 1)]


def task(about: str, values: np.ndarray):
    """A column as rows of a table, vertices of a chain, or graphs of one vertex each."""
    frame = pd.DataFrame({"time": values, "size": np.arange(len(values)) % 5})
    if about == "rows":
        return frame
    graph = gt.Graph(frame, CHAIN)
    if about == "graphs":
        return gt.Graphs([gt.Graph(frame.iloc[[k]], []) for k in range(len(frame))])
    return graph.vertices


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize("about", ["vertices", "graphs"])
def test_fit_names_the_feature_and_what_to_subtract(kind, about):
    wanted = r"feature 'time': only 29 of 400 .* subtract a constant .* such as 1700000000$"
    with pytest.warns(UserWarning, match=wanted) as caught:
        small(kind).fit(task(about, TIMES), Y)
    assert len(caught) == 1  # the other feature is sound
    assert caught[0].filename == __file__


@pytest.mark.parametrize("about", ["rows", "vertices", "graphs"])
def test_what_the_warning_says_helps(about):
    """After the subtraction there is no warning, and the model is that of small numbers."""
    small_numbers = small(gt.GraphBoostingClassifier).fit(task(about, SECONDS), Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = small(gt.GraphBoostingClassifier).fit(task(about, TIMES - 1_700_000_000), Y)
    one, other = (m.predict_proba(task(about, SECONDS)) for m in (small_numbers, mended))
    np.testing.assert_array_equal(one, other)


def test_inspect_lists_them_among_its_warnings():
    found = gt.inspect(task("vertices", TIMES), Y)
    assert [one.name for one in found.features.collapsing] == ["time"]
    assert any("only 29 of 400 distinct values" in line for line in found.warnings)
    assert "subtract a constant" in str(found).replace("\n", " ").replace("            ", "")
    assert found.to_dict()["features"]["collapsing"][0]["n_left"] == 29


def test_a_marker_for_unknown_times_hides_nothing():
    """The spread is wide because of the zeros; the times are as close as before."""
    values = TIMES.copy()
    values[::7] = 0.0
    with pytest.warns(UserWarning, match=r"feature 'time': .* such as 17000000\d\d"):
        small(gt.GraphTreeClassifier).fit(task("vertices", values), Y)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize("marker", [None, 0.0, 4e9, np.nan])
def test_rows_of_a_table_are_told_apart_in_any_case(kind, marker):
    """Whatever stands for unknown times."""
    near, far = SECONDS.copy(), TIMES.copy()
    if marker is not None:
        far[::7], near[::7] = marker, marker - 1_700_000_000
    one = small(kind).fit(task("rows", near), Y)
    other = small(kind).fit(task("rows", far), Y)
    np.testing.assert_array_equal(
        one.predict(task("rows", near)), other.predict(task("rows", far))
    )  # fmt: skip
    assert len(np.unique(other.apply(task("rows", far))[:, 0])) > 2


@pytest.mark.parametrize(
    "given",
    [
        {"max_walk_length": {"time": 0}},  # a vertex outside of a subset has the value 0
        {"max_ancestor_distance": 0},  # neighbours are added up
        {"max_walk_length": 0, "max_ancestor_distance": 0, "init": "linear"},
    ],
    ids=["subsets", "walks", "linear"],
)
def test_vertices_whose_values_are_added_up_or_masked_keep_them(given):
    with pytest.warns(UserWarning, match="feature 'time': only 29 of 400"):
        model = small(gt.GraphBoostingClassifier, **given).fit(task("vertices", TIMES), Y)
    assert not model._fitted.features.offsets


@pytest.mark.parametrize("given", [{"aggregators": ("sum", "max")}, {"max_walk_length": 1}])
def test_graphs_whose_values_are_added_up_keep_them(given):
    settings = {"aggregators": ("max",), "max_walk_length": 0, "max_ancestor_distance": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(gt.GraphTreeClassifier, **settings).fit(task("graphs", TIMES), Y)
    with pytest.warns(UserWarning, match="feature 'time': only 29 of 400"):
        small(gt.GraphTreeClassifier, **settings | given).fit(task("graphs", TIMES), Y)


def test_more_digits_than_an_offset_can_save_are_pointed_out():
    """Seconds of two hours that are a century apart."""
    values = np.where(np.arange(400) % 2, TIMES, TIMES + 3e9)
    with pytest.warns(UserWarning, match=r"feature 'time': only 2\d\d of 400 .* days and seconds$"):
        small(gt.GraphTreeClassifier).fit(task("rows", values), Y)
    found = gt.inspect(task("rows", values), Y)
    assert any("days and seconds" in line for line in found.warnings)


@pytest.mark.filterwarnings("error")
def test_inspect_says_nothing_of_what_a_fit_on_rows_takes_care_of():
    assert gt.inspect(task("rows", TIMES), Y).features.collapsing == []


# ---- whatever speaks of the model speaks in the units of the user ----------------------------


@pytest.fixture(scope="module")
def one_split():
    """After a quarter of an hour and half a second."""
    y = (SECONDS > 900).astype(int)
    return gt.GraphTreeClassifier(max_leaf_nodes=2).fit(task("rows", TIMES), y)


def test_thresholds_are_in_the_units_of_the_feature(one_split):
    assert one_split.trees_to_dataframe()["threshold"][0] == 1_700_000_904.5
    assert "time <= 1700000904.5" in gt.export_text(one_split)
    assert one_split.importance(by="question") == {"time": 1.0}


def test_rules_and_steps_are_in_the_units_of_the_feature(one_split):
    explained = one_split.explain(task("rows", TIMES).iloc[[5]])
    assert explained.rules()[1] == "node 0: time is 1700000045 ≤ 1700000904.5 → left"
    (step,) = explained.path(0).steps
    assert (step.value, step.threshold) == (TIMES[5], 1_700_000_904.5)
    assert (step.vertex_values.tolist(), step.vertex_threshold) == ([TIMES[5]], 1_700_000_904.5)


def test_pictures_and_the_report_are_in_the_units_of_the_feature(one_split, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    texts = [text.get_text() for text in gt.plot_tree(one_split).texts]
    assert any("1700000904.5" in text.replace("\n", " ") for text in texts)
    one_split.report(task("rows", TIMES), Y, path=tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "1700000904.5" in page
    assert "2308" not in page  # the threshold less what is subtracted


def test_partial_dependence_is_over_the_values_of_the_feature(one_split):
    inspection = pytest.importorskip("sklearn.inspection")
    found = inspection.partial_dependence(
        one_split, task("rows", TIMES), ["time"], grid_resolution=1000, method="brute"
    )
    (grid,), (average,) = found["grid_values"], found["average"]
    np.testing.assert_array_equal(average, grid > 1_700_000_904.5)


def test_coordinates_within_metres_are_said_with_their_digits():
    """As many as it takes, and no more."""
    latitude = 52.52 + np.arange(20) * 1e-5
    X, y = pd.DataFrame({"lat": latitude}), (np.arange(20) > 7).astype(int)
    model = gt.GraphTreeClassifier(max_leaf_nodes=2).fit(X, y)
    assert model.score(X, y) == 1.0
    assert "lat <= 52.520075" in gt.export_text(model)
    assert model.explain(X.iloc[[7]]).rules()[1].startswith(
        "node 0: lat is 52.52007 ≤ 52.520075"
    )  # fmt: skip


# ---- the model remembers it ------------------------------------------------------------------


def test_files_and_pickles_hold_what_is_subtracted(one_split, tmp_path):
    one_split.save(tmp_path / "model.json")
    X = task("rows", np.linspace(TIMES[0], TIMES[-1], 400))
    for again in (gt.load_model(tmp_path / "model.json"), pickle.loads(pickle.dumps(one_split))):
        np.testing.assert_array_equal(again.apply(X), one_split.apply(X))
        assert again.trees_to_dataframe()["threshold"][0] == 1_700_000_904.5


@pytest.mark.parametrize("values", [np.float32, sp.csr_array])
def test_new_rows_may_come_as_float32_or_sparse(values, one_split):
    X = np.column_stack([TIMES, np.arange(400) % 5])
    nearest = X.astype(np.float32).astype(np.float64) if values is np.float32 else X
    got = X.astype(np.float32) if values is np.float32 else sp.csr_array(X)
    np.testing.assert_array_equal(
        one_split.predict(pd.DataFrame(nearest, columns=["time", "size"])),
        _without_names(one_split, got),
    )


def _without_names(model, X) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.predict(X)


@pytest.mark.parametrize("saved", [False, True], ids=["warm_start", "resume_from"])
def test_training_goes_on_with_what_was_subtracted_before(saved, tmp_path):
    """Thresholds of earlier trees would mean something else with another offset."""
    first = small(gt.GraphBoostingClassifier, n_estimators=2).fit(task("rows", TIMES), Y)
    early = first.predict_proba(task("rows", TIMES))
    if saved:
        first.save(tmp_path / "model.json")
        more = small(gt.GraphBoostingClassifier, n_estimators=4)
        more.fit(task("rows", TIMES), Y, resume_from=tmp_path / "model.json")
    else:
        more = first.set_params(warm_start=True, n_estimators=4)
        more.fit(task("rows", TIMES + 5e5), Y)
    after_two = list(more.staged_predict_proba(task("rows", TIMES)))[1]
    np.testing.assert_array_equal(after_two, early)


def test_values_far_from_the_offset_are_the_smallest_or_largest_of_all():
    values = 4e29 * (1 + np.arange(20) * 1e-8)
    largest = float(np.finfo(np.float32).max) * (1 - 1e-6)
    y = (np.arange(20) > 7).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = gt.GraphTreeClassifier(max_leaf_nodes=2).fit(values[:, None], y)
        assert model.score(values[:, None], y) == 1.0
        assert model.predict([[-largest], [largest], [0.0]]).tolist() == [0, 1, 0]


def test_values_too_large_for_an_offset_are_pointed_out():
    values = 3e38 * (1 + np.arange(20) * 1e-8)
    with pytest.warns(UserWarning, match="feature 'x0': only [1-9] of 20 .* subtract a constant"):
        gt.GraphTreeClassifier(max_leaf_nodes=2).fit(values[:, None], np.arange(20) > 7)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "values",
    [
        SECONDS,
        np.random.default_rng(0).normal(size=400),
        np.random.default_rng(0).normal(size=400) * 1e30,
        16_777_216 - SECONDS,
        TIMES.astype(np.float32),
        np.where(SECONDS > 99, np.nan, SECONDS),
        np.full(400, 1e9 + 1),
        np.full(400, np.nan),
        np.arange(400) % 7 / 7 * (1 + 2e-16 * (np.arange(400) % 5)),
    ],
    ids=[
        "small",
        "normal",
        "large",
        "whole",
        "float32",
        "missing",
        "constant",
        "unknown",
        "rounding",
    ],
)
def test_ordinary_numbers_are_passed_over(values):
    X = np.column_stack([values, SECONDS]).astype(values.dtype)
    model = small(gt.GraphTreeClassifier).fit(X, Y)
    assert not model._fitted.features.offsets
    small(gt.GraphTreeClassifier).fit(gt.Graph(X, CHAIN).vertices, Y)


@pytest.mark.filterwarnings("error")
def test_many_values_of_an_ordinary_feature_are_passed_over():
    values = np.random.default_rng(0).uniform(size=(200_000, 1))
    assert gt.inspect(values).features.collapsing == []


@pytest.mark.filterwarnings("ignore:no tree has a split")
@pytest.mark.filterwarnings("error")
def test_categories_and_sparse_features_are_passed_over():
    labels = pd.DataFrame({"time": pd.Categorical(TIMES)})
    small(gt.GraphTreeClassifier).fit(labels, Y)
    numbers = pd.DataFrame({"time": TIMES})
    small(gt.GraphTreeClassifier, categorical_features=["time"]).fit(numbers, Y)
    small(gt.GraphTreeClassifier).fit(sp.csr_array(TIMES[:, None]), Y)


def test_subsets_are_described_in_the_units_of_the_feature():
    asked = QuestionText("time", None, "adjacency", 0, 0, 3, Nouns(), offset=1_700_000_000.0)
    assert asked.new_subset(IN_PLUS, None, 904.5) == "the vertices with time > 1700000904.5"


@pytest.mark.filterwarnings("error")
def test_a_marker_in_nine_of_ten_rows_counts_as_one_value():
    """It is the distinct values that have to be kept apart, however often each is there."""
    values = np.where(np.arange(400) % 10, 0.0, TIMES)
    y = values > TIMES[200]
    model = small(gt.GraphTreeClassifier).fit(task("rows", values), y)
    assert model.score(task("rows", values), y) == 1.0
    assert TIMES[0] - 10_000 < model._fitted.features.offsets[0] < TIMES[-1]


def test_what_differs_by_rounding_alone_is_not_told_apart():
    values = np.where(np.arange(20) % 2, 0.3, 0.1 + 0.2)
    model = small(gt.GraphTreeClassifier).fit(values[:, None], np.arange(20) % 2)
    assert len(model.trees_to_dataframe()) == 1


# ---- features of edges and of graphs -----------------------------------------------------------

EDGE_TIMES = pd.DataFrame({"at": TIMES[1:], "amount": SECONDS[1:] % 7})


def chain(directed: bool = True) -> gt.Graph:
    return gt.Graph(SECONDS[:, None] % 5, CHAIN, edge_features=EDGE_TIMES, directed=directed)


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_fit_names_the_edge_feature_where_relations_are_walked(kind):
    wanted = r"edge feature 'at': only 29 of 399 .* subtract a constant .* such as 1700000009$"
    with pytest.warns(UserWarning, match=wanted) as caught:
        small(kind, operators=("adjacency", "relations")).fit(chain().vertices, Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("error")
def test_edge_features_that_nothing_asks_for_are_passed_over():
    small(gt.GraphTreeClassifier).fit(chain().vertices, Y)


def test_edges_as_examples_name_their_feature():
    with pytest.warns(UserWarning, match=r"^feature 'at': only 29 of 399 ") as caught:
        small(gt.GraphTreeClassifier).fit(chain().edges, Y[1:])
    assert len(caught) == 1


def test_inspect_lists_edge_features_too():
    found = gt.inspect(chain().vertices, Y)
    assert [(one.noun, one.name) for one in found.features.collapsing] == [("edge feature", "at")]


@pytest.mark.parametrize("features", [np.ones((2, 1)), sp.csr_array(np.ones((2, 1)))])
def test_features_of_whole_graphs_are_named(features):
    """Beside dense features an offset keeps them apart."""
    table = pd.DataFrame({"measured": TIMES, "size": SECONDS % 7})
    alone = [gt.Graph(features, [(0, 1)]) for _ in TIMES]
    graphs = gt.Graphs(alone, graph_features=table)
    if not sp.issparse(features):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = small(gt.GraphTreeClassifier).fit(graphs, Y)
        table["measured"] -= TIMES[0]
        near = gt.Graphs(alone, graph_features=table)
        again = small(gt.GraphTreeClassifier).fit(near, Y)
        assert model.predict_proba(graphs).tolist() == again.predict_proba(near).tolist()
        return
    wanted = r"feature 'measured': only 29 of 400 .* such as 1700000000$"
    with pytest.warns(UserWarning, match=wanted) as caught:
        small(gt.GraphTreeClassifier).fit(graphs, Y)
    assert len(caught) == 1
    assert [one.name for one in gt.inspect(graphs, Y).features.collapsing] == ["measured"]
