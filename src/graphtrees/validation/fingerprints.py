"""Which examples a model was trained on: a hash of 32 bits for each, kept with the model."""

from __future__ import annotations

import hashlib
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from graphtrees._communicator import Totals
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.files.layout import FINGERPRINT
from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.flat import column_of, spread
from graphtrees.graphs.hashing import HASH, mix, mix_numbers, mix_rows, mix_texts, sums_of_runs
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.questions.features import MOST_STRETCHES, VERTICES_A_THREAD
from graphtrees.validation.examples import read_examples
from graphtrees.validation.models import fitted_trees, shown_member

_hashes: WeakKeyDictionary[Examples, np.ndarray] = WeakKeyDictionary()


def fingerprints(examples: Examples, workers: Workers = ONE_THREAD) -> np.ndarray:
    """A hash for each example, the same whenever the same example is read.

    A row of a table is known by its values, a graph by all that is in it, a vertex or edge by its
    name (or number), its features and those of its neighbours.
    """
    return (_hash_examples(examples, workers) >> HASH(32)).astype(FINGERPRINT)


def fingerprint(examples: Examples, y: np.ndarray, weight: np.ndarray) -> str:
    """A hash of everything that is trained on, the same whoever has which of the examples."""
    hashes = _hash_examples(examples)
    if examples.halo is not None:
        hashes = mix(hashes + _hash_whole_graph(examples))
    elif examples.vertices is not None and examples.kind != "rows":
        of_graphs, ptr = graph_hashes(examples.flat), examples.flat.vertex_ptr
        hashes = mix(hashes + of_graphs[np.searchsorted(ptr, examples.vertices, "right") - 1])
    if examples.share is not None:
        hashes = examples.share.in_order(hashes)
    digest = hashlib.blake2b(examples.kind.encode(), digest_size=16)
    for array in (hashes, y, weight):
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _hash_examples(examples: Examples, workers: Workers = ONE_THREAD) -> np.ndarray:
    """Computed once for the same examples."""
    if examples not in _hashes:
        _hashes[examples] = _hash_anew(examples, workers)
    return _hashes[examples]


def _hash_anew(examples: Examples, workers: Workers) -> np.ndarray:
    flat = examples.flat
    if examples.kind == "graphs":
        spans = workers.stretches(flat.vertex_ptr, VERTICES_A_THREAD, MOST_STRETCHES)
        parts = workers.each(lambda *span: graph_hashes(flat.between(*span)), spans)
        return mix(np.concatenate(parts))
    rows = _hash_features(flat)
    if examples.kind == "rows":
        hashes = rows[examples.vertices]
    else:
        hashes = _hash_vertices(flat, rows, _places(examples))[examples.vertices]
    return mix(hashes)


def _places(examples: Examples) -> np.ndarray:
    """The number of each vertex in its graph."""
    if examples.halo is not None:
        return examples.halo.numbers
    return _within(examples.flat.vertex_ptr)


def _within(ptr: np.ndarray) -> np.ndarray:
    """The number of each item of its run."""
    return np.arange(ptr[-1]) - spread(ptr[:-1], ptr)


def _hash_whole_graph(examples: Examples) -> np.ndarray:
    """As `_hash_graphs`, of a graph in parts: a vertex counts where it is owned, an edge where
    its source is.
    """
    flat, halo = examples.flat, examples.halo
    assert halo is not None
    vertices = mix(_hash_features(flat) ^ mix(halo.numbers))[halo.is_own]
    source, target = (halo.numbers[ends] for ends in flat.edges)
    ends = mix(mix(source) + HASH(3) * mix(target) + _hash_edges(flat))
    sums = [vertices.sum(dtype=HASH), ends[halo.is_own[flat.edges[0]]].sum(dtype=HASH)]
    total = examples.communicator.all_reduce(np.array(sums, HASH))
    size = np.array([halo.n_vertices])
    return mix(total[:1] + mix(total[1:]) + mix(size))


def graph_hashes(flat: FlatGraphs) -> np.ndarray:
    """A hash of 64 bits for each graph, by all that is in it."""
    return _hash_graphs(flat, _hash_features(flat))


