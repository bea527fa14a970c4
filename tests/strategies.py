"""Small random graphs, labels and settings for hypothesis.

Numbers are short binary fractions, so that float32 and float64 agree on every walk: a test that
compares an engine with an oracle then compares definitions and not roundings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from graphtrees.graphs.graph import Graph

WALK_TYPES = ("source", "cycle", "target", "target_source")
AGGREGATORS = ("sum", "mean", "min", "max")
OPERATORS = ("adjacency", "reverse", "mean")
OF_RELATIONS = ("relations", "reverse_relations", "mean_relations", "reverse:near", "mean:toll")
KINDS = ("blue", "green", "red")

FEATURE_VALUES = (-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0)
EDGE_WEIGHTS = (-2.0, -1.0, -0.5, 0.5, 1.0, 2.0)
WHOLE_NUMBERS = (-2.0, -1.0, 1.0, 2.0)
SAMPLE_WEIGHTS = (0.5, 1.0, 2.0, 3.0)
TARGETS = (-4.0, -1.0, 0.0, 0.5, 1.0, 2.0, 7.0)


@st.composite
def a_graph(
    draw,
    n_features: int = 2,
    directed: bool = False,
    weighted: bool = False,
    min_vertices: int = 0,
    max_vertices: int = 6,
) -> Graph:
    """A graph that may have self-loops, parallel edges, isolated vertices and missing values."""
    n = draw(st.integers(min_vertices, max_vertices))
    vertex = st.integers(0, max(n - 1, 0))
    edges = draw(st.lists(st.tuples(vertex, vertex), max_size=9 if n else 0))
    weights = None
    if weighted:
        weights = draw(_as_many(edges, st.sampled_from(EDGE_WEIGHTS)))
    return Graph(
        draw(vertex_features(n, n_features)) if n_features else None,
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        directed=directed,
        edge_weights=weights,
        n_vertices=n,
    )


def vertex_features(n_vertices: int, n_features: int) -> st.SearchStrategy[np.ndarray]:
    """Few distinct numbers, some of them missing."""
    few = st.sampled_from((*FEATURE_VALUES, np.nan))
    cells = st.lists(few, min_size=n_vertices * n_features, max_size=n_vertices * n_features)
    return cells.map(lambda flat: np.array(flat, dtype=float).reshape(n_vertices, n_features))


@st.composite
def some_graphs(
    draw, min_size: int = 2, max_size: int = 8, min_vertices: int = 0, max_vertices: int = 6
) -> list[Graph]:
    """Graphs of different sizes that share their number of features and their kind of edges."""
    kind = {
        "n_features": draw(st.integers(0, 2)),
        "directed": draw(st.booleans()),
        "weighted": draw(st.booleans()),
    }
    one = a_graph(min_vertices=min_vertices, max_vertices=max_vertices, **kind)
    return draw(st.lists(one, min_size=min_size, max_size=max_size))


@st.composite
def busy_graphs(
    draw, min_size: int = 6, max_size: int = 10, max_vertices: int = 6, whole: bool = False
) -> list[Graph]:
    """Graphs whose contents come from a seed: they shrink badly and grow larger trees.

    With `whole` all features and weights are whole numbers, and so are all their walk sums.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features, directed = draw(st.integers(0, 2)), draw(st.booleans())
    weighted, missing = draw(st.booleans()), draw(st.sampled_from((0.0, 0.15)))
    return [
        _busy_graph(rng, n_features, directed, weighted, missing, max_vertices, whole)
        for _ in range(draw(st.integers(min_size, max_size)))
    ]


def _busy_graph(
    rng: np.random.Generator,
    n_features: int,
    directed: bool,
    weighted: bool,
    missing: float,
    max_vertices: int,
    whole: bool,
) -> Graph:
    n = int(rng.integers(0, max_vertices + 1))
    n_edges = int(rng.integers(0, 2 * n + 1))
    weights = WHOLE_NUMBERS if whole else EDGE_WEIGHTS
    features = rng.choice((0.0, *WHOLE_NUMBERS) if whole else FEATURE_VALUES, (n, n_features))
    features[rng.random((n, n_features)) < missing] = np.nan
    return Graph(
        features if n_features else None,
        rng.integers(0, max(n, 1), (n_edges, 2)),
        directed=directed,
        edge_weights=rng.choice(weights, n_edges) if weighted else None,
        n_vertices=n,
    )


