"""The enumerating search and the growth of trees, on cases worked out on paper."""

import numpy as np
import pytest

from oracles import (
    Example,
    Impurity,
    Limits,
    Newton,
    Offer,
    best_split,
    every_split,
    grow,
    squared_error,
)
from oracles.by_hand import a_graph, crossed_graphs
from oracles.search import Node, Subset, questions_at, whole_graphs

NAN = np.nan
PLAIN = Offer(2, max_walk_length=0, max_ancestor_distance=0, aggregators=("sum",))
ONE_EACH = np.ones(3)
NO_LIMITS = Limits()


def lone_vertices(*values: float) -> list[Example]:
    """One graph of one vertex for each value: φ is the value itself."""
    return [Example(a_graph([value])) for value in values]


def root_of(examples: list[Example]) -> Node:
    graphs = {example.graph for example in examples}
    return Node(0, 0, np.arange(len(examples)), (whole_graphs(0, graphs),))


def splits_of(examples, criterion, offer=PLAIN, limits=NO_LIMITS) -> list:
    return list(every_split(root_of(examples), examples, offer, criterion, limits))


@pytest.mark.parametrize(
    ("criterion", "gains"),
    [
        (squared_error([0, 0, 6], ONE_EACH), [6.0, 24.0]),
        (Newton(np.array([0, 0, -6.0]), ONE_EACH, ONE_EACH, l2=1.0), [3.0, 9.0]),
        (Impurity(np.array([0, 0, 1]), 2, ONE_EACH), [1 / 3, 4 / 3]),
        (Impurity(np.array([0, 0, 1]), 2, np.array([2.0, 1, 1])), [0.5, 1.5]),
        (Impurity(np.array([0, 0, 1]), 2, ONE_EACH, "entropy"), [0.7548875, 2.7548875]),
    ],
)
def test_gains_are_the_ones_on_paper(criterion, gains):
    splits = splits_of(lone_vertices(0, 1, 3), criterion)
    assert [split.threshold for split in splits] == [0.5, 2.0]
    assert [split.gain for split in splits] == pytest.approx(gains)


def test_leaves_say_newton_steps_means_and_shares():
    rows = np.array([1, 2])
    assert squared_error([0, 0, 6], [1, 1, 2]).value(rows).tolist() == [4.0]
    newton = Newton(np.array([9.0, 1, -6]), ONE_EACH, ONE_EACH, l2=0.5)
    assert newton.value(rows).tolist() == [2.0]
    shares = Impurity(np.array([0, 0, 1]), 3, np.array([1.0, 1, 3])).value(rows)
    assert shares.tolist() == [0.25, 0.75, 0.0]


@pytest.mark.parametrize(
    ("y", "side", "gain"), [([0, 6, 6], "right", 24.0), ([0, 6, 0], "left", 24.0)]
)
def test_missing_goes_where_the_gain_is_larger(y, side, gain):
    (split,) = splits_of(lone_vertices(0, 1, NAN), squared_error(y, ONE_EACH))
    assert (split.missing_goes, split.gain) == (side, pytest.approx(gain))


def test_missing_goes_to_the_heavier_side_where_nothing_else_decides():
    (split,) = splits_of(lone_vertices(0, 1, 1), squared_error([0, 6, 6], ONE_EACH))
    assert split.missing_goes == "right"
    (split,) = splits_of(lone_vertices(0, 1, 1), squared_error([0, 6, 6], [3, 1, 1]))
    assert split.missing_goes == "left"


def test_missing_fills_a_side_that_would_be_too_small():
    examples, criterion = lone_vertices(0, 1, 1, NAN), squared_error([0, 6, 6, 6], np.ones(4))
    (split,) = splits_of(examples, criterion)
    assert split.missing_goes == "right"
    (split,) = splits_of(examples, criterion, limits=Limits(min_samples_leaf=2))
    assert split.missing_goes == "left"
    assert not splits_of(examples, criterion, limits=Limits(min_samples_leaf=3))


def test_being_missing_is_no_threshold_of_its_own():
    assert not splits_of(lone_vertices(1, 1, NAN), squared_error([0, 0, 6], ONE_EACH))


