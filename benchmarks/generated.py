"""Data drawn at random in the shapes of the public sets, for machines that do not have them.

Every target is planted: it depends on a feature at vertices and at their neighbours, with noise,
so that trees find something to split on and grow to their full size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphtrees import Graphs

NEAR = 12  # how far back, in the numbering, a vertex may be joined
CHAIN = 4  # the same for the edges that hold a graph together: long and thin, as molecules are


@dataclass(frozen=True)
class Shape:
    """Sizes of a data set; vertices and edges are means per graph."""

    n_graphs: int
    n_vertices: float
    n_edges: float
    n_labels: int = 0  # one-hot columns
    n_numbers: int = 0  # real-valued columns
    n_words: int = 0  # sparse 0/1 columns, `words_each` of them at a vertex
    words_each: int = 0
    categories: tuple[int, ...] = ()  # columns of codes, with so many labels each
    n_classes: int = 2
    directed: bool = False
    missing: float = 0.0  # share of the numbers
    n_examples: int | None = None  # labelled vertices of a vertex task; None: graphs get labels


SHAPES = {
    "MUTAG": Shape(188, 17.9, 19.8, n_labels=7),
    "PTC_MR": Shape(344, 14.3, 14.7, n_labels=18),
    "PROTEINS": Shape(1113, 39.1, 72.8, n_labels=3, n_numbers=1),
    "ENZYMES": Shape(600, 32.6, 62.1, n_labels=3, n_numbers=18, n_classes=6),
    "NCI1": Shape(4110, 29.9, 32.3, n_labels=37),
    "DD": Shape(1178, 284.3, 715.7, n_labels=82),
    "IMDB-BINARY": Shape(1000, 19.8, 96.5),
    "ogbg-molhiv": Shape(41127, 25.5, 27.5, categories=(119, 5, 12, 12, 10, 6, 6, 2, 2)),
    "Cora": Shape(1, 2708, 5278, n_words=1433, words_each=18, n_classes=7, n_examples=140),
    "Actor": Shape(
        1, 7600, 30019, n_words=932, words_each=6, n_classes=5, directed=True, n_examples=3648
    ),
    "Tolokers": Shape(1, 11758, 519000, n_numbers=10, n_examples=5879),
    "Flights": Shape(
        1, 327346, 935613, n_numbers=21, categories=(16, 3, 104), directed=True,
        missing=0.05, n_examples=327346,
    ),
    "Flights, numbers": Shape(
        1, 327346, 935613, n_numbers=24, directed=True, missing=0.05, n_examples=327346
    ),
}  # fmt: skip


def make(shape: Shape, seed: int = 0) -> tuple[Graphs, np.ndarray, np.ndarray | None]:
    """Graphs, a class for every graph or vertex, and the labelled vertices of a vertex task."""
    rng = np.random.default_rng(seed)
    ptr = _vertex_ptr(rng, shape)
    edges, edge_ptr = _edges(rng, shape, ptr)
    features = _features(rng, shape, int(ptr[-1]))
    graph_of_edge = np.repeat(np.arange(shape.n_graphs), np.diff(edge_ptr))
    planted = _planted(features, edges)
    if shape.n_examples is None:
        score = np.bincount(graph_of_edge, planted[edges].prod(axis=0), shape.n_graphs)
        labelled = None
    else:
        score = planted + np.bincount(edges[1], planted[edges[0]], len(planted))
        labelled = np.sort(rng.permutation(len(planted))[: shape.n_examples])
    graphs = Graphs.from_flat(
        vertex_ptr=ptr, edge_ptr=edge_ptr, edges=edges - ptr[graph_of_edge], features=features,
        directed=shape.directed, categories=_categories(shape),
    )  # fmt: skip
    return graphs, _classes(rng, score, shape.n_classes), labelled


def _vertex_ptr(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    mean = shape.n_vertices
    if shape.n_graphs == 1:
        return np.array([0, int(mean)])
    sizes = np.maximum(rng.normal(mean, mean / 3, shape.n_graphs).round().astype(np.int64), 2)
    return np.concatenate([[0], np.cumsum(sizes)])


def _edges(rng: np.random.Generator, shape: Shape, ptr: np.ndarray) -> tuple:
    """Each vertex joined to one just before it, and more edges until the mean is reached."""
    first = np.repeat(ptr[:-1], np.diff(ptr))
    place = np.arange(ptr[-1]) - first
    joinable = np.flatnonzero(place)
    n_more = max(0, int(shape.n_edges * shape.n_graphs) - len(joinable))
    near = max(NEAR, 4 * n_more // max(1, len(joinable)))
    more = rng.choice(joinable, n_more)
    later = np.concatenate([joinable, more])
    reach = np.minimum(place[later], np.repeat([CHAIN, near], [len(joinable), n_more]))
    earlier = later - 1 - rng.integers(0, reach)
    distinct = np.unique(later * ptr[-1] + earlier)
    edges = np.array([distinct % ptr[-1], distinct // ptr[-1]])
    return edges, np.searchsorted(edges[1], ptr)


def _features(rng: np.random.Generator, shape: Shape, n: int) -> np.ndarray | sp.csr_array:
    """Labels, then numbers, then codes; or words, in a sparse matrix."""
    if shape.n_words:
        words = rng.integers(0, shape.n_words, (n, shape.words_each))
        rows = np.repeat(np.arange(n), shape.words_each)
        values = np.ones(words.size, np.float32)
        matrix = sp.csr_array((values, (rows, words.ravel())), shape=(n, shape.n_words))
        matrix.data[:] = 1.0  # a word drawn twice is there once
        return matrix
    pieces = [np.zeros((n, shape.n_labels), np.float32)]
    if shape.n_labels:
        pieces[0][np.arange(n), _skewed(rng, n, shape.n_labels)] = 1.0
    numbers = rng.normal(size=(n, shape.n_numbers)).astype(np.float32)
    numbers[rng.random(numbers.shape) < shape.missing] = np.nan
    codes = [_skewed(rng, n, size) for size in shape.categories]
    return np.column_stack([*pieces, numbers, *codes]).astype(np.float32)


def _skewed(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    """Codes of which the first few are common, as atoms are in molecules."""
    weights = 1.0 / np.arange(1, size + 1) ** 2
    return rng.choice(size, n, p=weights / weights.sum())


def _planted(features: np.ndarray | sp.csr_array, edges: np.ndarray) -> np.ndarray:
    """One number per vertex that the target is made from: the first feature, else the degree."""
    if features.shape[1] == 0:
        return np.bincount(edges.ravel(), minlength=features.shape[0]).astype(np.float64)
    first = features[:, [0]]
    first = first.toarray() if sp.issparse(first) else first
    return np.nan_to_num(first[:, 0].astype(np.float64))


def _categories(shape: Shape) -> dict[int, tuple[str, ...]]:
    start = shape.n_labels + shape.n_numbers
    return {
        start + k: tuple(f"label {i}" for i in range(size))
        for k, size in enumerate(shape.categories)
    }


def _classes(rng: np.random.Generator, score: np.ndarray, n_classes: int) -> np.ndarray:
    """Classes of equal size by rising score, blurred by half its spread."""
    blurred = score + rng.normal(size=len(score)) * (0.5 * score.std() + 1e-9)
    cuts = np.quantile(blurred, np.arange(1, n_classes) / n_classes)
    return np.searchsorted(cuts, blurred)
