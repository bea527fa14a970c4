"""The synthetic tasks, against what their words mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graphtrees.datasets import make_red_isolated_vertex, make_walk_counts

WALK_TYPES = ["source", "cycle", "target", "target_source"]


def isolated_and_red(graph):
    isolated = np.setdiff1d(np.arange(graph.n_vertices), graph.edge_index)
    return isolated, graph.features[:, 0] == 1


@pytest.mark.parametrize("n_vertices", [4, 5, 6, 50])
def test_class_one_has_exactly_one_red_isolated_vertex(n_vertices):
    task = make_red_isolated_vertex(n_graphs=101, n_vertices=n_vertices, random_state=0)
    for graph, label in zip(task.X, task.y, strict=True):
        isolated, red = isolated_and_red(graph)
        assert (red[isolated].sum() == 1) == (label == 1)
    assert task.y.sum() == 50


def test_counts_of_red_and_of_isolated_vertices_tell_no_class():
    task = make_red_isolated_vertex(n_graphs=4000, n_vertices=20, random_state=1)
    counts = np.array([[len(i), r.sum()] for i, r in map(isolated_and_red, task.X)])
    for column in counts.T:
        one, other = column[task.y == 1], column[task.y == 0]
        error = np.sqrt(one.var() / len(one) + other.var() / len(other))
        assert abs(one.mean() - other.mean()) < 4 * error


def test_graphs_are_undirected_and_simple():
    task = make_red_isolated_vertex(n_graphs=20, n_vertices=12, random_state=2)
    assert task.X.feature_names == ("red",)
    assert not task.X.directed
    for graph in task.X:
        matrix = graph.adjacency().toarray()
        assert matrix.max() <= 1
        assert np.diag(matrix).sum() == 0


def count_walks(graph, walk_length, keeps) -> int:
    """Every sequence of vertices, tried one by one."""
    steps = set(map(tuple, graph.edge_index.T.tolist()))
    if not graph.directed:
        steps |= {(j, i) for i, j in steps}
    red = graph.features[:, 0] == 1
    walks = itertools.product(range(graph.n_vertices), repeat=walk_length + 1)
    return sum(
        keeps(red, walk[0], walk[-1])
        for walk in walks
        if all(step in steps for step in itertools.pairwise(walk))
    )


KEEPS = {
    "source": lambda red, start, end: red[start],
    "cycle": lambda red, start, end: red[start] and start == end,
    "target": lambda red, start, end: red[end],
    "target_source": lambda red, start, end: red[start] and red[end],
}


@pytest.mark.parametrize("walk_type", WALK_TYPES)
@pytest.mark.parametrize("walk_length", [0, 1, 2, 3])
@pytest.mark.parametrize("directed", [True, False])
def test_counts_are_those_of_trying_every_walk(walk_type, walk_length, directed):
    task = make_walk_counts(
        walk_type,
        n_graphs=4,
        n_vertices=6,
        walk_length=walk_length,
        directed=directed,
        random_state=3,
    )
    assert task.X.directed == directed
    by_hand = [count_walks(graph, walk_length, KEEPS[walk_type]) for graph in task.X]
    np.testing.assert_array_equal(task.y, by_hand)


def test_the_four_tasks_differ_on_the_same_graphs():
    counts = [make_walk_counts(kind, n_graphs=20, random_state=4).y for kind in WALK_TYPES]
    for one, other in itertools.combinations(counts, 2):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    "make",
    [make_red_isolated_vertex, lambda **given: make_walk_counts("cycle", **given)],
    ids=["red isolated", "walk counts"],
)
class TestEveryTask:
    def test_the_seed_decides(self, make):
        one, same = make(n_graphs=6, random_state=7), make(n_graphs=6, random_state=7)
        other = make(n_graphs=6, random_state=8)
        np.testing.assert_array_equal(one.X.flat.edges, same.X.flat.edges)
        np.testing.assert_array_equal(one.X.flat.features, same.X.flat.features)
        np.testing.assert_array_equal(one.y, same.y)
        assert not np.array_equal(one.X.flat.features, other.X.flat.features)

    def test_the_split_shares_out_the_graphs(self, make):
        (split,) = make(n_graphs=10, random_state=0).splits
        assert {part: len(rows) for part, rows in split.items()} == {"train": 8, "test": 2}
        assert sorted(np.concatenate(list(split.values()))) == list(range(10))

    def test_no_graphs_are_a_task_too(self, make):
        task = make(n_graphs=0)
        assert len(task.X) == len(task.y) == 0

    @pytest.mark.parametrize("n_graphs", [-1, 2.5, "3", True])
    def test_a_count_that_is_none_is_refused(self, make, n_graphs):
        with pytest.raises(ValueError, match=r"n_graphs must be an integer of at least 0; got"):
            make(n_graphs=n_graphs)


def test_one_vertex_has_no_walks_but_the_empty_one():
    assert make_walk_counts("source", n_graphs=3, n_vertices=1).y.tolist() == [0, 0, 0]
    task = make_walk_counts("cycle", n_graphs=3, n_vertices=1, walk_length=0, random_state=0)
    np.testing.assert_array_equal(task.y, task.X.flat.features[:, 0])


def test_bad_arguments_are_told():
    with pytest.raises(ValueError, match="n_vertices must be an integer of at least 4; got 3"):
        make_red_isolated_vertex(n_vertices=3)
    with pytest.raises(
        ValueError, match="walk_type must be one of source, cycle, target, target_s"
    ):
        make_walk_counts("sources")
    with pytest.raises(ValueError, match="walk_length must be an integer of at least 0; got -1"):
        make_walk_counts("source", walk_length=-1)
    with pytest.raises(ValueError, match="random_state must be None, an integer from 0 to 42949"):
        make_walk_counts("source", random_state=2**63)
