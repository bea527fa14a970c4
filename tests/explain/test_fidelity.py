"""Removing and keeping vertices, and what that says about explanations."""

import sys

import numpy as np
import pytest
from builders import a_path, some_graphs
from models import small

import graphtrees as gt
from graphtrees.explain import explain_many, fidelity
from graphtrees.explain.counting import Counted, count
from graphtrees.explain.fidelity import _parts
from graphtrees.explain.removal import keep_edges, keep_vertices
from graphtrees.graphs import Graphs
from graphtrees.validation.models import fitted_trees, workers_of


@pytest.fixture(scope="module")
def red():
    """A model that has learned to look at isolated red vertices."""
    data = gt.datasets.make_red_isolated_vertex(n_graphs=600, n_vertices=12, random_state=0)
    model = gt.GraphBoostingClassifier(n_estimators=50, random_state=0).fit(data.X, data.y)
    return model, data


def test_kept_vertices_keep_their_edges_features_and_names():
    first = a_path(4, edge_weights=[1.0, 2.0, 3.0], vertex_names=list("abcd"))
    second = a_path(3, edge_weights=[4.0, 5.0], vertex_names=list("efg"))
    flat = Graphs([first, second]).flat
    cut = Graphs._of(keep_vertices(flat, np.array([1, 0, 1, 1, 1, 1, 0], bool)))
    assert cut[0].features.ravel().tolist() == [0.0, 2.0, 3.0]
    assert cut[0].edge_index.T.tolist() == [[1, 2]]
    assert cut[0].edge_weights.tolist() == [3.0]
    assert cut[1].edge_index.T.tolist() == [[0, 1]]
    assert cut[1].vertex_names.tolist() == ["e", "f"]


def test_keeping_all_or_no_vertices_works():
    flat = some_graphs(4, n_edge_types=2, weighted=True).flat
    everything = keep_vertices(flat, np.ones(flat.n_vertices, bool))
    np.testing.assert_array_equal(everything.edges, flat.edges)
    np.testing.assert_array_equal(everything.edge_types, flat.edge_types)
    nothing = keep_vertices(flat, np.zeros(flat.n_vertices, bool))
    assert (nothing.n_graphs, nothing.n_vertices, nothing.n_edges) == (4, 0, 0)


def test_kept_edges_leave_all_vertices():
    flat = Graphs([a_path(4)]).flat
    cut = keep_edges(flat, np.array([False, True, False]))
    assert cut.n_vertices == 4
    assert cut.edges.T.tolist() == [[1, 2]]


def test_important_vertices_matter_more_than_random_ones(red):
    model, data = red
    found = fidelity(model, data.X, top=[1, 2], random_state=0)
    for size in (1, 2):
        ours, chance = (found.row("removed", how, size) for how in ("most important", "random"))
        assert ours["change"] > 1.5 * chance["change"]
        assert ours["flipped"] > chance["flipped"]
        assert found.row("removed", "least important", size)["change"] < chance["change"]


def test_fidelity_is_what_removing_by_hand_gives(red):
    model, data = red
    explained = explain_many(model, data.X)
    clear = [np.ptp(np.sort(e.vertex_importance)[-2:]) > 0 for e in explained]
    X = data.X[np.flatnonzero(clear)[:5]]  # where two are equal, chance decides between them
    found = fidelity(model, X, top=[1], random_state=0)
    falls, flips = [], []
    for graph in X:
        explanation = model.explain(graph)
        first = explanation.vertex_importance.argmax()
        rest = Graphs._of(keep_vertices(graph.flat, np.arange(graph.n_vertices) != first))
        code = list(model.classes_).index(explanation.class_)
        falls.append(explanation.score - model.predict_proba(rest)[0, code])
        flips.append(model.predict(rest)[0] != explanation.prediction)
    row = found.row("removed", "most important", 1)
    assert row["change"] == pytest.approx(np.mean(falls))
    assert row["flipped"] == np.mean(flips)


def counted_of(model, X, method: str = "attribution") -> Counted:
    with workers_of(model) as workers:
        return count(fitted_trees(model), X, None, workers, method)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_every_ranking_is_a_permutation_that_ends_with_what_was_asked(about):
    graphs = some_graphs(6, n_vertices=(2, 6))
    X = graphs if about == "graphs" else graphs.vertices
    model = small(gt.GraphBoostingRegressor).fit(X, np.linspace(0, 1, len(X)))
    (part,) = _parts(counted_of(model, X))
    for ranking in ("most important", "least important", "random"):
        rank = part.ranks(ranking, np.random.default_rng(0))
        for example in range(len(X)):
            mine = rank[part.ptr[example] : part.ptr[example + 1]]
            assert sorted(mine) == list(range(len(mine)))
            if about == "vertices":
                assert mine[X.vertex_of[example]] == len(mine) - 1
            values = part.importance[part.ptr[example] : part.ptr[example + 1]]
            if about == "graphs" and ranking == "most important":
                assert (np.diff(values[np.argsort(mine)]) <= 0).all()


def test_vertices_are_judged_with_the_asked_vertex_kept():
    graphs = some_graphs(5, n_vertices=(1, 5))
    X = graphs.vertices
    model = small(gt.GraphBoostingClassifier).fit(X, np.arange(len(X)) % 2)
    found = fidelity(model, X, fractions=[0.5], random_state=0)
    assert found.n_examples == len(X)
    assert all(0 <= row["flipped"] <= 1 for row in found.rows)


def test_large_examples_are_judged_in_parts(red, monkeypatch):
    model, data = red
    whole = fidelity(model, data.X[:20], top=[1], random_state=0)
    monkeypatch.setattr(sys.modules["graphtrees.explain.fidelity"], "VERTICES_AT_ONCE", 50)
    parts = fidelity(model, data.X[:20], top=[1], random_state=0)
    assert parts.n_examples == whole.n_examples
    # Ties are broken by another draw; the verdict is about the same examples.
    assert parts.row("removed", "most important", 1)["change"] == pytest.approx(
        whole.row("removed", "most important", 1)["change"], abs=0.15
    )


