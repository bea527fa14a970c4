"""What `inspect` says, on graphs small enough to check by eye."""

from __future__ import annotations

import json
import os

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from builders import a_graph, a_path, relabelled, some_graphs

from graphtrees.datasets import load_tu
from graphtrees.graphs import Graph, Graphs
from graphtrees.inspection import inspect, task_of

EDGE, PATH = Graph(None, [(0, 1)]), Graph(None, [(0, 1), (1, 2)])
TRIANGLE = Graph(None, [(0, 1), (1, 2), (2, 0)])


def with_features(values, **given) -> Graph:
    return Graph(values, [(0, 1)], **given)


def test_sizes_and_degrees():
    star = Graph(None, [(0, 1), (0, 2), (0, 3), (3, 3), (0, 1)], n_vertices=6)
    shape = inspect([star, EDGE]).shape
    assert (shape.n_graphs, shape.n_vertices, shape.n_edges) == (2, 8, 6)
    assert shape.spreads["vertices"].median == 4
    assert shape.spreads["degree"].max == 4
    assert (shape.n_isolated, shape.n_self_loops, shape.n_repeated_edges) == (2, 1, 1)


def test_directed_graphs_have_two_degrees():
    shape = inspect([Graph(None, [(0, 1), (0, 2)], directed=True)]).shape
    assert shape.spreads["in-degree"].max == 1
    assert shape.spreads["out-degree"].max == 2
    assert shape.n_isolated == 0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_features_that_say_nothing_are_named(form):
    nan = np.nan
    values = form([[1.0, 5.0, nan, nan, 0.0], [2.0, 5.0, nan, 7.0, 0.0]])
    features = inspect([with_features(values, feature_names=list("abcde"))]).features
    assert features.constant == ["b", "e"]
    assert features.all_missing == ["c"]
    assert features.missing == {"d": 0.5}


def test_labels_are_counted_and_the_majority_scored():
    seen = inspect([EDGE, PATH, TRIANGLE, EDGE], ["b", "a", "b", None])
    assert seen.labels.counts == {"b": 2, "a": 1}
    assert seen.labels.majority == 2 / 3
    assert seen.labels.n_missing == 1
    assert any("without a label" in text for text in seen.warnings)


@pytest.mark.parametrize("unit", [1.0, 2.0**-1040, 2.0**660, 2.0**1021])
def test_numbers_of_any_size_are_described_without_overflow(unit):
    labels = np.array([1.25, -1.5, 0.5, 3.5, 1.0, 2.0])
    of_these = inspect([EDGE, PATH, TRIANGLE] * 2, labels)
    seen = inspect([EDGE, PATH, TRIANGLE] * 2, unit * labels)
    for name, value in of_these.labels.quantiles.items():
        assert seen.labels.quantiles[name] == pytest.approx(unit * value, rel=1e-9, abs=0)
    assert seen.to_dict()["copies"] == of_these.to_dict()["copies"]


def test_copies_with_two_labels_bound_every_method():
    turned = Graph(None, [(2, 1), (2, 0)])
    seen = inspect([PATH, turned, PATH, EDGE], [0, 1, 0, 1])
    assert seen.copies.n_with_twin == 3
    assert seen.copies.n_in_conflict == 3
    assert seen.copies.ceiling == 0.75
    assert seen.copies.shown == [[0, 1, 2]]
    assert any("no method at all can score above 0.750" in text for text in seen.warnings)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_ceiling_is_of_the_labels_that_are_known_also_where_the_first_is_not(missing):
    """Known are three of four paths, two of them alike, and the edge: 3 of 4 can be right."""
    y = np.array([missing, "a", "b", "a", "b"], dtype=object)
    seen = inspect([PATH, PATH, PATH, PATH, EDGE], y)
    assert seen.labels.n_missing == 1
    assert seen.twins.ceiling == seen.copies.ceiling == 3 / 4
    shifted = inspect([PATH, PATH, PATH, EDGE, PATH], ["a", "b", "a", "b", missing])
    assert shifted.twins.ceiling == 3 / 4
    numbers = inspect([EDGE, PATH, PATH, EDGE], [np.nan, 1.5, 2.5, 7.5])
    values = np.array([1.5, 2.5, 7.5])
    assert numbers.twins.ceiling == pytest.approx(1 - 0.5 / ((values - values.mean()) ** 2).sum())


