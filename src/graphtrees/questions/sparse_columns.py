"""Encoded features side by side, in one sparse matrix that is filled in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import VALUE
from graphtrees.graphs.flat import starts_of


@dataclass(frozen=True)
class Labels:
    """One column for each of n labels, 1 at the vertices that carry it; -1: none of them."""

    place: np.ndarray
    n: int


def joined_columns(pieces: list[Labels | sparse.csr_array], n_vertices: int) -> sparse.csr_array:
    """All columns as float32. A vertex has one entry at most for all columns of a category."""
    counts = np.zeros(n_vertices, np.int64)
    for piece in pieces:
        counts += _counts(piece)
    indptr = starts_of(counts)
    indices, data = np.empty(indptr[-1], np.int32), np.ones(indptr[-1], VALUE)
    at, first = indptr[:-1].copy(), 0
    for piece in pieces:
        if isinstance(piece, Labels):
            rows = np.flatnonzero(piece.place >= 0)
            indices[at[rows]] = first + piece.place[rows]
            first += piece.n
        else:
            sizes = np.diff(piece.indptr)
            to = np.repeat(at - piece.indptr[:-1], sizes) + np.arange(piece.nnz)
            indices[to], data[to] = first + piece.indices, piece.data
            first += piece.shape[1]
        at += _counts(piece)
    return rows_of(data, indices, indptr, (n_vertices, first))


def rows_of(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_array:
    """A matrix of these parts, without copying them: SciPy widens indices that differ in type."""
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    return sparse.csr_array((data, indices, indptr), shape=shape)


def _counts(piece: Labels | sparse.csr_array) -> np.ndarray:
    """The entries of every vertex."""
    return piece.place >= 0 if isinstance(piece, Labels) else np.diff(piece.indptr)
