"""The oracle itself, on cases worked out on paper."""

import numpy as np
import pytest

from oracles import Example, TooCloseError, made_subsets, masked_walks, value, vertex_values
from oracles.by_hand import (
    a_graph,
    a_leaf,
    a_path,
    a_split,
    a_table,
    ask,
    circulant,
    crossed_graphs,
    subset,
)
from oracles.replay import average, decision, follow, leaves

NAN = np.nan
EVERY_AGGREGATOR = ("sum", "mean", "min", "max")


def test_an_undirected_edge_counts_both_ways_a_loop_once_and_parallel_edges_add():
    g = a_graph([0, 0, 0], [(0, 1), (1, 2), (1, 2), (2, 2)], edge_weights=[2.0, -1.0, 3.0, 1.0])
    assert g.operators["adjacency"].tolist() == [[0, 2, 0], [2, 0, 2], [0, 2, 1]]
    np.testing.assert_allclose(
        g.operators["mean"], [[0, 1, 0], [2 / 4, 0, 2 / 4], [0, 2 / 3, 1 / 3]]
    )


def test_a_directed_edge_carries_its_source_to_its_target():
    g = a_graph([1, 10, 100], [(0, 1), (2, 1)], directed=True, edge_weights=[2.0, 1.0])
    assert g.operators["adjacency"].tolist() == [[0, 0, 0], [2, 0, 1], [0, 0, 0]]
    everyone = subset(3, 0, 1, 2)
    assert vertex_values(g, ask(walk_length=1), everyone).tolist() == [0, 102, 0]
    backwards = ask(walk_length=1, operator="reverse")
    assert vertex_values(g, backwards, everyone).tolist() == [20, 0, 10]
    averaged = ask(walk_length=1, operator="mean")
    assert vertex_values(g, averaged, everyone).tolist() == [0, 34, 0]


@pytest.mark.parametrize(
    ("walk_type", "kept", "values", "sum_mean_min_max"),
    [
        ("source", [[1, 0, 0], [0, 2, 0], [1, 0, 0]], [1, 20, 1], [22, 22 / 3, 1, 20]),
        ("cycle", [[1, 0, 0], [0, 2, 0], [0, 0, 0]], [1, 20, 0], [21, 10.5, 1, 20]),
        ("target", [[1, 0, 1], [0, 2, 0], [0, 0, 0]], [101, 20, 0], [121, 60.5, 20, 101]),
        ("target_source", [[1, 0, 0], [0, 2, 0], [0, 0, 0]], [1, 20, 0], [21, 10.5, 1, 20]),
    ],
)
def test_walks_of_length_two_on_a_path_keep_what_the_walk_type_says(
    walk_type, kept, values, sum_mean_min_max
):
    g, used = a_path(), subset(3, 0, 1)
    question = ask(walk_length=2, walk_type=walk_type)
    assert masked_walks(g, question, used).tolist() == kept
    assert vertex_values(g, question, used).tolist() == values
    for aggregator, wanted in zip(EVERY_AGGREGATOR, sum_mean_min_max, strict=True):
        asked = question._replace(aggregator=aggregator)
        assert value(Example(g), asked, used) == pytest.approx(wanted)


def test_a_vertex_reads_its_own_entry_and_zero_from_an_empty_subset():
    g, question = a_path(), ask(walk_length=1, aggregator=None)
    assert value(Example(g, 1), question, subset(3, 0, 1, 2)) == 101
    assert value(Example(g, 1), question, subset(3, 2)) == 100
    assert value(Example(g, 1), question, subset(3)) == 0
    assert value(Example(g, 1), ask(aggregator=None), subset(3, 0)) == 0
    assert value(Example(g, 1), ask(walk_length=2, walk_type="cycle"), subset(3, 1)) == 20


def test_missing_values_add_nothing_on_walks_and_are_skipped_at_length_zero():
    g, everyone = a_path((1.0, NAN, 100.0)), subset(3, 0, 1, 2)
    np.testing.assert_array_equal(vertex_values(g, ask(), everyone), [1, NAN, 100])
    np.testing.assert_array_equal(vertex_values(g, ask(), subset(3, 0)), [1, 0, 0])
    assert vertex_values(g, ask(walk_length=1), everyone).tolist() == [0, 101, 0]
    assert value(Example(g), ask(aggregator="mean"), everyone) == 50.5
    assert value(Example(g), ask(aggregator="min"), everyone) == 1
    assert np.isnan(value(Example(g, 1), ask(aggregator=None), everyone))
    assert value(Example(g, 1), ask(aggregator=None), subset(3, 0)) == 0
    assert np.isnan(value(Example(g), ask(walk_type="cycle"), subset(3, 1)))
    assert value(Example(g), ask(), subset(3, 1)) == 0  # two zeros beside the missing one


@pytest.mark.parametrize("walk_type", ["source", "cycle", "target", "target_source"])
def test_an_empty_subset_leaves_a_graph_nothing_to_aggregate(walk_type):
    for walk_length in (0, 1):
        question = ask(walk_length=walk_length, walk_type=walk_type)
        assert np.isnan(value(Example(a_path()), question, subset(3)))
        assert np.isnan(value(Example(a_graph(np.zeros((0, 1)))), question, subset(0)))


