"""Questions, subsets and comparisons as people say them."""

import numpy as np
import pandas as pd
import pytest

import graphtrees as gt
from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    IN_MINUS,
    IN_PLUS,
    NO_AGGREGATOR,
    SOURCE,
    TARGET,
    TARGET_SOURCE,
)
from graphtrees.questions.text import Nouns, QuestionText, compared, number

SUM, MEAN, MIN, MAX = range(len(AGGREGATORS))
S = "S+ of node 0"


def ask(
    feature="charge",
    category=None,
    operator="adjacency",
    length=0,
    walk_type=SOURCE,
    aggregator=SUM,
    constant=False,
    **nouns,
):
    nouns = Nouns.of(nouns.pop("kind", "graphs"), **nouns)
    return QuestionText(feature, category, operator, length, walk_type, aggregator, nouns, constant)


def count(**given):
    return ask("1", constant=True, **given)


def atoms(**given):
    return ask("atom", "O", **given)


@pytest.mark.parametrize(
    ("asked", "subset", "words"),
    [
        (ask(), None, "total charge"),
        (ask(aggregator=MAX, walk_type=TARGET), S, f"largest charge over {S}"),
        (ask(aggregator=MEAN), S, f"mean charge, with 0 outside {S}"),
        (count(), None, "number of vertices"),
        (count(walk_type=TARGET), S, f"number of vertices among {S}"),
        (count(aggregator=MEAN), S, f"share of all vertices that are among {S}"),
        (atoms(), None, "number of vertices with atom = O"),
        (atoms(), S, f"number of vertices with atom = O among {S}"),
        (atoms(aggregator=MEAN), None, "share of vertices with atom = O"),
        (atoms(aggregator=MEAN, walk_type=TARGET), S, f"share with atom = O of {S}"),
        (atoms(aggregator=MAX), None, "whether any vertices have atom = O"),
        (
            atoms(aggregator=MIN, walk_type=CYCLE),
            S,
            f"whether all vertices among {S} have atom = O",
        ),
        (count(length=1, aggregator=MAX), None, "largest number of neighbours"),
        (count(length=1, aggregator=MAX), S, f"largest number of neighbours among {S}"),
        (
            atoms(length=1, aggregator=MEAN, walk_type=TARGET),
            S,
            f"mean number of neighbours with atom = O, over {S}",
        ),
        (
            ask(length=1, aggregator=MIN, walk_type=TARGET_SOURCE),
            S,
            f"smallest sum of charge over neighbours within {S}",
        ),
        (count(length=2), S, f"total number of 2-step walks to {S}"),
        (
            count(length=2, walk_type=TARGET_SOURCE),
            S,
            f"total number of 2-step walks between vertices of {S}",
        ),
        (count(length=3, walk_type=CYCLE), None, "total number of closed 3-step walks"),
        (
            ask(length=3, walk_type=CYCLE, aggregator=MAX),
            S,
            f"largest charge × number of closed 3-step walks, over {S}",
        ),
        (
            atoms(length=1, operator="mean", aggregator=MAX),
            None,
            "largest share of neighbours with atom = O",
        ),
        (
            ask(length=1, operator="double bond"),
            None,
            "total sum of charge over neighbours along double bond",
        ),
    ],
)
def test_a_question_about_a_graph(asked, subset, words):
    assert asked.phrase(subset) == words


@pytest.mark.parametrize(
    ("asked", "subset", "words"),
    [
        (ask(), None, "charge"),
        (ask(), S, f"charge if among {S}, else 0"),
        (atoms(), None, "whether atom = O"),
        (atoms(), S, f"whether atom = O and it is among {S}"),
        (count(), S, f"whether it is among {S}"),
        (count(length=1, directed=True), None, "number of in-neighbours"),
        (count(length=1, directed=True, operator="reverse"), None, "number of out-neighbours"),
        (atoms(length=2), S, f"number of 2-step walks to vertices with atom = O among {S}"),
        (
            ask(length=2, directed=True),
            S,
            f"sum of charge over 2-step walks from {S}",
        ),
        (ask(length=1, weighted=True), None, "weighted sum of charge over neighbours"),
        (count(length=1, kind="edges"), None, "number of adjoining edges"),
        (
            count(length=3, walk_type=CYCLE),
            S,
            f"number of closed 3-step walks if among {S}, else 0",
        ),
    ],
)
def test_a_question_about_a_vertex(asked, subset, words):
    from dataclasses import replace

    assert replace(asked, aggregator=NO_AGGREGATOR).phrase(subset) == words


