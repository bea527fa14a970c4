"""The check of a fitted tree: it accepts what enumeration grows and refuses what was tampered."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from strategies import (
    busy_graphs,
    classes,
    limits_of_growth,
    questions_on_offer,
    sample_weights,
    targets,
)

from oracles import (
    Example,
    Impurity,
    Limits,
    Offer,
    TooCloseError,
    check_tree,
    dense,
    grow,
    squared_error,
)
from oracles.by_hand import a_graph

LIMITS = Limits(max_leaf_nodes=3)
OFFER = Offer(2, max_walk_length=0, max_ancestor_distance=1)
CRITERION = squared_error([0, 1, 10, 20], [1, 2, 1, 1])


def examples() -> list[Example]:
    return [Example(a_graph([x])) for x in (0.0, 1.0, 2.0, 3.0)]


def a_fitted_tree():
    """0: x ≤ 1.5 → leaf 1, else 2: x ≤ 2.5 → leaves 3 and 4."""
    return grow(examples(), CRITERION, OFFER, LIMITS)


def test_a_tree_grown_by_enumeration_passes():
    assert check_tree(a_fitted_tree(), examples(), CRITERION, OFFER, LIMITS) == []


@pytest.mark.parametrize(
    ("node", "column", "cell", "words"),
    [
        (1, "n_samples", 3, "3"),
        (3, "value", 11.0, "node 3"),
        (0, "gain", 200.0, "of this very split"),
        (0, "threshold", 0.5, "1.0 left, 4.0 right"),
        (0, "threshold", 1.75, "not midway"),
        (0, "missing_goes", "right", "missing right"),
        (0, "walk_type", "cycle", "cycle"),
        (0, "aggregator", "mean", "is simpler"),
        (0, "operator", "mean", "mean"),
        (2, "walk_length", 1, "not on offer"),
        (2, "feature_index", 1, "no value above"),
        (2, "depth", 2, "depth"),
    ],
)
def test_a_changed_cell_is_noticed(node, column, cell, words):
    tree = a_fitted_tree().astype({"value": object})
    tree.loc[node, column] = cell
    with pytest.raises(AssertionError, match=words):
        check_tree(tree, examples(), CRITERION, OFFER, LIMITS)


def test_a_worse_threshold_is_noticed_even_with_its_own_gain():
    offer, limits = OFFER, Limits(max_leaf_nodes=2)
    tree = grow(examples(), CRITERION, offer, limits)
    left, right = np.array([0, 1, 2]), np.array([3])
    tree.loc[0, ["threshold", "gain"]] = [2.5, CRITERION.gain(left, right)]
    tree.loc[1, ["n_samples", "value"]] = [3, CRITERION.value(left)[0]]
    tree.loc[2, ["n_samples", "value"]] = [1, CRITERION.value(right)[0]]
    with pytest.raises(AssertionError, match="of the best split"):
        check_tree(tree, examples(), CRITERION, offer, limits)


def test_a_leaf_with_something_to_gain_is_noticed():
    tree = grow(examples(), CRITERION, OFFER, Limits(max_leaf_nodes=2))
    with pytest.raises(AssertionError, match="had something to gain"):
        check_tree(tree, examples(), CRITERION, OFFER, LIMITS)
    check_tree(tree, examples(), CRITERION, OFFER, Limits(max_depth=1))
    check_tree(tree, examples(), CRITERION, OFFER, Limits(min_gain=60.0))


def test_splitting_the_smaller_gain_first_is_noticed():
    tree = grow(examples(), CRITERION, OFFER, Limits())  # nodes 3, 4 below 2; 5, 6 below 1
    kept = tree.drop(index=[3, 4]).reset_index(drop=True)
    kept.loc[2, ["feature_index", "left", "right"]] = -1
    kept["node"] = range(5)
    kept.loc[1, ["left", "right"]] = [3, 4]
    with pytest.raises(AssertionError, match="leaf 2 would have gained 50"):
        check_tree(kept, examples(), CRITERION, OFFER, LIMITS)


@settings(max_examples=40, deadline=None)
@given(data=st.data(), graphs=busy_graphs(), about_vertices=st.booleans())
def test_whatever_enumeration_grows_passes(data, graphs, about_vertices):
    told = [Example(dense(graph)) for graph in graphs]
    if about_vertices:
        told = [Example(e.graph, i) for e in told for i in range(e.graph.n_vertices)][:12]
    if not told:
        return
    n = len(told)
    offer = Offer(told[0].graph.features.shape[1], **data.draw(questions_on_offer()))
    limits = Limits(**data.draw(limits_of_growth()))
    drawn = data.draw(sample_weights(n))
    weight = np.ones(n) if drawn is None else drawn
    if data.draw(st.booleans()):
        criterion = squared_error(data.draw(targets(n)), weight)
    else:
        measure = data.draw(st.sampled_from(("gini", "entropy")))
        criterion = Impurity(data.draw(classes(n, 3)), 3, weight, measure)
    try:
        tree = grow(told, criterion, offer, limits)
    except TooCloseError:
        reject()
    assert check_tree(tree, told, criterion, offer, limits, strict_ties=True) == []