def test_numbers_change_in_size_and_never_flip():
    X = some_graphs(10)
    model = small(gt.GraphBoostingRegressor).fit(X, np.linspace(0, 1, 10))
    found = fidelity(model, X, random_state=0)
    assert all(row["flipped"] == 0 and row["change"] >= 0 for row in found.rows)
    assert "flipped" not in str(found)


def test_the_same_seed_gives_the_same_table(red):
    model, data = red
    first, second = (fidelity(model, data.X[:20], random_state=7) for _ in range(2))
    assert first.rows == second.rows


def test_the_table_prints_and_has_html(red):
    model, data = red
    found = fidelity(model, data.X[:20], fractions=[0.25], random_state=0)
    lines = str(found).splitlines()
    assert lines[1].split("  ")[0] == "vertices"
    assert lines[2].startswith("25% removed")
    assert len({len(line) for line in lines[1:]}) == 1
    assert found._repr_html_().count("<tr>") == 3


def test_the_table_becomes_a_dataframe(red):
    pytest.importorskip("pandas")
    model, data = red
    frame = fidelity(model, data.X[:20], top=[1, 3], random_state=0).to_dataframe()
    assert list(frame.columns) == ["action", "size", "ranking", "flipped", "change"]
    assert len(frame) == 2 * 2 * 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"fractions": [0.0]}, "fractions must lie between 0 and 1; got 0.0"),
        ({"top": [0]}, "top must hold whole numbers of at least 1; got 0"),
        ({"n_random": 0}, "n_random must be an integer of at least 1; got 0"),
        ({"n_random": 2**31}, "n_random must be at most 1000000; got 2147483648"),
    ],
)
def test_bad_sizes_are_refused_in_words(red, given, words):
    model, data = red
    with pytest.raises(ValueError, match=words):
        fidelity(model, data.X[:5], **given)


def test_rows_of_a_table_have_no_vertices_to_remove():
    rows = np.random.default_rng(0).normal(size=(20, 2))
    model = small(gt.GraphTreeClassifier).fit(rows, np.arange(20) % 2)
    with pytest.raises(ValueError, match="rows of a table have no vertices to remove"):
        fidelity(model, rows)


def test_for_edges_it_is_edges_that_are_removed():
    ring = gt.Graph(np.arange(12.0)[:, None], [(i, (i + 1) % 12) for i in range(12)])
    model = small(gt.GraphBoostingClassifier).fit(ring.edges, np.arange(12) // 3 % 2)
    found = fidelity(model, ring.edges, top=[2], random_state=0)
    assert found.unit == "edges"
    assert found.n_examples == 12
    assert "2 removed" in str(found)


def without(graph: gt.Graph, gone) -> tuple[gt.Graph, np.ndarray]:
    """The graph without some vertices, and the new numbers of those that stay."""
    keep = np.setdiff1d(np.arange(graph.n_vertices), gone)
    number = np.full(graph.n_vertices, -1)
    number[keep] = np.arange(len(keep))
    ends = number[graph.edge_index]
    return gt.Graph(graph.features[keep], ends[:, (ends >= 0).all(axis=0)].T), number


def taken(importance: np.ndarray, asked: int | None, ranking: str, size: float) -> np.ndarray:
    """The vertices that are the first to go, worked out anew; None where a tie decides."""
    others = [v for v in range(len(importance)) if v != asked]
    sign = -1 if ranking == "most important" else 1
    ordered = sorted(others, key=lambda v: sign * importance[v])
    n = min(size if isinstance(size, int) else max(1, round(len(others) * size)), len(others))
    tied = 0 < n < len(ordered) and importance[ordered[n - 1]] == importance[ordered[n]]
    return None if tied else np.array(ordered[:n], int)


@pytest.mark.parametrize("size", [1, 2, 0.3, 0.5])
@pytest.mark.parametrize("ranking", ["most important", "least important"])
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_the_vertices_removed_are_those_of_the_ranking(about, ranking, size):
    graphs = some_graphs(60 if about == "graphs" else 20, n_vertices=(4, 7), n_features=1)
    X = graphs if about == "graphs" else graphs.vertices
    y = np.random.default_rng(0).normal(size=len(X))
    model = small(gt.GraphTreeRegressor, max_leaf_nodes=12).fit(X, y)
    explained, removed, kept = [], [], []
    for k, e in enumerate(explain_many(model, X)):
        graph = graphs[k] if about == "graphs" else graphs[int(X.graph_of[k])]
        asked = None if about == "graphs" else int(X.vertex_of[k])
        gone = taken(e.vertex_importance, asked, ranking, size)
        if gone is None:
            continue
        explained.append(k)
        rest = np.setdiff1d(
            np.arange(graph.n_vertices), [*gone, *([] if asked is None else [asked])]
        )
        for group, out in ((gone, removed), (rest, kept)):
            cut, number = without(graph, group)
            out.append([cut] if asked is None else cut.vertices[[number[asked]]])
    assert len(explained) >= 3
    said = model.predict(X[explained])
    sizes = {"top": [size]} if isinstance(size, int) else {"fractions": [size]}
    result = fidelity(model, X[explained], **sizes, random_state=0)
    for action, cuts in (("removed", removed), ("kept alone", kept)):
        after = np.array([model.predict(one)[0] for one in cuts])
        row = result.row(action, ranking, size)
        assert row["change"] == pytest.approx(np.abs(said - after).mean(), abs=1e-12), action
        assert row["change"] > 0