@st.composite
def related_graphs(
    draw, min_size: int = 6, max_size: int = 9, max_vertices: int = 5, whole: bool = False
) -> list[Graph]:
    """Graphs with all that edges and vertices may have: weights of both signs, types, features,
    parallel edges, loops, a categorical feature and a number, some of them missing. The first
    has edges of both types.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    directed, weighted = draw(st.booleans()), draw(st.booleans())
    missing = draw(st.sampled_from((0.0, 0.2)))
    return [
        _related_graph(rng, directed, weighted, missing, max_vertices, whole, 0 if k else 2)
        for k in range(draw(st.integers(min_size, max_size)))
    ]


def _related_graph(
    rng: np.random.Generator,
    directed: bool,
    weighted: bool,
    missing: float,
    max_vertices: int,
    whole: bool,
    least: int,
) -> Graph:
    n = int(rng.integers(least, max_vertices + 1))
    n_edges = int(rng.integers(least, 2 * n + 1))
    types = rng.choice(("far", "near"), n_edges)
    types[:least] = ("far", "near")[:least]
    weights = WHOLE_NUMBERS if whole else EDGE_WEIGHTS
    size = rng.choice((0.0, *WHOLE_NUMBERS) if whole else FEATURE_VALUES, n)
    size[rng.random(n) < missing] = np.nan
    kind = np.where(rng.random(n) < missing, -1, rng.integers(0, len(KINDS), n))
    labels = pd.Categorical.from_codes(kind, categories=list(KINDS))
    return Graph(
        pd.DataFrame({"size": size, "kind": labels}),
        rng.integers(0, max(n, 1), (n_edges, 2)),
        directed=directed,
        edge_weights=rng.choice(weights, n_edges) if weighted else None,
        edge_types=types,
        edge_features=pd.DataFrame({"toll": rng.choice((0.0, *weights), n_edges)}),
    )


def targets(n: int) -> st.SearchStrategy[np.ndarray]:
    return _numbers(n, TARGETS)


def classes(n: int, n_classes: int = 2) -> st.SearchStrategy[np.ndarray]:
    """Labels 0 … n_classes − 1, each of which occurs where there is room for it."""
    drawn = _numbers(max(n - n_classes, 0), tuple(range(n_classes)))
    return drawn.map(lambda rest: np.array([*range(n_classes), *rest][:n], dtype=np.int64))


def zeros_among(n: int) -> st.SearchStrategy[np.ndarray]:
    """Weights of which some are 0, but not those of the first four."""
    drawn = _numbers(max(n - 4, 0), (0.0, *SAMPLE_WEIGHTS))
    return drawn.map(lambda rest: np.array([1.0, 2.0, 1.0, 0.5, *rest][:n]))


def sample_weights(n: int) -> st.SearchStrategy[np.ndarray | None]:
    return st.none() | _numbers(n, SAMPLE_WEIGHTS)


@st.composite
def questions_on_offer(
    draw,
    max_walk_length: int = 2,
    whole: bool = False,
    operators: tuple[str, ...] = OPERATORS,
) -> dict[str, Any]:
    """Parameters that say which questions a split may ask; with `whole`, without means."""
    return {
        "max_walk_length": draw(st.integers(0, max_walk_length)),
        "max_ancestor_distance": draw(st.integers(0, 2)),
        "walk_types": draw(_some_of(WALK_TYPES)),
        "aggregators": draw(_some_of(AGGREGATORS, whole)),
        "operators": draw(_some_of(operators, whole, most=3)),
    }


@st.composite
def limits_of_growth(draw) -> dict[str, Any]:
    """Parameters that say how large a tree may grow."""
    return {
        "max_leaf_nodes": draw(st.sampled_from((3, 4, 6, None))),
        "max_depth": draw(st.sampled_from((None, None, None, 1, 2))),
        "min_samples_leaf": draw(st.sampled_from((1, 1, 2))),
        "min_gain": draw(st.sampled_from((0.0, 0.0, 0.3))),
    }


def _some_of(
    names: tuple[str, ...], without_mean: bool = False, most: int | None = None
) -> st.SearchStrategy[tuple[str, ...]]:
    """One or more of the names, in their order."""
    names = tuple(name for name in names if not name.startswith("mean") or not without_mean)
    chosen = st.sets(st.sampled_from(names), min_size=1, max_size=most)
    return chosen.map(lambda kept: tuple(name for name in names if name in kept))


def _numbers(n: int, values: tuple[float, ...]) -> st.SearchStrategy[np.ndarray]:
    """Half of them drawn by a seed, because lists that are drawn item by item repeat themselves."""
    by_seed = st.integers(0, 2**32 - 1).map(lambda s: np.random.default_rng(s).choice(values, n))
    return by_seed | st.lists(st.sampled_from(values), min_size=n, max_size=n).map(np.array)


def _as_many(items: list, strategy: st.SearchStrategy) -> st.SearchStrategy[list]:
    return st.lists(strategy, min_size=len(items), max_size=len(items))