def totals_of(examples: Examples) -> Totals:
    """Sums over all graphs: one that several workers have, since each has some of its vertices or
    edges, is counted by the first of them alone.
    """
    communicator = examples.communicator
    if examples.halo is not None:
        return Totals(communicator, halo=examples.halo)
    if communicator.n_workers == 1 or examples.kind == "graphs":
        return Totals(communicator)
    if examples.kind == "rows":
        return Totals(communicator, of_one_graph=True)
    hashes = graph_hashes(examples.flat)
    if isinstance(examples.flat, LineGraphs):
        hashes = mix(hashes + _hash_ends(examples.flat))
    gathered = communicator.all_gather(_with_copies(hashes))
    before = np.concatenate([np.empty((0, 2), HASH), *gathered[: communicator.rank]])
    own = gathered[communicator.rank]
    known = set(map(tuple, before.tolist()))
    return Totals(communicator, np.array([tuple(one) not in known for one in own.tolist()], bool))


def _with_copies(hashes: np.ndarray) -> np.ndarray:
    """Each hash, and how often it came before: data may hold a graph twice."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    is_new = np.r_[True, ordered[1:] != ordered[:-1]][: len(hashes)]
    start = np.maximum.accumulate(np.where(is_new, np.arange(len(hashes)), 0))
    copies = np.empty_like(hashes)
    copies[order] = np.arange(len(hashes)) - start
    return np.stack([hashes, copies], axis=1)


def _hash_ends(flat: LineGraphs) -> np.ndarray:
    ends = mix(mix(flat.ends[0]) + HASH(3) * mix(flat.ends[1]))
    return sums_of_runs(ends, flat.vertex_ptr)


def seen_in_training(model: Any, X: Any) -> np.ndarray:
    """For each example of X whether a model was trained on it.

    The members of an ensemble are all trained on the same examples.
    """
    fitted = fitted_trees(shown_member(model)[2])
    return were_seen(fitted, read_examples(fitted, X))


def were_seen(fitted: FittedTrees, examples: Examples) -> np.ndarray:
    """For each example whether the trees were trained on it; all False: unknown."""
    known = fitted.training.examples
    if known is None:
        return np.zeros(examples.n, bool)
    return np.isin(fingerprints(examples), known)


def _hash_features(flat: FlatGraphs) -> np.ndarray:
    """A hash of the features of each vertex; categories count by their labels."""
    features = flat.features
    if sparse.issparse(features):
        plain = sparse.csr_array(features).astype(np.float32)
    else:
        plain = np.asarray(features, dtype=np.float32)
    hashes = np.zeros(flat.n_vertices, HASH)
    for column, labels in flat.categories.items():
        codes = column_of(features, column)
        table = np.append(mix_texts(labels), HASH(0))
        place = np.where(np.isnan(codes), len(labels), codes).astype(np.int64)
        hashes += mix(table[place] ^ mix(np.array([column + 1])))
    if flat.categories:
        kept = [c for c in range(flat.n_features) if c not in flat.categories]
        plain = plain[:, kept]
    return hashes + mix_rows(plain)


def _hash_graphs(flat: FlatGraphs, rows: np.ndarray) -> np.ndarray:
    """Vertices and edges of each graph, by their numbers in it."""
    sizes = np.diff(flat.vertex_ptr)
    vertices = sums_of_runs(mix(rows ^ mix(_within(flat.vertex_ptr))), flat.vertex_ptr)
    ends = mix(mix(flat.edges[0]) + HASH(3) * mix(flat.edges[1]) + _hash_edges(flat))
    edges = sums_of_runs(ends, flat.edge_ptr)
    return mix(vertices + mix(edges) + mix(sizes))


def _hash_vertices(flat: FlatGraphs, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Name or number, own features, and those of the neighbours."""
    names = mix(places) if flat.vertex_names is None else mix_texts(flat.vertex_names)
    first = spread(flat.vertex_ptr[:-1], flat.edge_ptr)
    source, target = flat.edges[0] + first, flat.edges[1] + first
    around = np.zeros(flat.n_vertices, HASH)
    np.add.at(around, target, mix(rows[source]))
    np.add.at(around, source, mix(rows[target]))
    return mix(names + mix(rows) + HASH(3) * mix(around))


def _hash_edges(flat: FlatGraphs) -> np.ndarray:
    hashes = np.zeros(flat.n_edges, HASH)
    if flat.edge_weights is not None:
        hashes += mix_numbers(np.asarray(flat.edge_weights, np.float32))
    if flat.edge_types is not None:
        hashes += mix(mix_texts(flat.edge_type_names)[flat.edge_types])
    if flat.edge_features is not None:
        hashes += mix(mix_rows(np.asarray(flat.edge_features, np.float32)))
    return hashes
