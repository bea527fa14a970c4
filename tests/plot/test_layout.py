"""Where vertices are drawn."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from graphtrees.plot.layout import lay_out, lay_out_around


def ring(n):
    return np.array([np.arange(n), (np.arange(n) + 1) % n])


def lengths(place, edges):
    return np.hypot(*(place[edges[0]] - place[edges[1]]).T)


def test_a_ring_is_drawn_round():
    place = lay_out(6, ring(6))
    sides = lengths(place, ring(6))
    from_middle = np.hypot(*(place - place.mean(axis=0)).T)
    assert sides.max() / sides.min() < 1.02
    assert from_middle.max() / from_middle.min() < 1.02


def test_a_chain_is_drawn_straight_and_lying():
    place = lay_out(5, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
    assert np.ptp(place[:, 1]) < 0.05 * np.ptp(place[:, 0])
    np.testing.assert_allclose(np.abs(np.diff(place[:, 0])), 1.0, rtol=0.02)


def test_two_joined_rings_do_not_overlap():
    edges = np.c_[ring(6), ring(6) + 5]  # one vertex in common
    place = lay_out(11, edges)
    assert pdist(place).min() > 0.6


def test_the_leaves_of_a_star_are_apart():
    place = lay_out(30, np.array([np.zeros(29, int), np.arange(1, 30)]))
    assert pdist(place).min() > 0.1


def test_parts_lie_side_by_side():
    edges = np.c_[ring(5), ring(5) + 5]
    place = lay_out(13, edges)  # and three vertices alone
    boxes = [place[:5], place[5:10], place[10:]]
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            apart_x = one[:, 0].max() < other[:, 0].min() or other[:, 0].max() < one[:, 0].min()
            apart_y = one[:, 1].max() < other[:, 1].min() or other[:, 1].max() < one[:, 1].min()
            assert apart_x or apart_y


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_graphs_without_edges_are_laid_out(n):
    place = lay_out(n, np.zeros((2, 0), int))
    assert place.shape == (n, 2)
    assert n < 2 or pdist(place).min() > 0.5


def test_loops_and_doubled_edges_do_not_matter():
    plain = lay_out(4, ring(4))
    odd = lay_out(4, np.c_[ring(4), ring(4)[::-1], [[1], [1]]])
    np.testing.assert_allclose(pdist(plain), pdist(odd), rtol=1e-6)


def test_the_same_graph_is_always_drawn_alike():
    np.testing.assert_array_equal(lay_out(9, ring(9)), lay_out(9, ring(9)))


def test_three_hundred_vertices_keep_apart():
    rng = np.random.default_rng(0)
    parents = np.array([rng.integers(max(0, i - 5), i) for i in range(1, 300)])
    place = lay_out(300, np.array([parents, np.arange(1, 300)]))
    nearest = np.sort(np.linalg.norm(place[:, None] - place[None], axis=2), axis=1)[:, 1]
    assert np.median(nearest) > 0.4


def test_rings_lie_around_the_middle_by_steps():
    edges = np.array([(0, 1), (0, 2), (2, 3), (3, 4), (5, 5)]).T
    place = lay_out_around(6, edges, np.array([0]))
    np.testing.assert_allclose(np.hypot(*place.T), [0, 1, 1, 2, 3, 4], atol=1e-12)


def test_the_two_ends_of_an_edge_share_the_middle():
    place = lay_out_around(4, np.array([(0, 1), (1, 2), (0, 3)]).T, np.array([0, 1]))
    np.testing.assert_allclose(place[0], -place[1], atol=1e-12)
    np.testing.assert_allclose(np.hypot(*place.T), [0.5, 0.5, 1, 1], atol=1e-12)


@pytest.mark.parametrize("n", [30, 300])
def test_vertices_on_a_ring_keep_apart(n):
    edges = np.array([(0, k) for k in range(1, n)]).T
    place = lay_out_around(n, edges, np.array([0]))
    away = np.linalg.norm(place[:, None] - place[None], axis=2)
    np.fill_diagonal(away, np.inf)
    assert away.min() > 0.7


def test_a_graph_is_laid_out_once_for_all_its_pictures(monkeypatch):
    from graphtrees.plot import layout

    calls = []
    least_stress = layout._least_stress
    monkeypatch.setattr(layout, "_least_stress", lambda hops: calls.append(1) or least_stress(hops))
    edges = np.array([[0, 1, 2, 3, 4, 4, 2], [1, 2, 3, 4, 0, 5, 6]])
    first = lay_out(7, edges)
    first[0] = np.nan  # what one picture does to its places is no matter of the next
    assert np.isfinite(lay_out(7, edges.astype(np.int32))).all()
    assert len(calls) == 1
