"""Random training tasks as plain JSON, and the objects they stand for.

A task is small and self-contained: graphs as lists, one target value after another (used again
from the start where there are more examples), an estimator and the parameters that differ from
its defaults. So it can be shrunk by leaving parts out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

CLASSIFIERS = ("GraphTreeClassifier", "GraphForestClassifier", "GraphBoostingClassifier")
REGRESSORS = ("GraphTreeRegressor", "GraphForestRegressor", "GraphBoostingRegressor")
ABOUT = ("graphs", "vertices", "edges", "rows")
WALK_TYPES = ("source", "cycle", "target", "target_source")
AGGREGATORS = ("sum", "mean", "min", "max")
BINARY_FRACTIONS = (-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0)
WHOLE = (-2.0, -1.0, 0.0, 1.0, 2.0)
WEIGHTS = (-2.0, -1.0, 0.5, 1.0, 2.0)
WHOLE_WEIGHTS = (-2.0, -1.0, 1.0, 2.0)
EDGE_TYPES = ("far", "near")


def random_task(rng: np.random.Generator) -> dict[str, Any]:
    """Anything that the documentation allows."""
    shape = _shape(rng, str(rng.choice(ABOUT)))
    return shape | _estimator(rng) | {"y": _targets(rng), "weight": _weights(rng)}


def exact_task(rng: np.random.Generator) -> dict[str, Any]:
    """One tree on numbers that float32 adds exactly, small enough to try every split."""
    whole = bool(rng.random() < 0.5)
    pool = WHOLE if whole else BINARY_FRACTIONS
    missing = float(rng.choice([0.0, 0.15]))
    n_features, weighted = int(rng.integers(0, 3)), bool(rng.random() < 0.3)
    # A search by bins is exact for whole numbers, which other weights would make fractions of.
    weights = (WHOLE_WEIGHTS if whole else WEIGHTS) if weighted else ()
    graphs = [
        _graph(rng, pool, n_features, 6, missing, weights, typed=False)
        for _ in range(rng.integers(5, 10))
    ]
    asked = {
        "max_walk_length": int(rng.integers(0, 3)),
        "max_ancestor_distance": int(rng.integers(0, 3)),
        "walk_types": _some(rng, WALK_TYPES),
        "aggregators": _some(rng, AGGREGATORS[::2] if whole else AGGREGATORS),
        "max_bins": 255 if whole else None,
        "max_leaf_nodes": int(rng.integers(2, 7)),
        "min_samples_leaf": int(rng.integers(1, 3)),
    }
    kind = str(rng.choice(["GraphTreeClassifier", "GraphTreeRegressor"]))
    return {
        "graphs": graphs, "directed": bool(rng.random() < 0.5), "n_features": n_features,
        "about": str(rng.choice(["graphs", "vertices"])), "estimator": kind, "parameters": asked,
        "y": _targets(rng), "weight": None,
    }  # fmt: skip


def _shape(rng: np.random.Generator, about: str) -> dict[str, Any]:
    pool = _numbers(rng)
    missing = float(rng.choice([0.0, 0.0, 0.2, 1.0]))
    weights = WEIGHTS if rng.random() < 0.3 else ()
    typed = bool(rng.random() < 0.3)
    n_features = int(rng.integers(1 if about == "rows" else 0, 4))
    largest = int(rng.choice([3, 7, 20]))
    n_graphs = 1 if about == "rows" else int(rng.integers(1, 13))
    graphs = [
        _graph(rng, pool, n_features, largest, missing, weights, typed) for _ in range(n_graphs)
    ]
    return {
        "graphs": graphs, "directed": bool(rng.random() < 0.4), "n_features": n_features,
        "about": about, "categories": bool(rng.random() < 0.2),
        "sparse": bool(rng.random() < 0.15),
    }  # fmt: skip


def _graph(
    rng: np.random.Generator, pool: Any, n_features: int, largest: int, missing: float,
    weights: tuple[float, ...], typed: bool,
) -> dict[str, Any]:  # fmt: skip
    n = int(rng.integers(0, largest + 1))
    n_edges = int(rng.integers(0, 2 * n + 1)) if n else 0
    x = rng.choice(pool, (n, n_features))
    x[rng.random(x.shape) < missing] = np.nan
    graph: dict[str, Any] = {
        "x": x.tolist(), "n": n, "edges": rng.integers(0, max(n, 1), (n_edges, 2)).tolist()
    }  # fmt: skip
    if weights:
        graph["weights"] = rng.choice(weights, n_edges).tolist()
    if typed:
        graph["types"] = rng.choice(EDGE_TYPES, n_edges).tolist()
    return graph


def _numbers(rng: np.random.Generator) -> np.ndarray:
    """Values to choose features from: plain ones, and such as break sums and comparisons."""
    signs = rng.choice([-1.0, 1.0], 8)
    pools = (
        np.array(BINARY_FRACTIONS),
        np.array(WHOLE),
        rng.normal(size=12),
        signs * 10.0 ** rng.uniform(-30, 30, 8),
        16777210.0 + np.arange(12),
        1e9 + rng.integers(0, 3600, 12),
        1e-42 * np.arange(-3, 6),
        np.array([0.0, -0.0, 1.0]),
        np.array([3e38, -3e38, 1.0]),
        np.array([7.0]),
        0.1 * np.arange(-4, 9),
    )
    return pools[rng.choice(len(pools), p=[0.2, 0.15, 0.2, *[0.45 / 8] * 8])]


def _targets(rng: np.random.Generator) -> list[float]:
    pool = np.array([0.0, 1.0, 1.0, 2.0]) if rng.random() < 0.7 else rng.normal(size=8).round(3)
    return [0.0, 1.0, *rng.choice(pool, int(rng.integers(0, 12))).tolist()]


def _weights(rng: np.random.Generator) -> list[float] | None:
    if rng.random() < 0.6:
        return None
    return [1.0, *rng.choice([0.0, 0.5, 1.0, 2.0, 1e-6, 1e6], int(rng.integers(1, 9))).tolist()]


def _estimator(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice([*CLASSIFIERS, *REGRESSORS]))
    options: dict[str, Any] = {
        "max_walk_length": int(rng.integers(0, 4)),
        "max_ancestor_distance": int(rng.integers(0, 4)),
        "walk_types": _some(rng, WALK_TYPES),
        "aggregators": _some(rng, AGGREGATORS),
        "walk_type_probability": float(rng.choice([0.0, 0.5, 1.0])),
        "operators": _some(rng, ("adjacency", "reverse", "mean", "relations")),
        "colours": int(rng.integers(0, 3)),
        "add_constant": bool(rng.random() < 0.5),
        "max_leaf_nodes": int(rng.integers(2, 9)),
        "max_depth": int(rng.integers(1, 4)),
        "min_samples_leaf": int(rng.integers(1, 4)),
        "min_gain": float(rng.choice([0.0, 0.1])),
        "ccp_alpha": float(rng.choice([0.0, 0.01])),
        "max_bins": [None, 2, 7, 255][rng.integers(4)],
        "random_state": int(rng.integers(100)),
    }
    if "Boosting" in kind:
        options |= {
            "learning_rate": float(rng.choice([0.01, 0.5, 1.0, 10.0])),
            "l2_regularization": float(rng.choice([0.0, 1.0])),
            "subsample": float(rng.choice([0.5, 1.0])),
            "feature_fraction": float(rng.choice([0.5, 1.0])),
        }
        if kind == "GraphBoostingClassifier":
            choices = ["one_vs_rest", "softmax", "multi_output_tree"]
            options["multi_strategy"] = str(rng.choice(choices))
        else:
            losses = ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
            options["loss"] = str(rng.choice(losses))
    if "Forest" in kind:
        options |= {"bootstrap": bool(rng.random() < 0.5), "max_features": None}
    kept = {name: value for name, value in options.items() if rng.random() < 0.5}
    if "Tree" not in kind:
        kept["n_estimators"] = 3
    if "Boosting" in kind:
        kept.setdefault("min_samples_leaf", 1)
    return {"estimator": kind, "parameters": kept}


def _some(rng: np.random.Generator, names: tuple[str, ...]) -> list[str]:
    kept = [name for name in names if rng.random() < 0.6]
    return kept or [names[0]]


# ---- in the child process ------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """The objects that a task stands for."""

    given: dict[str, Any]
    graphs: Any  # Graphs
    X: Any
    y: np.ndarray
    weight: np.ndarray | None

    def model(self, **changed: Any) -> Any:
        import graphtrees as gt

        parameters = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self.given["parameters"].items()
        }
        settings = {"random_state": 0, "n_jobs": 1} | parameters | changed
        return getattr(gt, self.given["estimator"])(**settings)

    def fitted(self, **changed: Any) -> Any:
        return self.model(**changed).fit(self.X, self.y, sample_weight=self.weight)

    @property
    def is_classifier(self) -> bool:
        return "Classifier" in self.given["estimator"]

    def with_graphs(self, graphs: Any) -> Any:
        """These graphs as examples of the same kind."""
        return examples_of(graphs, self.given["about"])


def build(given: dict[str, Any]) -> Task:
    import graphtrees as gt

    graphs = gt.Graphs([build_graph(graph, given) for graph in given["graphs"]])
    X = examples_of(graphs, given["about"])
    n = X.shape[0] if given["about"] == "rows" else len(X)
    y = np.resize(np.array(given["y"], dtype=float), n)
    if "Classifier" in given["estimator"]:
        y = y.astype(int)
    if given["parameters"].get("loss") == "poisson":
        y = np.abs(y)
    weight = given.get("weight")
    return Task(given, graphs, X, y, None if weight is None else np.resize(weight, n))


def examples_of(graphs: Any, about: str) -> Any:
    if about == "graphs":
        return graphs
    if about == "rows":
        return graphs[0].features
    return getattr(graphs, about)


def build_graph(one: dict[str, Any], given: dict[str, Any]) -> Any:
    import pandas as pd
    import scipy.sparse as sp

    import graphtrees as gt

    x: Any = np.array(one["x"], dtype=float).reshape(one["n"], given["n_features"])
    rows = given["about"] == "rows"
    if given.get("categories") and x.shape[1] and not rows:
        labels = pd.Categorical(["abc"[int(abs(v)) % 3] if v == v else None for v in x[:, 0]],
                                categories=list("abc"))  # fmt: skip
        frame = pd.DataFrame(x, columns=[f"f{k}" for k in range(x.shape[1])])
        x = frame.assign(f0=labels)
    elif given.get("sparse") and x.shape[1]:
        x = sp.csr_array(x)
    return gt.Graph(
        x if given["n_features"] else None,
        np.array(one["edges"], dtype=np.int64).reshape(-1, 2),
        directed=given["directed"],
        edge_weights=one.get("weights"),
        edge_types=one.get("types"),
        n_vertices=one["n"],
    )
