"""The models whose files are kept, and the examples that they are asked about.

All numbers are small integers by formula, so that neither a random generator nor rounding can
move an example to another leaf.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import graphtrees as gt

N = 12  # graphs, each with three to six vertices


def a_graph(number: int) -> gt.Graph:
    """A directed graph with a number that may be missing, a category, and two types of edges."""
    n_vertices = 3 + number % 4
    vertices = range(n_vertices)
    size = [float((7 * number + 3 * v) % 5) for v in vertices]
    size[0] = np.nan if number % 3 == 0 else size[0]
    kind = pd.Categorical([("red", "green", "blue")[(number + v * v) % 3] for v in vertices])
    edges = [(v, (v * 2 + number) % n_vertices) for v in vertices]
    edges += [(v, v + 1) for v in range(n_vertices - 1)]
    types = [("far", "near")[(number + k) % 2] for k in range(len(edges))]
    features = pd.DataFrame({"size": size, "kind": kind})
    return gt.Graph(features, edges, directed=True, edge_types=types)


def examples(about: str) -> Any:
    """Graphs, and their vertices, edges, or the rows of a table."""
    if about == "rows":
        rows = np.arange(40)
        return np.column_stack([rows % 7, rows * 3 % 5, rows * rows % 11]).astype(float)
    graphs = gt.Graphs([a_graph(number) for number in range(N)])
    return {"graphs": graphs, "vertices": graphs.vertices, "edges": graphs.edges}[about]


def labels(n: int, n_classes: int) -> np.ndarray:
    return np.array(["no", "yes", "perhaps"])[np.arange(n) ** 2 % 7 % n_classes]


def numbers(n: int, n_outputs: int = 1) -> np.ndarray:
    table = np.stack([np.arange(n) * (3 + k) % 8 for k in range(n_outputs)], axis=1)
    return (table[:, 0] if n_outputs == 1 else table).astype(float)


EVERY = ("adjacency", "reverse", "mean", "relations")
SMALL: dict[str, Any] = {"max_leaf_nodes": 5, "random_state": 0, "n_jobs": 1}
FEW = SMALL | {"n_estimators": 3}
BOOSTED = FEW | {"min_samples_leaf": 1, "learning_rate": 0.5}

# Name of the file -> estimator, what is an example, its targets for n examples.
TASKS: dict[str, tuple[Any, str, Any]] = {
    "tree_classifier_graphs": (
        gt.GraphTreeClassifier(operators=EVERY, **SMALL), "graphs", lambda n: labels(n, 3)),
    "tree_regressor_pruned_vertices": (
        gt.GraphTreeRegressor(ccp_alpha=0.05, random_state=0), "vertices", numbers),
    "forest_classifier_edges": (
        gt.GraphForestClassifier(oob_score=True, class_weight={"no": 2.0, "yes": 1.0}, **FEW),
        "edges", lambda n: labels(n, 2)),
    "forest_regressor_two_outputs_vertices": (
        gt.GraphForestRegressor(**FEW), "vertices", lambda n: numbers(n, 2)),
    "boosting_classifier_three_classes_graphs": (
        gt.GraphBoostingClassifier(operators=EVERY, **BOOSTED), "graphs", lambda n: labels(n, 3)),
    "boosting_classifier_shared_tree_rows": (
        gt.GraphBoostingClassifier(multi_strategy="multi_output_tree", **BOOSTED),
        "rows", lambda n: labels(n, 3)),
    "boosting_classifier_two_classes_vertices": (
        gt.GraphBoostingClassifier(**BOOSTED), "vertices", lambda n: np.arange(n) % 3 % 2),
    "boosting_regressor_poisson_graphs": (
        gt.GraphBoostingRegressor(loss="poisson", subsample=0.8, **BOOSTED), "graphs", numbers),
    "boosting_classifier_linear_start_vertices": (
        gt.GraphBoostingClassifier(init="linear", **BOOSTED), "vertices", lambda n: labels(n, 3)),
    "boosting_classifier_colours_graphs": (
        gt.GraphBoostingClassifier(
            colours=2, colour_features=["kind"], max_walk_length={"size": 1}, **BOOSTED),
        "graphs", lambda n: labels(n, 2)),
}  # fmt: skip
# The version of the format that first could hold a model, where it was not the first of all.
SINCE = {
    "boosting_classifier_linear_start_vertices": 3,
    "boosting_classifier_colours_graphs": 3,
}


def tasks_of(version: int) -> list[str]:
    """The models that a version of the format could hold."""
    return [name for name in TASKS if SINCE.get(name, 1) <= version]


METHODS = ("predict", "predict_proba", "decision_function", "apply")


def answers(model: Any, about: str) -> dict[str, list]:
    """Everything that a model says about its examples."""
    X = examples(about)
    return {name: getattr(model, name)(X).tolist() for name in METHODS if hasattr(model, name)}
