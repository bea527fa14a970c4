"""How many questions a node searches: linear in everything that may be asked, each one once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import Offer
from oracles.search import Node, Subset, questions_at

import graphtrees as gt
from graphtrees._layout import AGGREGATORS, CYCLE, NO_AGGREGATOR, SOURCE, SUM_OF, WALK_TYPES
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.plan import QuestionSpace, plan_columns

OPERATORS = ("adjacency", "reverse", "mean")


@st.composite
def spaces(draw) -> QuestionSpace:
    of_graphs = draw(st.booleans())
    types = draw(st.sets(st.sampled_from(range(len(WALK_TYPES))), min_size=1))
    aggregators = draw(st.sets(st.sampled_from(range(len(AGGREGATORS))), min_size=1))
    return QuestionSpace(
        max_walk_length=draw(st.integers(0, 4)),
        max_ancestor_distance=draw(st.integers(0, 4)),
        walk_types=tuple(sorted(types)),
        aggregators=tuple(sorted(aggregators)),
        walk_type_probability=1.0,
        operators=OPERATORS[: draw(st.integers(1, 3))],
        of_graphs=of_graphs,
    )


def plans(space: QuestionSpace, cycles: bool = True, missing: bool = True):
    """What one feature is asked about the whole graph, and about each subset."""
    offered = frozenset(space.walk_types)
    return [
        plan_columns(space, offered, subset, lambda *_: cycles, missing) for subset in (False, True)
    ]


def questions(plan) -> list[tuple]:
    fields = (plan.walk_length, plan.operator, plan.walk_type, plan.aggregator)
    return list(zip(*(field.tolist() for field in fields), strict=True))


def bound(space: QuestionSpace) -> int:
    """Walk types x aggregators x (2a + 1) x walk lengths x operators; per feature.

    Plain walks over the whole graph, named `source`, are offered whatever the walk types.
    """
    types = set(space.walk_types) | {SOURCE}
    if not space.of_graphs:
        types &= {SOURCE, CYCLE}
    aggregators = len(space.aggregators) if space.of_graphs else 1
    subsets = 2 * space.max_ancestor_distance + 1
    lengths = space.max_walk_length + 1
    return len(types) * aggregators * subsets * lengths * len(space.operators)


@given(space=spaces(), cycles=st.booleans(), missing=st.booleans())
@settings(max_examples=80, deadline=None)
def test_no_more_questions_than_the_product_of_what_may_be_asked(space, cycles, missing):
    whole, subset = plans(space, cycles, missing)
    assert whole.width + 2 * space.max_ancestor_distance * subset.width <= bound(space)


@given(space=spaces(), cycles=st.booleans(), missing=st.booleans())
@settings(max_examples=80, deadline=None)
def test_every_question_is_asked_once_and_the_simplest_first(space, cycles, missing):
    for plan in plans(space, cycles, missing):
        asked = questions(plan)
        assert len(set(asked)) == len(asked)
        assert asked == sorted(asked)


@given(space=spaces())
@settings(max_examples=80, deadline=None)
def test_the_whole_graph_is_always_asked_about_plainly(space):
    whole, _ = plans(space)
    lengths = {length for length, _, walk_type, _ in questions(whole) if walk_type == SOURCE}
    assert lengths == set(range(space.max_walk_length + 1))


@given(space=spaces())
@settings(max_examples=80, deadline=None)
def test_questions_that_give_the_same_numbers_are_asked_under_one_name(space):
    """On the whole graph only `cycle` differs; without a step, only `source` and one more do."""
    whole, subset = plans(space)
    assert {walk_type for _, _, walk_type, _ in questions(whole)} <= {SOURCE, CYCLE}
    assert all(walk_type == SOURCE for length, _, walk_type, _ in questions(whole) if length == 0)
    for plan in (whole, subset):
        still = [q for q in questions(plan) if q[0] == 0]
        assert {operator for _, operator, _, _ in still} <= {0}
        assert len({walk_type for _, _, walk_type, _ in still}) <= (2 if space.of_graphs else 1)


OF_GRAPHS = np.array([False, False, True])  # two features of vertices, one of whole graphs


def listed_by_the_oracle(space: QuestionSpace) -> list[set[tuple]]:
    """(feature, length, operator, type, aggregator) for the whole graph, and for a subset."""
    offer = Offer(
        len(OF_GRAPHS),
        space.max_walk_length,
        1,
        tuple(WALK_TYPES[t] for t in space.walk_types),
        tuple(AGGREGATORS[a] for a in space.aggregators),
        space.operators,
        graph_features=tuple(np.flatnonzero(OF_GRAPHS).tolist()),
    )
    node = Node(1, 1, np.arange(2), (Subset(1, 0, None, {}), Subset(0, 1, "+", {})))
    found: list[set[tuple]] = [set(), set()]
    for question, subset in questions_at(node, offer, for_vertices=not space.of_graphs).items():
        found[subset.distance].add(
            (question.feature, question.walk_length, question.operator, question.walk_type,
             question.aggregator)
        )  # fmt: skip
    return found


def listed_by_the_engine(space: QuestionSpace, cycles: bool, missing: bool) -> list[list[tuple]]:
    """The same, in the words of the oracle."""
    limits = FeatureLimits(np.full(3, space.max_walk_length), OF_GRAPHS, 0, space.aggregators)
    listed = []
    for on_subset in (False, True):
        plan = plan_columns(
            space, frozenset(space.walk_types), on_subset, lambda *_: cycles, missing, True
        )
        allowed, asked = limits.allowed(plan), questions(plan)
        named = [
            (feature, length, space.operators[operator],
             _name_of_type(walk_type, length, space.of_graphs),
             None if OF_GRAPHS[feature] or aggregator == NO_AGGREGATOR else AGGREGATORS[aggregator])
            for place, (length, operator, walk_type, aggregator) in enumerate(asked)
            for feature in np.flatnonzero(allowed[place]).tolist()
        ]  # fmt: skip
        listed.append(named)
    return listed


def _name_of_type(walk_type: int, length: int, of_graphs: bool) -> str:
    """Without a step all types but `source` are one, and for a vertex `source` is that one too."""
    if length == 0 and walk_type != SOURCE:
        return "cycle" if of_graphs else "source"
    return WALK_TYPES[walk_type]


@given(space=spaces(), cycles=st.booleans(), missing=st.booleans())
@settings(max_examples=120, deadline=None)
def test_the_questions_offered_are_those_that_the_oracle_lists(space, cycles, missing):
    """No fewer, no more, none twice; less those that can only repeat another's numbers."""
    wanted = listed_by_the_oracle(space)
    if not cycles:
        closed = {q for part in wanted for q in part if q[3] == "cycle" and q[1] > 0}
        wanted = [part - closed for part in wanted]
    if not missing and SOURCE in space.walk_types and space.of_graphs:
        # A sum over a subset is the sum over the graph with zeros outside of it.
        total = AGGREGATORS[SUM_OF]
        wanted[1] -= {q for q in wanted[1] if q[1] == 0 and q[3] == "cycle" and q[4] == total}
    for found, expected in zip(listed_by_the_engine(space, cycles, missing), wanted, strict=True):
        assert len(found) == len(expected)
        assert set(found) == expected


