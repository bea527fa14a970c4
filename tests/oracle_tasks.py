"""Tasks that a model and the oracle are both given, and what the two must agree on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, Phase, reject, settings
from hypothesis import strategies as st
from oracles import (
    Example,
    Limits,
    Newton,
    Offer,
    Together,
    by_column,
    check_tree,
    decision,
    dense,
    dense_lines,
    leaf_values,
    leaves,
)
from strategies import (
    KINDS,
    OF_RELATIONS,
    OPERATORS,
    busy_graphs,
    limits_of_growth,
    questions_on_offer,
    related_graphs,
    sample_weights,
    some_graphs,
)

import graphtrees as gt

# Graphs that come from a seed do not shrink; trying to takes minutes.
a_few = settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)

# Small, so that no probability comes close to 0 or 1 and leaves a leaf without curvature.
RATE = 0.125

RELATIONS = ("far", "near", "toll")  # of `related_graphs`: two edge types and an edge feature
FORMS = {"relations": "", "reverse_relations": "reverse:", "mean_relations": "mean:"}


class Task(NamedTuple):
    """What a model is fitted on, what it has never seen, and what it may do."""

    X: Any
    examples: list[Example]  # the same, for the oracle
    unseen_X: Any
    unseen: list[Example]
    weight: np.ndarray | None
    asked: dict[str, Any]  # parameters of questions
    grown: dict[str, Any]  # parameters of growth
    max_bins: int | None

    @property
    def parameters(self) -> dict[str, Any]:
        return self.asked | self.grown | {"max_bins": self.max_bins, "random_state": 0}

    @property
    def offer(self) -> Offer:
        known = ("max_walk_length", "max_ancestor_distance", "walk_types", "aggregators")
        asked = {name: self.asked[name] for name in known}
        asked["operators"] = single_operators(self.asked["operators"])
        graph = self.examples[0].graph
        return Offer(graph.features.shape[1], graph_features=graph.of_graph, **asked)

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.examples)) if self.weight is None else self.weight

    def table(self, model) -> pd.DataFrame:
        """The fitted trees, each label a column of its own."""
        return by_column(model.trees_to_dataframe(), self.examples[0].graph.columns)

    def check(self, frame, criterion, **kwargs) -> None:
        """A threshold found by bins may lie anywhere between its neighbours."""
        limits, midway = Limits(**self.grown), self.max_bins is None
        check_tree(frame, self.examples, criterion, self.offer, limits, midway=midway, **kwargs)

    def of_those(self, rows: np.ndarray) -> Task:
        """The same for the oracle with some of the examples; the model has them all."""
        chosen = [self.examples[i] for i in rows]
        return self._replace(examples=chosen, weight=self.weights[rows])


def single_operators(asked: tuple[str, ...]) -> tuple[str, ...]:
    """What the words for many relations stand for."""
    names: list[str] = []
    for name in asked:
        names += [FORMS[name] + one for one in RELATIONS] if name in FORMS else [name]
    return tuple(dict.fromkeys(names))


@st.composite
def tasks(draw, about: str) -> Task:
    """Graphs or their vertices, with numbers as features and plain operators."""
    max_bins = draw(st.sampled_from((None, 255)))
    # Bins are exact where every value is a small whole number; without them every value is.
    whole = max_bins is not None
    graphs = draw(
        busy_graphs(8, 12, whole=True) if whole else busy_graphs(8, 12) | some_graphs(6, 9)
    )
    asked = draw(questions_on_offer(whole=whole))
    asked["add_constant"] = graphs[0].n_features == 0 or draw(st.booleans())
    told = [dense(graph, constant=asked["add_constant"]) for graph in graphs]
    return draw(_task(about, graphs, told, asked, max_bins))


@st.composite
def tasks_with_graph_features(draw, about: str) -> Task:
    """The same, and a number and a category of each graph, some of them missing."""
    max_bins = draw(st.sampled_from((None, 255)))
    graphs = draw(busy_graphs(8, 12, whole=max_bins is not None))
    asked = draw(questions_on_offer(whole=max_bins is not None))
    asked["add_constant"] = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = np.where(rng.random(len(graphs)) < 0.2, np.nan, rng.integers(-3, 4, len(graphs)))
    kind = rng.integers(-1, len(KINDS), len(graphs))
    labels = pd.Categorical.from_codes(kind, categories=list(KINDS))
    table = pd.DataFrame({"size": size, "kind": labels})
    joined = list(gt.Graphs(graphs, graph_features=table))
    categories = {graphs[0].n_features + 1: KINDS}
    told = [dense(graph, asked["add_constant"], categories) for graph in joined]
    return draw(_task(about, joined, told, asked, max_bins))


@st.composite
def related_tasks(draw, about: str) -> Task:
    """Graphs, vertices or edges, with categories, weights of both signs, and relations."""
    max_bins = draw(st.sampled_from((None, 255)))
    whole = max_bins is not None
    graphs = draw(related_graphs(whole=whole))
    # Types and features of edges are features, not relations, where edges are the examples.
    operators = OPERATORS if about == "edges" else (*OPERATORS, *OF_RELATIONS)
    asked = draw(questions_on_offer(whole=whole, operators=operators))
    asked["add_constant"] = draw(st.booleans())
    if about == "edges":
        labels = labels_of_edges(graphs[0])
        told = [dense_lines(graph, labels, asked["add_constant"]) for graph in graphs]
    else:
        told = [dense(graph, asked["add_constant"], {1: KINDS}) for graph in graphs]
    return draw(_task(about, graphs, told, asked, max_bins))


def labels_of_edges(graph: gt.Graph) -> dict[int, tuple[str, ...]]:
    """The categorical features of the edges of `related_graphs`: [weight,] type, toll, ends."""
    first = int(graph.edge_weights is not None)
    ends = (4, 5) if graph.directed else (5, 6)
    return {first: ("far", "near")} | {first + end: KINDS for end in ends}


@st.composite
def _task(draw, about: str, graphs, told, asked, max_bins: int | None) -> Task:
    if about == "graphs":
        X, places = gt.Graphs(graphs), [Example(graph) for graph in told]
    else:
        # The vertices of a line graph are the edges.
        X = getattr(gt.Graphs(graphs), about)
        places = [Example(graph, i) for graph in told for i in range(graph.n_vertices)]
    # The last graph is never seen; of vertices only every other one is labelled.
    n_seen = sum(place.graph is not told[-1] for place in places)
    seen = np.arange(0, n_seen, 1 if about == "graphs" else 2)[:14]
    if len(seen) < 3:
        reject()
    return Task(
        X[seen],
        [places[i] for i in seen],
        X[n_seen:],
        places[n_seen:],
        draw(sample_weights(len(seen))),
        asked,
        draw(limits_of_growth()),
        max_bins,
    )


def assert_replayed(model, frame, task: Task) -> np.ndarray:
    """Leaf for leaf, on what was seen and on what was not; the leaves of what was seen."""
    for X, examples in ((task.X, task.examples), (task.unseen_X, task.unseen)):
        if len(examples):
            got = np.asarray(model.apply(X)).reshape(len(examples), -1)
            np.testing.assert_array_equal(got, leaves(frame, examples))
    return leaves(frame, task.examples)


# From where every example stands to gradients and hessians, (n_examples, n_outputs) each.
Derivatives = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def check_boosting(model, frame, task: Task, derivatives: Derivatives, l2: float = 0.0, **kwargs):
    """Each tree against the gradients that the rounds before it leave."""
    leaf = assert_replayed(model, frame, task)
    init = np.atleast_1d(model.init_).astype(float)
    said = np.tile(init, (len(leaf), 1))
    shared = getattr(model, "multi_strategy", None) == "multi_output_tree" and len(init) > 1
    a_round = 1 if shared else len(init)
    for number, values in enumerate(leaf_values(frame, leaf)):
        tree = frame[frame["tree"] == number]
        if number % a_round == 0:
            slopes, curves = derivatives(said.copy(), task.weights[:, None])
        parts = [
            Newton(slope, curve, task.weights, l2)
            for slope, curve in zip(slopes.T, curves.T, strict=True)
        ]
        if shared:
            task.check(tree, Together(tuple(parts)), **kwargs)
            said += model.learning_rate * values
        else:
            output = number % a_round
            assert (tree["output"] == output).all() or len(init) == 1
            task.check(tree, parts[output], **kwargs)
            said[:, output] += model.learning_rate * values[:, 0]
    replayed = decision(frame, leaf, model.init_, model.learning_rate)
    np.testing.assert_allclose(replayed, said, rtol=1e-12)
    return replayed


def of_squared_error(y: np.ndarray) -> Derivatives:
    targets = y.reshape(len(y), -1)
    return lambda raw, weight: (weight * (raw - targets), weight * np.ones_like(raw))


def of_log_loss(is_class: np.ndarray) -> Derivatives:
    """Each class against the rest, a column each."""

    def derivatives(raw, weight):
        chance = 1.0 / (1.0 + np.exp(-raw))
        return weight * (chance - is_class), weight * chance * (1.0 - chance)

    return derivatives


def of_softmax(is_class: np.ndarray) -> Derivatives:
    """All classes together."""

    def derivatives(raw, weight):
        powers = np.exp(raw)
        chance = powers / powers.sum(axis=1, keepdims=True)
        return weight * (chance - is_class), weight * chance * (1.0 - chance)

    return derivatives