def test_a_sum_makes_its_subsets_at_the_threshold_shared_out_over_the_subset():
    g, used = a_path(), subset(3, 0, 1)
    # z = (1, 20, 1); the sum's 30 is 15 for each of two vertices, the mean's 30 stays.
    made = made_subsets(g, ask(walk_length=2), used, 30.0, "left")
    assert made["+"].tolist() == [False, True, False]
    assert made["-"].tolist() == [True, False, False]
    made = made_subsets(g, ask(walk_length=2, aggregator="mean"), used, 30.0, "left")
    assert made["+"].tolist() == [False, False, False]
    assert made["-"].tolist() == [True, True, False]


def test_a_value_on_the_threshold_and_a_missing_value_take_their_sides():
    g, everyone = a_path((1.0, NAN, 100.0)), subset(3, 0, 1, 2)
    question = ask(aggregator="max")
    assert made_subsets(g, question, everyone, 1.0, "left")["+"].tolist() == [False, False, True]
    assert made_subsets(g, question, everyone, 1.0, "right")["+"].tolist() == [False, True, True]
    assert made_subsets(g, question, everyone, 0.5, "left")["-"].tolist() == [False, True, False]


def test_the_oracle_refuses_a_comparison_that_rounding_decides():
    g = a_graph([1.0, 1.0, 2.0, 0.0], [(0, 3), (1, 3), (2, 3)], directed=True)
    thirds = ask(walk_length=1, operator="mean", aggregator="max")
    with pytest.raises(TooCloseError, match="against the threshold"):
        made_subsets(g, thirds, subset(4, 0, 1, 2, 3), 4 / 3, "left")


def a_tree_with_a_pointer(walk_type: str):
    """f_1 at the root, then f_2 along walks of length 2 from the root's larger half."""
    root = a_split(0, ask(feature=0), -2.0, left=1, right=2)
    asked = ask(feature=1, walk_length=2, pointer=0, sign="+", walk_type=walk_type)
    below = a_split(2, asked, 0.0, left=3, right=4, depth=1)
    return a_table(root, a_leaf(1, 5.0), below, a_leaf(3, -1.0), a_leaf(4, 1.0))


@pytest.mark.parametrize("walk_type", ["source", "cycle", "target", "target_source"])
def test_crossed_graphs_are_separated_by_a_tree_with_a_subset(walk_type):
    along, across = crossed_graphs()
    tree = a_tree_with_a_pointer(walk_type)
    assert leaves(tree, [Example(along), Example(across)]).tolist() == [[4], [3]]
    assert average(tree, np.array([[4], [3]])).tolist() == [[1.0], [-1.0]]


def test_a_replayed_path_tells_the_subsets_used_and_made():
    along, _ = crossed_graphs()
    (tree,) = [a_tree_with_a_pointer("target_source")]
    path = follow({int(row["node"]): row for row in tree.to_dict("records")}, Example(along))
    first, second = path.steps
    # The sum of f_1 is 0 > -2; each vertex is compared with -2 / 4.
    assert (first.phi, first.child) == (0.0, 2)
    assert first.subset.tolist() == [True, True, True, True]
    assert first.made["+"].tolist() == [True, True, False, False]
    assert second.subset.tolist() == [True, True, False, False]
    # z = (1, 0, 0, 0): only vertex 0 has a neighbour to go to and come back from.
    assert (second.phi, second.child, path.leaf) == (1.0, 4, 4)
    assert second.made["+"].tolist() == [True, False, False, False]
    assert second.made["-"].tolist() == [False, True, False, False]


def test_crossed_graphs_look_the_same_to_every_question_without_subsets():
    along, across = crossed_graphs()
    everyone = subset(4, 0, 1, 2, 3)
    for walk_length in range(4):
        for feature in range(3):
            for walk_type in ("source", "cycle"):
                for aggregator in EVERY_AGGREGATOR:
                    question = ask(feature, walk_length, walk_type=walk_type, aggregator=aggregator)
                    one, other = (value(Example(g), question, everyone) for g in (along, across))
                    assert one == other, question


def test_regular_graphs_differ_in_closed_walks_of_length_three():
    triangles, bipartite = circulant(8, (1, 2)), circulant(8, (1, 3))
    everyone = np.ones(8, dtype=bool)
    # Steps 1, 1, -2 and 2, -1, -1 in every order: 6 closed walks from each of 8 vertices.
    cycles = ask(walk_length=3, walk_type="cycle")
    assert value(Example(triangles), cycles, everyone) == 48
    assert value(Example(bipartite), cycles, everyone) == 0
    for walk_length in range(5):  # 4-regular: everything that source walks see is equal
        for g in (triangles, bipartite):
            walked = vertex_values(g, ask(walk_length=walk_length), everyone)
            assert walked.tolist() == [4.0**walk_length] * 8


def test_boosting_adds_scaled_leaves_to_each_output():
    stump = [a_split(0, ask(), 2.0, left=1, right=2), a_leaf(1, -1.0), a_leaf(2, 3.0)]
    rows = [row | {"tree": 0, "output": 0} for row in stump]
    rows += [row | {"tree": 1, "output": 1} for row in stump]
    rows += [a_leaf(0, 8.0) | {"tree": 2, "output": 0}]
    frame = a_table(*rows)
    examples = [Example(a_graph([1.0])), Example(a_graph([1.0, 2.0]))]
    leaf = leaves(frame, examples)
    assert leaf.tolist() == [[1, 1, 0], [2, 2, 0]]
    said = decision(frame, leaf, init=[10.0, 20.0], learning_rate=0.5)
    assert said.tolist() == [[13.5, 19.5], [15.5, 21.5]]
