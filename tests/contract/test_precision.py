"""Features that float32 cannot hold to their own spread are pointed out, by name, with a remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from models import SIX, name_of, small

import graphtrees as gt

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
@pytest.mark.parametrize("about", ["rows", "vertices", "graphs"])
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
        small(gt.GraphTreeClassifier).fit(task("rows", values), Y)


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
    small(gt.GraphTreeClassifier).fit(np.column_stack([values, SECONDS]).astype(values.dtype), Y)


@pytest.mark.filterwarnings("error")
def test_many_values_of_an_ordinary_feature_are_passed_over():
    values = np.random.default_rng(0).uniform(size=(200_000, 1))
    assert gt.inspect(values).features.collapsing == []


@pytest.mark.filterwarnings("error")
def test_categories_and_sparse_features_are_passed_over():
    labels = pd.DataFrame({"time": pd.Categorical(TIMES)})
    small(gt.GraphTreeClassifier).fit(labels, Y)
    numbers = pd.DataFrame({"time": TIMES})
    small(gt.GraphTreeClassifier, categorical_features=["time"]).fit(numbers, Y)
    small(gt.GraphTreeClassifier).fit(sp.csr_array(TIMES[:, None]), Y)


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
    table = pd.DataFrame({"measured": TIMES, "size": SECONDS % 7})
    alone = [gt.Graph(features, [(0, 1)]) for _ in TIMES]
    graphs = gt.Graphs(alone, graph_features=table)
    wanted = r"feature 'measured': only 29 of 400 .* such as 1700000000$"
    with pytest.warns(UserWarning, match=wanted) as caught:
        small(gt.GraphTreeClassifier).fit(graphs, Y)
    assert len(caught) == 1
    assert [one.name for one in gt.inspect(graphs, Y).features.collapsing] == ["measured"]
