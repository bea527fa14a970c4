"""From scipy adjacency matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._many import convert_each, one_or_many
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.arguments import as_list
from graphtrees.graphs.validation.keywords import suggests_keywords
from graphtrees.graphs.validation.numbers import as_numbers
from graphtrees.graphs.validation.sparse import check_sparse
from graphtrees.graphs.validation.where import kind_of

WANTED = "from_scipy reads sparse matrices and two-dimensional arrays"


@suggests_keywords
def from_scipy(
    A: Any,
    X: Any = None,
    directed: bool | None = None,
    *,
    feature_names: Sequence[str] | None = None,
) -> Graph | Graphs:
    """Read one adjacency matrix with its features, or lists of both.

    Parameters
    ----------
    A : scipy sparse or array of shape (n_vertices, n_vertices), or iterable of them
        ``A[i, j]`` is the weight of the edge j -> i; zeros are no edges. One gives a `Graph`,
        many give `Graphs`.
    X : features as for `Graph`, or list of them, optional
        Default: the vertices have no features.
    directed : bool, optional
        Default: directed unless every matrix is symmetric.
    feature_names : sequence of str, optional
        What to call the features.

    Returns
    -------
    Graph or Graphs

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from graphtrees.graphs import from_scipy
    >>> A = sp.csr_array([[0, 2], [2, 0]])
    >>> from_scipy(A, [[1.0], [3.0]])
    Graph(n_vertices=2, n_edges=1, n_features=1, weighted)
    """
    items, single = ([A], True) if _is_matrix(A) else one_or_many(A, (), WANTED)
    matrices = [_as_matrix(matrix) for matrix in items]
    features = [X] if single else [None] * len(matrices)
    if not single and X is not None:
        features = as_list(X, "X", "a list with the features of each graph")
    if len(features) != len(matrices):
        raise ValueError(f"X holds the features of {len(features)} graphs; A has {len(matrices)}")
    if directed is None:
        directed = not all(_is_symmetric(matrix) for matrix in matrices)

    def convert(pair: tuple[Any, Any]) -> Graph:
        return Graph(pair[1], pair[0], directed=directed, feature_names=feature_names)

    pairs = list(zip(matrices, features, strict=True))
    return convert(pairs[0]) if single else Graphs(convert_each(pairs, convert))


def _is_matrix(A: Any) -> bool:
    return sp.issparse(A) or (isinstance(A, np.ndarray) and A.ndim == 2)


def _as_matrix(matrix: Any) -> Any:
    if not _is_matrix(matrix):
        raise TypeError(f"{WANTED}; got {kind_of(matrix)}")
    if not sp.issparse(matrix):
        return sp.csr_array(as_numbers(matrix, "the adjacency"))
    check_sparse(matrix, "the adjacency")
    return matrix


def _is_symmetric(matrix: Any) -> bool:
    if matrix.shape[0] != matrix.shape[1]:
        return False  # validation says what is wrong with it
    csr = sp.csr_array(matrix)
    return (csr != csr.T).nnz == 0
