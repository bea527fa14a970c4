"""From a model and examples to explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._threads import Workers
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.counting import METHODS, Counted, count
from graphtrees.explain.explanation import Explanation
from graphtrees.explain.graph_effects import GraphEffects, graph_effects
from graphtrees.explain.path import Tracer
from graphtrees.explain.sentences import Goal
from graphtrees.graphs import Graph
from graphtrees.graphs.labels import plain
from graphtrees.questions.text import signed
from graphtrees.validation.models import fitted_trees, workers_of


def explain(model: Any, example: Any, class_: Any = None, method: str = METHODS[0]) -> Explanation:
    """Explain what a fitted model says about one example; see `explain_many` for several.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    example : Graph, or Graphs, Vertices, Edges or table of length 1
    class_ : label, optional
        The class to explain; default: the predicted one. For a regressor with several outputs,
        the number of the output (default 0).
    method : {"attribution", "paper"}, default="attribution"
        What importances go by: the size of what vertices and edges add to the prediction, or the
        paper's ranking by how many of the subsets on the way hold them.
    """
    explanations = explain_many(model, example, class_, method)
    if len(explanations) != 1:
        raise ValueError(
            "explain takes one example, such as graphs[0] or g.vertices[5]; got "
            f"{len(explanations)}. For several see graphtrees.explain_many."
        )
    return explanations[0]


def explain_many(
    model: Any, X: Any, class_: Any = None, method: str = METHODS[0]
) -> list[Explanation]:
    """Explain what a fitted model says about each example, all at once and fast.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    X : Graphs, Vertices, Edges, list of Graph, or table
        As in `predict`.
    class_ : label, optional
        The class to explain for all; default: the predicted one of each.
    method : {"attribution", "paper"}, default="attribution"
        What importances go by: the size of what vertices and edges add to the prediction, or the
        paper's ranking by how many of the subsets on the way hold them.

    Returns
    -------
    list of Explanation
        One for each example.

    Examples
    --------
    >>> import graphtrees as gt
    >>> from graphtrees.explain import explain_many
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=10, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    >>> explanations = explain_many(model, data.X)
    >>> len(explanations), round(float(explanations[0].vertex_importance.sum()), 9)
    (60, 1.0)
    """
    fitted = fitted_trees(model)
    with workers_of(model) as workers:
        return explain_trees(fitted, X, class_, workers, method)


def explain_trees(
    fitted: FittedTrees, X: Any, class_: Any, workers: Workers, method: str = METHODS[0]
) -> list[Explanation]:
    """Explanations of what fitted trees say about each example."""
    counted = count(fitted, X, class_, workers, method)
    examples, target = counted.examples, counted.target
    tracer = Tracer(fitted, counted.graphs, examples.flat)
    effects = graph_effects(fitted, examples, target, counted.attributed.leaves)
    graphs = {int(g): examples.owner[int(g)] for g in np.unique(examples.graph_of)}
    explanations = []
    for e in range(examples.n):
        graph, place = int(examples.graph_of[e]), int(examples.vertex_of[e])
        label = None if target.labels is None else plain(target.labels[e])
        explanations.append(
            Explanation(
                graph=graphs[graph],
                vertex=place if examples.kind == "vertices" else None,
                edge=place if examples.kind == "edges" else None,
                prediction=plain(target.predictions[e]),
                class_=label,
                score=float(target.scores[e]),
                contributions=counted.contributions[e],
                method=method,
                **_shares(counted, e, graphs[graph]),
                **_of_graph(effects, e, counted, graphs[graph]),
                _tracer=tracer,
                _place=(graph, place, int(target.output[e]), float(target.sign[e])),
                _goal=Goal(label, label is not None, fitted.is_boosted),
                _start=_start_sentence(fitted, counted, e, label),
            )
        )
    return explanations


def _start_sentence(fitted: FittedTrees, counted: Counted, example: int, label: Any) -> str | None:
    """What a model that the trees start from says; None where they start from constants."""
    if fitted.start is None:
        return None
    target = counted.target
    says = target.sign[example] * counted.begin[example, target.output[example]]
    name = "the prediction" if label is None else f"class {label!r}"
    return f"start: {fitted.start.text} puts {name} at {signed(float(says))}"


def _shares(counted: Counted, example: int, graph: Graph) -> dict[str, Any]:
    """Importances and attributions of one example, by the names that an explanation has."""
    vertices = slice(*counted.vertex_ptr[example : example + 2])
    edges = slice(*counted.edge_ptr[example : example + 2])
    attributed = counted.attributed
    held: dict[str, Any] = {
        "vertex_importance": counted.vertex[vertices],
        "edge_importance": counted.edge[edges],
        "vertex_attribution": attributed.vertex[vertices],
        "edge_attribution": attributed.edge[edges],
        "absence": float(attributed.absence[example]),
        "walk_length_zero": float(attributed.no_walk[example]),
        "start": float(attributed.start[example]),
        "raw_score": float(attributed.raw[example]),
    }
    if counted.examples.kind != "edges":
        if not len(counted.graphs.edges.entry_edges):  # nothing to walk along
            held["walk_length_zero"] = float(attributed.vertex[vertices].sum())
        return held
    # The vertices of the line graph are the edges; a vertex has half of each edge at it.
    for kind in ("importance", "attribution"):
        held[f"edge_{kind}"] = held[f"vertex_{kind}"]
        held[f"vertex_{kind}"] = _halves(held[f"edge_{kind}"], graph)
    return held


def _of_graph(
    effects: GraphEffects, example: int, counted: Counted, graph: Graph
) -> dict[str, Any]:
    """What graph features add to one example, and where attributions have put it."""
    if not effects.names:
        return {}
    examples = counted.examples
    n = graph.n_edges if examples.kind == "edges" else graph.n_vertices
    asked, amount = int(examples.vertex_of[example]), float(effects.on_vertices[example])
    put = np.full(n, amount / max(1, n))
    if asked >= 0:  # questions were asked of this one alone
        put[:] = 0.0
        put[asked] = amount
    of_edges = examples.kind == "edges"
    return {
        "graph_attribution": effects.of(example),
        "_on_vertices": _halves(put, graph) if of_edges else put,
        "_on_edges": put if of_edges else np.zeros(graph.n_edges),
        "_on_absence": effects.on_absence(example),
    }


def _halves(edges: np.ndarray, graph: Graph) -> np.ndarray:
    return np.bincount(graph.edge_index.ravel(), np.tile(edges / 2, 2), minlength=graph.n_vertices)