@pytest.mark.parametrize(("for_vertices", "at_root", "below"), [(False, 40, 200), (True, 10, 30)])
def test_each_distinct_question_is_offered_once(for_vertices, at_root, below):
    # Whole graph: lengths 0, 1, 2 have 1 + 2 + 2 walk types. Each subset of the parent: graphs
    # have 2 + 4 + 4, vertices 1 + 2 + 2. Two features; four aggregators for graphs.
    offer = Offer(2, max_walk_length=2, max_ancestor_distance=1)
    graphs = [a_graph([0.0])]
    root = Node(0, 0, np.arange(1), (whole_graphs(0, graphs),))
    child = root._replace(
        number=1,
        subsets=(whole_graphs(1, graphs), *(Subset(0, 1, s, {graphs[0]: None}) for s in "+-")),
    )
    assert len(questions_at(root, offer, for_vertices)) == at_root
    assert len(questions_at(child, offer, for_vertices)) == below
    assert len(questions_at(child, Offer(2, 2, 0), for_vertices)) == at_root


def test_equal_gains_go_to_the_simplest_question():
    examples = [Example(a_graph([[x, x], [x, x]], [(0, 1)])) for x in (1.0, 2.0)]
    offer = Offer(3, operators=("adjacency", "mean"))
    splits = splits_of(examples, squared_error([0, 1], np.ones(2)), offer)
    # Lengths 0, 1, 2; one operator or two; closed walks at length 2; two features.
    assert len(splits) == (1 + 2 + 2 * 2) * 4 * 2
    best = best_split(splits, offer)
    assert best is not None
    assert (best.question.walk_length, best.question.aggregator, best.question.feature) == (
        0,
        "sum",
        0,
    )
    assert (best.threshold, best.question.walk_type) == (3.0, "source")


def test_growth_is_best_first():
    examples, criterion = lone_vertices(0, 1, 2, 3), squared_error([0, 1, 10, 20], np.ones(4))
    tree = grow(examples, criterion, PLAIN, Limits(max_leaf_nodes=3))
    assert tree["feature_index"].tolist() == [0, -1, 0, -1, -1]
    assert tree["threshold"].iloc[[0, 2]].tolist() == [1.5, 2.5]
    assert tree["gain"].iloc[[0, 2]].tolist() == [210.25, 50.0]
    assert tree["value"].tolist() == [7.75, 0.5, 15.0, 10.0, 20.0]
    assert tree["n_samples"].tolist() == [4, 2, 2, 1, 1]
    assert tree["depth"].tolist() == [0, 1, 1, 2, 2]


@pytest.mark.parametrize(
    ("limits", "n_nodes"),
    [
        (Limits(), 7),
        (Limits(max_depth=1), 3),
        (Limits(min_gain=1.0), 5),
        (Limits(min_gain=300.0), 1),
        (Limits(min_samples_leaf=2), 3),
    ],
)
def test_growth_stops_at_its_limits(limits, n_nodes):
    criterion = squared_error([0, 1, 10, 20], np.ones(4))
    assert len(grow(lone_vertices(0, 1, 2, 3), criterion, PLAIN, limits)) == n_nodes


def test_a_third_class_leads_training_to_separate_the_crossed_graphs():
    along, across = crossed_graphs()
    westward = a_graph([(-1, 1), (-1, -1), (-1, 1), (-1, -1)])
    examples = [Example(along), Example(across), Example(westward)]
    criterion = Impurity(np.array([0, 1, 2]), 3, ONE_EACH)
    tree = grow(examples, criterion, Offer(3, max_ancestor_distance=1), Limits())
    root, below = tree.loc[0], tree.loc[2]
    assert (root["feature_index"], root["aggregator"], root["threshold"]) == (0, "sum", -2.0)
    assert (below["pointer"], below["walk_length"], below["feature_index"]) == (0, 1, 1)
    assert tree["gain"].iloc[[0, 2]].tolist() == pytest.approx([1.0, 1.0])
    assert [row for row in tree["value"] if 1.0 in row] == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    # Without subsets the two stay together.
    assert len(grow(examples, criterion, Offer(3, max_ancestor_distance=0), Limits())) == 3