@pytest.mark.parametrize(
    ("asked", "used", "threshold", "plus", "minus"),
    [
        (ask(), None, 0.5, "the vertices with charge > 0.5", "the vertices with charge ≤ 0.5"),
        (atoms(), None, 0.1, "the vertices with atom = O", "the vertices without atom = O"),
        (
            atoms(),
            None,
            1.5,
            "the vertices with [atom = O] > 1.5",
            "the vertices with [atom = O] ≤ 1.5",
        ),
        (
            count(length=1),
            S,
            2.5,
            f"the vertices of {S} with number of neighbours among them > 2.5",
            f"the vertices of {S} with number of neighbours among them ≤ 2.5",
        ),
    ],
)
def test_a_subset_is_described_by_the_question_that_made_it(asked, used, threshold, plus, minus):
    assert asked.new_subset(IN_PLUS, used, threshold) == plus
    assert asked.new_subset(IN_MINUS, used, threshold) == minus


def test_a_subset_says_that_missing_values_joined_it():
    assert ask().new_subset(IN_PLUS, None, 0.5, or_missing=True).endswith("> 0.5 or missing")


@pytest.mark.parametrize("seed", range(20))
def test_a_comparison_is_true_as_it_is_written(seed):
    rng = np.random.default_rng(seed)
    value = float(np.float32(rng.normal() * 10.0 ** rng.integers(-6, 7)))
    for threshold in (value, np.nextafter(value, 9e9), value * (1 - 1e-9), value + 1.0):
        left, relation, right = compared(value, float(threshold)).split()
        assert (float(left) > float(right)) == (relation == ">") == (value > threshold)


def test_whole_numbers_have_no_decimals():
    assert [number(v) for v in (3.0, -2.0, 0.5, 1e20, np.inf)] == ["3", "-2", "0.5", "1e+20", "inf"]


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("double", "sum of charge over neighbours along double"),
        ("mean:double", "mean of charge over neighbours along double"),
        ("reverse:cites", "sum of charge over out-neighbours along cites"),
    ],
)
def test_relations_are_walked_along(operator, words):
    asked = ask(length=1, operator=operator, directed=operator.startswith("reverse"))
    assert asked.at_vertex(None) == words


def test_a_vertex_that_went_into_a_subset_is_not_asked_whether_it_is_there():
    """Whoever goes left at a node is in its S-: below, asking about the value is enough."""
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 300, (600, 2))
    graph = gt.Graph(rng.random((300, 2)), edges, feature_names=["age", "wealth"])
    forest = gt.GraphForestRegressor(n_estimators=6, max_leaf_nodes=12, random_state=0)
    forest.fit(graph.vertices, rng.random(300))
    said = {True: 0, False: 0}
    for explanation in gt.explain_many(forest, graph.vertices[::3]):
        for step in (s for k in range(6) for s in explanation.path(k).steps):
            if step.sign is not None:
                told = f"S{step.sign} of node {step.pointer}" in step.question
                said[told] += 1
                assert told or (explanation.vertex in step.used and "else 0" not in step.sentence)
    assert said[True] > 0
    assert said[False] > 0


def test_the_constant_is_never_called_1():
    for aggregator in (SUM, MEAN, MIN, MAX):
        for subset in (None, S):
            for walk_type in (SOURCE, TARGET, CYCLE):
                asked = count(aggregator=aggregator, walk_type=walk_type)
                assert " 1 " not in f" {asked.phrase(subset)} "


@pytest.mark.parametrize(
    ("directed", "way"), [(True, "from in-neighbours"), (False, "to neighbours")]
)
def test_a_number_of_the_edges_is_added_up_not_counted(directed, way):
    """Whoever reads of 72,448 neighbours looks for 72,448 neighbours."""
    rng = np.random.default_rng(0)
    edges = rng.integers(0, 30, (90, 2))
    amount = pd.DataFrame({"amount": rng.lognormal(5, 1, len(edges))})
    graph = gt.Graph(np.ones((30, 0)), edges, directed=directed, edge_features=amount)
    total = np.zeros(30)
    for (u, v), one in zip(edges, amount["amount"], strict=True):
        total[v] += one
        total[u] += 0.0 if directed or u == v else one
    tree = gt.GraphTreeRegressor(
        max_leaf_nodes=3, max_walk_length=1, operators=("relations",), walk_types=("source",)
    ).fit(graph.vertices, total)
    said = [gt.export_text(tree), "\n".join(tree.explain(graph.vertices[0]).rules())]
    for text in said:
        assert f"sum of amount over edges {way}" in text
        assert "number of" not in text


def test_every_text_about_a_directed_graph_names_the_direction():
    rng = np.random.default_rng(1)
    graph = gt.Graph(np.ones((20, 0)), rng.integers(0, 20, (60, 2)), directed=True)
    degree = np.bincount(np.asarray(graph.edge_index)[1], minlength=20)
    tree = gt.GraphTreeRegressor(max_leaf_nodes=3, max_walk_length=1, max_ancestor_distance=0)
    tree.fit(graph.vertices, degree)
    assert "number of in-neighbours" in gt.export_text(tree)
    assert "number of in-neighbours" in "\n".join(tree.explain(graph.vertices[0]).rules())