def test_twins_bound_r2_by_the_spread_within_their_groups():
    seen = inspect([PATH, PATH, EDGE, EDGE], [1.5, 2.5, 4.5, 4.5])
    values = np.array([1.5, 2.5, 4.5, 4.5])
    assert seen.labels.task == "regression"
    assert seen.twins.ceiling == pytest.approx(1 - 0.5 / ((values - values.mean()) ** 2).sum())


def test_vertices_alike_in_any_graph_are_twins():
    seen = inspect(Graphs([PATH, PATH]).vertices, [0, 1, 0, 0, 1, 1])
    assert seen.kind == "vertices"
    assert seen.copies is None
    assert seen.twins.n_groups == 2
    assert seen.twins.ceiling == 5 / 6


def test_only_graphs_that_examples_come_from_are_counted():
    seen = inspect(Graphs([PATH, TRIANGLE]).vertices[:3])
    assert (seen.n_examples, seen.shape.n_graphs) == (3, 1)


def test_edges_are_told_apart_by_their_ends():
    longer = Graph(None, [(0, 1), (1, 2), (2, 3)])
    assert inspect(longer.edges).twins.shown == [[0, 2]]
    assert inspect(Graph(None, [(0, 1), (2, 1)], directed=True).edges).twins.n_with_twin == 2
    assert inspect(Graph(None, [(0, 1), (1, 2)], directed=True).edges).twins.n_with_twin == 0


def test_rows_of_a_table_are_twins_when_they_are_equal():
    seen = inspect(pd.DataFrame({"a": [1, 1, 2], "b": ["x", "x", "y"]}), [0, 1, 1])
    assert seen.kind == "rows"
    assert seen.twins.n_with_twin == 2
    assert seen.features.categorical == ["b"]
    assert not any("edge" in text for text in seen.warnings)


def test_sorted_labels_are_noticed_and_shuffled_ones_are_not():
    graphs = some_graphs(60)
    in_order = np.repeat([0, 1, 2], 20)
    shuffled = np.random.default_rng(0).permutation(in_order)
    assert inspect(graphs, in_order).labels.by_position
    assert not inspect(graphs, shuffled).labels.by_position
    assert inspect(graphs, np.linspace(0.1, 1, 60)).labels.by_position
    assert not inspect(graphs, np.random.default_rng(0).normal(size=60)).labels.by_position
    assert not inspect(graphs, np.zeros(60)).labels.by_position


def test_graphs_in_both_parts_are_found_in_any_order_of_vertices():
    train = Graphs([a_graph(5, seed=seed) for seed in range(4)])
    again = relabelled(train[2], [3, 1, 4, 0, 2])
    test = Graphs([a_graph(5, seed=9), again])
    seen = inspect(train, [0, 1, 0, 1], test=(test, [0, 2]))
    assert seen.overlap.n_shared == 1
    assert seen.overlap.shown == [1]
    assert seen.overlap.unknown_classes == [2]
    assert "are training examples as well" in seen.warnings[0]


def test_a_pair_of_graphs_is_a_test_part_without_labels():
    assert inspect([EDGE], test=(PATH, EDGE)).overlap.n_shared == 1


def test_the_same_vertex_in_both_parts_is_found_but_its_like_elsewhere_is_no_fault():
    g = a_path(6)
    shared = inspect(g.vertices[[0, 1, 2]], test=g.vertices[[2, 3]]).overlap
    apart = inspect(PATH.vertices[[0]], test=PATH.vertices[[2]]).overlap
    assert (shared.n_shared, shared.shown) == (1, [0])
    assert (apart.n_shared, apart.n_alike) == (0, 1)


