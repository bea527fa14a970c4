"""From a model and examples to explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.candidates.words import Nouns
from graphtrees.explain.counting import Counted, count
from graphtrees.explain.explanation import Explanation
from graphtrees.explain.path import Tracer
from graphtrees.explain.sentences import Goal
from graphtrees.graphs import Graph
from graphtrees.graphs.labels import plain


def explain(model: Any, example: Any, class_: Any = None) -> Explanation:
    """Explain what a fitted model says about one example; see `explain_many` for several.

    Parameters
    ----------
    model : fitted estimator
    example : Graph, or Graphs, Vertices, Edges or table of length 1
    class_ : label, optional
        The class to explain; default: the predicted one. For a regressor with several outputs,
        the number of the output (default 0).
    """
    found = explain_many(model, example, class_)
    if len(found) != 1:
        raise ValueError(
            f"explain takes one example, such as graphs[0] or g.vertices[5]; got {len(found)}. "
            "For several see graphtrees.explain_many."
        )
    return found[0]


def explain_many(model: Any, X: Any, class_: Any = None) -> list[Explanation]:
    """Explain what a fitted model says about each example, all at once and fast.

    Parameters
    ----------
    model : fitted estimator
    X : Graphs, Vertices, Edges, list of Graph, or table
        As in `predict`.
    class_ : label, optional
        The class to explain for all; default: the predicted one of each.

    Examples
    --------
    >>> import graphtrees as gt
    >>> from graphtrees.explain import explain_many
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=10, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    >>> found = explain_many(model, data.X)
    >>> len(found), round(float(found[0].vertex_importance.sum()), 9)
    (60, 1.0)
    """
    counted = count(model, X, class_)
    return _hold(model, counted)


def _hold(model: Any, counted: Counted) -> list[Explanation]:
    examples, target = counted.examples, counted.target
    of_edges = examples.kind == "edges"
    flat = examples.owner.flat
    tracer = Tracer(
        counted.model,
        counted.graphs,
        model._table,
        model._space.operators,
        Nouns.of(examples.kind, flat.directed, flat.edge_weights is not None),
        knows_edges=not of_edges,
    )
    graphs = {int(g): examples.owner[int(g)] for g in np.unique(examples.graph_of)}
    found = []
    for e in range(examples.n):
        graph, place = int(examples.graph_of[e]), int(examples.vertex_of[e])
        label = None if target.labels is None else plain(target.labels[e])
        vertices, edges = _importances(counted, e, graphs[graph])
        found.append(
            Explanation(
                graph=graphs[graph],
                vertex=place if examples.kind == "vertices" else None,
                edge=place if of_edges else None,
                prediction=plain(target.predictions[e]),
                class_=label,
                score=float(target.scores[e]),
                vertex_importance=vertices,
                edge_importance=edges,
                contributions=counted.contributions[e],
                _tracer=tracer,
                _place=(graph, place, int(target.output[e]), float(target.sign[e])),
                _goal=Goal(label, label is not None, hasattr(model, "init_")),
            )
        )
    return found


def _importances(counted: Counted, example: int, graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    if counted.examples.kind != "edges":
        return counted.vertex_importance(example), counted.edge_importance(example)
    # The vertices of the line graph are the edges; a vertex has half of each edge at it.
    edges = counted.vertex_importance(example)
    ends = graph.edge_index.ravel()
    halves = np.bincount(ends, np.tile(edges / 2, 2), minlength=graph.n_vertices)
    return halves, edges
