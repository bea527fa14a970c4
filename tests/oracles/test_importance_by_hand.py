"""Importance of vertices and edges, counted on paper."""

import numpy as np
import pytest

from oracles import Example, edge_importance, vertex_importance
from oracles.by_hand import a_graph, a_leaf, a_path, a_split, a_table, ask, crossed_graphs, subset
from oracles.importance import ranks, used_edges
from oracles.replay import Step


def test_equal_counts_share_the_smaller_rank():
    assert ranks(np.array([2, 5, 2, 0, 5])).tolist() == [3, 1, 3, 5, 1]


def two_questions(pointer: int, value: float = 1.0):
    """The sum of f_1 and then of f_2 along two steps; both go right."""
    sign = "+" if pointer == 0 else None
    asked = ask(1, 2, pointer=pointer, sign=sign, walk_type="target_source")
    return [
        a_split(0, ask(), -2.0, left=1, right=2),
        a_leaf(1, 9.0),
        a_split(2, asked, -9.0, left=3, right=4),
        a_leaf(3, 9.0),
        a_leaf(4, value),
    ]


def test_vertices_count_by_the_subsets_that_hold_them():
    along, _ = crossed_graphs()
    # n = (2, 2, 1, 1), r = (1, 1, 3, 3)
    got = vertex_importance(a_table(*two_questions(pointer=0)), Example(along))
    assert got.tolist() == pytest.approx([0.4, 0.4, 0.1, 0.1])
    got = vertex_importance(a_table(*two_questions(pointer=2)), Example(along))
    assert got.tolist() == [0.25, 0.25, 0.25, 0.25]


def test_trees_count_by_the_size_of_what_they_add():
    along, _ = crossed_graphs()
    first = [row | {"tree": 0} for row in two_questions(0, value=-3.0)]
    second = [row | {"tree": 1, "output": 1} for row in two_questions(2, value=1.0)]
    frame = a_table(*first, *second)
    # 3 · (1/2, 1/2, 1/8, 1/8) + 1 · (1/2, 1/2, 1/2, 1/2) = (2, 2, 7/8, 7/8)
    got = vertex_importance(frame, Example(along))
    assert got.tolist() == pytest.approx([2 / 5.75, 2 / 5.75, 0.875 / 5.75, 0.875 / 5.75])
    assert vertex_importance(frame, Example(along), output=1).tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("walk_type", "walk_length", "vertex", "used"),
    [
        ("source", 0, None, set()),
        ("source", 1, None, {0}),
        ("source", 2, None, {0, 1}),
        ("source", 2, 2, {0, 1}),
        ("source", 2, 0, {0}),
        ("source", 2, 1, set()),
        ("cycle", 1, None, set()),
        ("cycle", 2, None, {0}),
        ("target", 2, None, {0, 1}),
        ("target_source", 2, None, {0}),
    ],
)
def test_a_question_uses_the_edges_of_the_walks_it_keeps(walk_type, walk_length, vertex, used):
    question = ask(walk_length=walk_length, walk_type=walk_type)
    step = Step(0, question, subset(3, 0), 0.0, {}, 1)
    assert used_edges(step, Example(a_path(), vertex)) == used


@pytest.mark.parametrize(
    ("operator", "start", "used"),
    [
        ("adjacency", 0, {0}),
        ("mean", 1, {1}),
        ("adjacency", 2, set()),
        ("reverse", 0, set()),
        ("reverse", 2, {1}),
    ],
)
def test_directed_edges_are_used_in_the_direction_of_the_operator(operator, start, used):
    g = a_graph([0, 0, 0], [(0, 1), (1, 2)], directed=True)
    step = Step(0, ask(walk_length=1, operator=operator), subset(3, start), 0.0, {}, 1)
    assert used_edges(step, Example(g)) == used


def test_edges_count_by_the_questions_that_use_them():
    # max f > 5 makes S+ = {1, 2}; then walks of one step that end in S+ and start in S+.
    rows = [
        a_split(0, ask(aggregator="max"), 5.0, left=1, right=2),
        a_leaf(1, 9.0),
        a_split(2, ask(0, 1, sign="+", walk_type="target_source"), -9.0, left=3, right=4),
        a_leaf(3, 9.0),
        a_leaf(4, 2.0),
    ]
    example = Example(a_path())
    # counts (0, 1), ranks (2, 1), 2^-rank (1/4, 1/2)
    assert edge_importance(a_table(*rows), example).tolist() == pytest.approx([1 / 3, 2 / 3])
    assert vertex_importance(a_table(*rows), example).tolist() == pytest.approx(
        [0.125 / 1.125, 0.5 / 1.125, 0.5 / 1.125]
    )


def test_nothing_said_and_nothing_there_still_make_sense():
    silent = a_table(a_leaf(0, 0.0))
    assert vertex_importance(silent, Example(a_path())).tolist() == pytest.approx([1 / 3] * 3)
    assert edge_importance(silent, Example(a_graph([1.0]))).tolist() == []
