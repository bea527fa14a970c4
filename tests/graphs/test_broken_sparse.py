"""Sparse matrices with broken index arrays are refused: SciPy's compiled code would crash on them.

A crash ends the process, so these tests fail by ending the run where a check is missing.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtrees as gt

ARRAYS = {
    "csr": ("indptr", "indices"), "csc": ("indptr", "indices"), "bsr": ("indptr", "indices"),
    "coo": ("row", "col"), "dia": ("offsets",),
}  # fmt: skip
FORMATS = (*ARRAYS, "lil", "dok")
FAR = (-1, 5, 6, 100, 2**31 - 1, -(2**31))
VALUES = np.array([[0, 1, 0, 2, 0], [1, 0, 3, 0, 0], [0, 3, 0, 4, 0], [2, 0, 4, 0, 5],
                   [0, 0, 0, 5, 0]], float)  # fmt: skip

USES = {
    "features": lambda m: gt.Graph(m, [(0, 1)]),
    "adjacency": lambda m: gt.Graph(np.ones((5, 1)), m),
    "directed adjacency": lambda m: gt.Graph(np.ones((5, 1)), m, directed=True),
    "from_scipy": lambda m: gt.from_scipy(m, m),
    "from_scipy of many": lambda m: gt.from_scipy([m]),
    "fit": lambda m: gt.GraphTreeRegressor().fit(m, np.arange(5.0)),
    "early stopping": lambda m: gt.GraphBoostingRegressor(early_stopping=True).fit(
        m, np.arange(5.0)
    ),
    "predict": lambda m: a_model().predict(m),
    "eval_set": lambda m: gt.GraphBoostingRegressor(n_estimators=1).fit(
        VALUES, np.arange(5.0), eval_set=(m, np.arange(5.0))
    ),
    "explain": lambda m: a_model().explain(m),
    "permutation importance": lambda m: gt.permutation_importance(a_model(), m, np.arange(5.0)),
    "inspect": lambda m: gt.inspect(m, np.arange(5.0)),
}


def a_model():
    return gt.GraphTreeRegressor().fit(VALUES, np.arange(5.0))


def a_matrix(kind: str) -> sp.sparray:
    matrix = getattr(sp, f"{kind}_array")(VALUES)
    if kind == "bsr":
        matrix = sp.bsr_array(VALUES, blocksize=(1, 1))
    return matrix


def with_entry(kind: str, array: str, place: int, value: int) -> sp.sparray:
    """A matrix with one entry of one of its index arrays changed."""
    matrix = a_matrix(kind)
    changed = np.array(getattr(matrix, array))
    changed[place % len(changed)] = value
    setattr(matrix, array, changed)
    return matrix


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    ("kind", "array", "place", "value"),
    [
        ("csr", "indptr", 2, 10**6),
        ("csr", "indptr", 5, 10**6),
        ("csr", "indptr", 1, -5),
        ("csr", "indices", 0, 10**8),
        ("csr", "indices", 3, -(10**8)),
        ("csc", "indices", 0, 10**8),
        ("csc", "indptr", 3, 10**6),
        ("bsr", "indices", 0, 10**8),
        ("coo", "row", 0, 10**8),
        ("coo", "col", 2, -(10**8)),
    ],
)
def test_an_index_outside_the_matrix_is_refused(use, kind, array, place, value):
    with pytest.raises(ValueError, match=rf"(X|features|adjacency): the {kind} matrix is broken"):
        USES[use](with_entry(kind, array, place, value))


def test_the_message_says_what_is_wrong():
    broken = with_entry("csr", "indices", 3, 7)
    with pytest.raises(
        ValueError,
        match=r"^features: the csr matrix is broken: indices\[3\] is 7; wanted are integers from 0",
    ):
        gt.Graph(broken, [])
    with pytest.raises(ValueError, match="indptr ends at 99; there are 10 entries"):
        gt.Graph(with_entry("csr", "indptr", 5, 99), [])
    with pytest.raises(ValueError, match="indptr must never fall; it does at 2"):
        gt.Graph(with_entry("csr", "indptr", 2, 9), [])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_matrix_is_read_as_it_is_or_refused_whatever_one_entry_holds(data):
    kind = data.draw(st.sampled_from(tuple(ARRAYS)))
    array = data.draw(st.sampled_from(ARRAYS[kind]))
    place, value = (
        data.draw(st.integers(0, 20)),
        data.draw(st.sampled_from(FAR) | st.integers(0, 4)),
    )
    broken = with_entry(kind, array, place, value)
    try:
        graph = gt.Graph(broken, [(0, 1)])
    except ValueError as error:
        told = str(error)
    else:
        told = ""
        np.testing.assert_array_equal(graph.features.toarray(), broken.toarray())
    assert not told or "matrix is broken" in told


@pytest.mark.parametrize("array", ["rows", "data"])
def test_lists_of_a_lil_matrix_are_checked_too(array):
    matrix = sp.lil_array(VALUES)
    getattr(matrix, array)[1].append(10**8)
    with pytest.raises(ValueError, match="the lil matrix is broken: row 1 has"):
        gt.Graph(matrix, [])
    matrix = sp.lil_array(VALUES)
    matrix.rows[1][0] = 10**8
    with pytest.raises(ValueError, match=r"rows\[1\] holds 100000000; wanted are integers"):
        gt.Graph(matrix, [])


@pytest.mark.parametrize("kind", FORMATS)
def test_every_sound_format_reads_alike(kind):
    graph = gt.Graph(a_matrix(kind), a_matrix(kind))
    np.testing.assert_array_equal(graph.features.toarray(), VALUES)
    np.testing.assert_array_equal(graph.adjacency().toarray(), VALUES)


def test_an_index_array_of_numbers_with_fractions_is_refused():
    matrix = a_matrix("csr")
    matrix.indices = matrix.indices.astype(float)
    with pytest.raises(ValueError, match="indices must be one-dimensional integers; it is float64"):
        gt.Graph(matrix, [])
