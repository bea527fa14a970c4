"""64-bit hashes of rows, edges and multisets, the same on every machine."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.graphs.flat import FlatGraphs

HASH = np.uint64
_FIRST, _SECOND = HASH(0xBF58476D1CE4E5B9), HASH(0x94D049BB133111EB)
_STEP = HASH(0x9E3779B97F4A7C15)
_NAN = HASH(0x7FF8000000000001)


def mix(values: np.ndarray) -> np.ndarray:
    """Hash 64-bit integers (SplitMix64): every input bit changes about half of the output bits."""
    bits = values.astype(HASH) + _STEP
    bits ^= bits >> HASH(30)
    bits *= _FIRST
    bits ^= bits >> HASH(27)
    bits *= _SECOND
    bits ^= bits >> HASH(31)
    return bits


def mix_numbers(values: np.ndarray) -> np.ndarray:
    """A hash of each number: all NaN are one number, and so are 0 and -0."""
    numbers = np.asarray(values, dtype=np.float64) + 0.0
    return mix(np.where(np.isnan(numbers), _NAN, numbers.view(HASH)))


def mix_texts(texts: Iterable[Any]) -> np.ndarray:
    """A hash of each text, or of what anything else is as text."""
    data = (str(text).encode(errors="surrogatepass") for text in texts)
    hashes = (zlib.crc32(one) | zlib.adler32(one) << 32 for one in data)
    return mix(np.fromiter(hashes, dtype=HASH))


def sums_of_runs(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The sum, modulo 2**64, of each run ``values[start[i]:start[i + 1]]``.

    A sum of hashes stands for a multiset: it does not depend on the order.
    """
    running = np.zeros(len(values) + 1, HASH)
    np.cumsum(values, dtype=HASH, out=running[1:])
    return running[start[1:]] - running[start[:-1]]


def mix_rows(features: np.ndarray | sparse.csr_array) -> np.ndarray:
    """A hash of each row; zeros add nothing, so that sparse and dense rows agree."""
    if sparse.issparse(features):
        rows = sparse.csr_array(features)
        entries = mix(mix_numbers(rows.data) ^ mix(rows.indices))
        entries[rows.data == 0] = 0
        return sums_of_runs(entries, rows.indptr)
    total = np.zeros(len(features), HASH)
    salts = mix(np.arange(features.shape[1]))
    for column, salt in zip(np.asarray(features).T, salts, strict=True):
        total += np.where(column == 0, HASH(0), mix(mix_numbers(column) ^ salt))
    return total


def mix_edges(flat: FlatGraphs) -> np.ndarray:
    """A hash of the weight, type and features of each edge."""
    total = np.zeros(flat.n_edges, HASH)
    for place, part in enumerate((flat.edge_weights, flat.edge_types)):
        if part is not None:
            total += mix(mix_numbers(part) + HASH(place))
    if flat.edge_features is not None:
        total += mix(mix_rows(flat.edge_features) + HASH(2))
    return total