@given(space=spaces())
@settings(max_examples=80, deadline=None)
def test_closed_walks_are_not_asked_for_where_there_are_none(space):
    for plan in plans(space, cycles=False):
        assert not any(w == CYCLE and length > 0 for length, _, w, _ in questions(plan))


def test_a_forest_draws_among_as_many_questions_as_it_says():
    """Three vertices in a row: 3 lengths x 4 aggregators of walks, and 4 of closed walks."""
    X = [gt.Graph(np.ones((3, 1)) * k, [(0, 1), (1, 2)]) for k in range(6)]
    model = gt.GraphForestClassifier(
        300, max_features=1, max_leaf_nodes=2, max_ancestor_distance=0, random_state=0, n_jobs=1
    ).fit(X, [0, 1] * 3)
    frame = model.trees_to_dataframe().query("left >= 0")
    columns = ["feature", "walk_length", "walk_type", "aggregator"]
    seen = set(map(tuple, frame[columns].to_numpy()))
    wanted = {
        ("x0", length, walk_type, aggregator)
        for length in range(3)
        for walk_type in (("source", "cycle") if length == 2 else ("source",))
        for aggregator in AGGREGATORS
    }
    assert seen == wanted, "of the constant, these graphs all have the same"


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_no_probability_leaves_the_plain_questions_alone(about):
    rng = np.random.default_rng(0)
    graphs = gt.Graphs(
        gt.Graph(rng.normal(size=(5, 2)), rng.integers(0, 5, (7, 2))) for _ in range(30)
    )
    X = graphs if about == "graphs" else graphs.vertices
    model = gt.GraphTreeRegressor(walk_type_probability=0.0, max_leaf_nodes=12, n_jobs=1)
    frame = model.fit(X, rng.normal(size=len(X))).trees_to_dataframe().query("left >= 0")
    assert set(frame["walk_type"]) == {"source"}
    assert (frame["pointer"] == frame["node"]).all()


@pytest.mark.parametrize("chosen", [("source",), ("cycle",), ("target", "target_source")])
def test_subsets_are_asked_about_in_the_chosen_ways_only(chosen):
    rng = np.random.default_rng(1)
    graphs = [gt.Graph(rng.normal(size=(6, 2)), rng.integers(0, 6, (9, 2))) for _ in range(40)]
    model = gt.GraphTreeRegressor(walk_types=chosen, aggregators=("max",), n_jobs=1)
    frame = model.fit(graphs, rng.normal(size=40)).trees_to_dataframe().query("left >= 0")
    on_subset = frame[frame["pointer"] != frame["node"]]
    assert len(on_subset) > 0
    assert set(on_subset["walk_type"]) <= set(chosen)
    assert set(frame["aggregator"]) == {"max"}