def test_categories_are_compared_by_name_and_not_by_number():
    def molecule(*elements):
        return Graph(pd.DataFrame({"element": pd.Categorical(elements)}), [(0, 1)])

    seen = inspect([molecule("C", "O")], test=[molecule("N", "O"), molecule("O", "C")])
    assert seen.overlap.shown == [1]


@pytest.mark.parametrize(
    ("X", "y", "test", "error", "words"),
    [
        ([EDGE], [0, 1], None, ValueError, "y has 2 labels; X holds 1 examples"),
        ([EDGE], [[0, 1]], None, ValueError, "one label for each example; got the shape (1, 2)"),
        (EDGE, None, None, TypeError, "X is one Graph"),
        ("MUTAG", None, None, TypeError, "X must be Graphs"),
        ([EDGE], None, EDGE.vertices, TypeError, "X holds graphs, test holds vertices"),
        ([EDGE], None, [a_path(2)], ValueError, "test does not fit X: graph 1 has 1 features"),
    ],
)
def test_bad_input_is_named(X, y, test, error, words):
    with pytest.raises(error) as raised:
        inspect(X, y, test)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "X",
    [
        [],
        [Graph(None, [])],
        [Graph(None, [], n_vertices=1)],
        [Graph(None, [(0, 0)])],
        [Graph([[np.nan]], [])],
        Graphs([EDGE]).vertices[:0],
    ],
    ids=["nothing", "no vertices", "one vertex", "self-loop", "missing", "no examples"],
)
def test_odd_input_is_described(X):
    seen = inspect(X, [0] * len(X))
    assert "examples" in str(seen)
    json.dumps(seen.to_dict())


def test_the_page_the_dict_and_the_html_say_the_same():
    seen = inspect([PATH, PATH, EDGE], ["<a>", "b", "b"])
    found = json.loads(json.dumps(seen.to_dict()))
    assert found["twins"]["ceiling"] == pytest.approx(2 / 3)
    assert found["twins"]["share"] == pytest.approx(2 / 3)
    assert found["labels"]["counts"] == {"b": 2, "<a>": 1}
    assert found["warnings"] == seen.warnings
    page = str(seen)
    assert "3 graphs" in page
    assert "2 of 3 (66.7 %) cannot be told from another by 1-WL" in page
    assert max(map(len, page.splitlines())) <= 100
    assert "&lt;a&gt; 1" in seen._repr_html_()
    assert repr(seen) == f"<Inspection of 3 graphs: {len(seen.warnings)} warnings>"


def test_a_page_stays_a_page_with_thousands_of_features():
    wide = Graph(np.zeros((2, 3000)), [(0, 1)])
    assert len(str(inspect([wide], [1])).splitlines()) < 40


@pytest.mark.skipif("GRAPHTREES_DATA" not in os.environ, reason="GRAPHTREES_DATA is not set")
def test_four_in_five_graphs_of_imdb_multi_have_a_twin():
    data = load_tu("IMDB-MULTI")
    seen = inspect(data.X, data.y)
    assert round(seen.twins.share, 2) == 0.81
    assert seen.labels.by_position


@pytest.mark.parametrize(
    ("y", "task"),
    [
        ([True, False], "classification"),
        (["a", "b"], "classification"),
        ([0, 1, 1, 0], "classification"),
        ([1.0, 2.0, 1.0, 2.0], "classification"),
        ([0.5, 1.0], "regression"),
        (list(range(100)), "regression"),
        ([0, 1, np.nan, 1, 0], "classification"),
        ([None, "a"], "classification"),
        ([None, 1.5], "regression"),
    ],
)
def test_tasks_are_told_from_labels(y, task):
    assert task_of(y) == task


@pytest.mark.parametrize("y", [[0.5, np.inf, 2.5], [1, -np.inf, 1], [np.nan, np.inf, 0.5]])
def test_an_infinite_label_is_refused_by_its_number(y):
    with pytest.raises(ValueError, match="must be finite; the label of example 1 is infinite"):
        inspect([a_graph()] * 3, y)
