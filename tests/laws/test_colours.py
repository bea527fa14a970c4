"""Colours are those of a plain reading of their definition, and questions about them are sound."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtrees as gt
from graphtrees.questions.colours import refine

ELEMENTS = ("C", "N", "O")


def plain_rounds(graph: gt.Graph, values: np.ndarray, directed: bool, rounds: int) -> list[list]:
    """Colours as nested tuples, straight from the definition."""
    colours = [tuple("missing" if np.isnan(v) else float(v) for v in row) for row in values]
    types = graph.edge_types
    every = [colours]
    for _ in range(rounds):
        near: list[set] = [set() for _ in colours]
        for e, (u, v) in enumerate(graph.edge_index.T.tolist()):
            kind = None if types is None else str(types[e])
            near[v].add((kind, "in" if directed else "", u))
            near[u].add((kind, "out" if directed else "", v))
        colours = [
            (own, tuple(sorted((repr(kind), way, repr(colours[u])) for kind, way, u in met)))
            for own, met in zip(colours, near, strict=True)
        ]
        every.append(colours)
    return every


@st.composite
def odd_graphs(draw):
    n = draw(st.integers(1, 9))
    ends = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ends, ends), max_size=14))
    directed, typed = draw(st.booleans()), draw(st.booleans())
    values = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, np.nan]), min_size=n, max_size=n))
    types = [draw(st.sampled_from(["a", "b"])) for _ in edges] if typed and edges else None
    return gt.Graph(np.array(values)[:, None], edges, directed=directed, edge_types=types), directed


@settings(max_examples=75, deadline=None)
@given(odd_graphs())
def test_two_vertices_share_a_colour_where_the_definition_says_so(case):
    graph, directed = case
    flat = gt.Graphs([graph]).flat
    values = np.asarray(flat.features, np.float64)
    by_type = flat.edge_types is not None and len(flat.edge_type_names) > 1
    plain = plain_rounds(graph if by_type else untyped(graph), values, directed, 3)
    for numbers, tuples in zip(refine(flat, values, by_type, 3), plain, strict=True):
        same = np.equal.outer(numbers, numbers)
        told = np.array([[a == b for b in tuples] for a in tuples])
        np.testing.assert_array_equal(same, told)


def untyped(graph: gt.Graph) -> gt.Graph:
    return gt.Graph(graph.features, graph.edge_index.T, directed=graph.directed)


def molecule(rng: np.random.Generator) -> gt.Graph:
    """A random tree of atoms."""
    n = int(rng.integers(4, 11))
    edges = [(int(rng.integers(0, v)), v) for v in range(1, n)]
    return gt.Graph(pd.DataFrame({"atom": pd.Categorical(rng.choice(ELEMENTS, n))}), edges)


def neighbours(graph: gt.Graph) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(graph.n_vertices)]
    for u, v in graph.edge_index.T.tolist():
        near[u].append(v)
        near[v].append(u)
    return near


def motif_data(n: int = 160, seed: int = 0):
    rng = np.random.default_rng(seed)
    graphs = [molecule(rng) for _ in range(n)]
    y = []
    for graph in graphs:
        atoms = [ELEMENTS[int(code)] for code in np.asarray(graph.features).ravel()]
        found = [
            atom == "N" and sorted(atoms[u] for u in near) == ["C", "O"]
            for atom, near in zip(atoms, neighbours(graph), strict=True)
        ]
        y.append(int(any(found)))
    return gt.Graphs(graphs), np.array(y)


def test_one_question_about_a_neighbourhood_finds_a_motif():
    X, y = motif_data()
    tree = gt.GraphTreeClassifier(colours=1, max_leaf_nodes=2).fit(X, y)
    assert tree.score(X, y) == 1.0
    row = tree.trees_to_dataframe().iloc[0]
    assert (row["feature"], row["category"]) == ("neighbourhood", "N(C, O)")
    assert "neighbourhood = N(C, O)" in gt.export_text(tree)
    assert tree.colour_importance_ == 1.0
    assert tree.feature_importances_.sum() == 0.0


def explicit(model, X: gt.Graphs) -> tuple[gt.Graphs, list[int]]:
    """The same graphs with an indicator for every colour as a feature of its own."""
    flat = X.flat
    encoded = model._fitted.features.encode(flat).toarray()
    graphs = [
        gt.Graph(encoded[flat.vertex_ptr[g] : flat.vertex_ptr[g + 1]], X[g].edge_index.T)
        for g in range(len(X))
    ]
    n_colours = model._fitted.features.n_colours
    lengths = [2] * (encoded.shape[1] - n_colours) + [0] * n_colours
    return gt.Graphs(graphs), lengths


@pytest.mark.parametrize("max_bins", [255, 4, None])
@pytest.mark.parametrize("colours", [1, 3])
def test_colours_are_as_good_as_indicator_features_that_are_never_walked(colours, max_bins):
    X, y = motif_data(80, seed=1)
    values = y + np.random.default_rng(0).normal(size=len(y))
    given = {
        "aggregators": ("sum", "mean"),
        "add_constant": False, "max_bins": max_bins, "min_samples_leaf": 3, "n_estimators": 12,
    }  # fmt: skip
    model = gt.GraphBoostingRegressor(colours=colours, **given).fit(X, values)
    assert model.colour_importance_ > 0.05
    wide, lengths = explicit(model, X)
    plain = gt.GraphBoostingRegressor(max_walk_length=lengths, **given).fit(wide, values)
    np.testing.assert_array_equal(model.predict(X), plain.predict(wide))


def test_vertices_are_asked_about_their_own_colour():
    X, _ = motif_data(12, seed=2)
    vertices = gt.Vertices(X)
    flat = X.flat
    first = np.asarray(flat.features).ravel()
    wanted = np.array([len(near) for g in range(len(X)) for near in neighbours(X[g])])
    y = np.where(first == 0, wanted, 0)  # of a C, how many neighbours it has
    settings_ = {"max_walk_length": 0, "max_ancestor_distance": 0, "add_constant": False}
    blind = gt.GraphTreeRegressor(**settings_).fit(vertices, y)
    seeing = gt.GraphTreeRegressor(colours=1, **settings_).fit(vertices, y)
    assert blind.score(vertices, y) < 0.9
    assert seeing.score(vertices, y) > 0.999


def test_only_colours_that_enough_examples_hold_are_asked_about():
    X, y = motif_data(60)
    few = gt.GraphBoostingClassifier(2, colours=2, min_samples_leaf=10).fit(X, y)
    flat, table = X.flat, few._fitted.features
    numbers = table.colour_numbers(flat)
    graph = np.repeat(np.arange(len(X)), np.diff(flat.vertex_ptr))
    for k in range(table.n_colours):
        held = np.unique(graph[(numbers == k).any(axis=0)])
        assert len(held) >= 10
    every = gt.GraphBoostingClassifier(2, colours=2, min_samples_leaf=1).fit(X, y)
    assert every._fitted.features.n_colours > table.n_colours > 0


def relabelled(graph: gt.Graph, rng: np.random.Generator) -> gt.Graph:
    order = rng.permutation(graph.n_vertices)
    atoms = [ELEMENTS[int(code)] for code in np.asarray(graph.features).ravel()]
    new = np.empty(graph.n_vertices, object)
    new[order] = atoms
    edges = order[graph.edge_index].T[rng.permutation(graph.n_edges)]
    frame = pd.DataFrame({"atom": pd.Categorical(new, categories=ELEMENTS)})
    return gt.Graph(frame, edges)


@pytest.mark.parametrize(
    "model",
    [
        gt.GraphBoostingClassifier(10, colours=2, min_samples_leaf=2),
        gt.GraphForestClassifier(8, colours=2, random_state=0, bootstrap=False),
    ],
    ids=["boosting", "forest"],
)
def test_the_order_of_vertices_and_edges_changes_no_bit(model):
    X, y = motif_data(70, seed=3)
    rng = np.random.default_rng(0)
    other = gt.Graphs([relabelled(X[g], rng) for g in range(len(X))])
    one = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(one, model.predict_proba(other))
    np.testing.assert_array_equal(one, model.fit(other, y).predict_proba(other))


def test_the_number_of_threads_changes_no_bit():
    X, y = motif_data(120, seed=4)
    probabilities = [
        gt.GraphForestClassifier(6, colours=3, random_state=0, n_jobs=n).fit(X, y).predict_proba(X)
        for n in (1, 3)
    ]
    np.testing.assert_array_equal(*probabilities)


def test_labels_that_training_did_not_know_have_no_colour():
    X, y = motif_data()
    model = gt.GraphBoostingClassifier(5, colours=2).fit(X, y)
    frame = pd.DataFrame({"atom": pd.Categorical(["Xe", "C", None])})
    strange = gt.Graphs([gt.Graph(frame, [(0, 1), (1, 2)])])
    assert np.isfinite(model.predict_proba(strange)).all()
    assert (model._fitted.features.colour_numbers(strange.flat) == -1).all()


@pytest.mark.parametrize("of", ["graphs", "vertices"])
def test_explanations_add_up(of):
    X, y = motif_data(60)
    examples, target = X, y.astype(float)
    if of == "vertices":
        examples = gt.Vertices(X)
        target = np.random.default_rng(0).normal(size=len(examples))
    model = gt.GraphBoostingRegressor(8, colours=2, min_samples_leaf=2).fit(examples, target)
    for k in range(5):
        e = model.explain(examples[k])
        change = e.raw_score - e.start
        assert e.raw_score == pytest.approx(float(model.predict(examples[k : k + 1])[0]))
        assert e.vertex_attribution.sum() + e.absence == pytest.approx(change)
        total = e.edge_attribution.sum() + e.walk_length_zero + e.absence
        assert total == pytest.approx(change)


@pytest.mark.parametrize("of", ["graphs", "vertices", "edges"])
def test_a_model_is_saved_loaded_and_pickled(of, tmp_path):
    X, y = motif_data(50)
    if of != "graphs":
        X = gt.Vertices(X) if of == "vertices" else gt.Edges(X)
        y = np.random.default_rng(0).normal(size=len(X))
        model = gt.GraphForestRegressor(5, colours=2, random_state=0).fit(X, y)
    else:
        model = gt.GraphForestClassifier(5, colours=2, random_state=0).fit(X, y)
    assert model.colour_importance_ > 0
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    assert again.trees_to_dataframe().equals(model.trees_to_dataframe())
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict(X), thawed.predict(X))


def stored_model(tmp_path) -> dict:
    X, y = motif_data(50)
    gt.GraphTreeClassifier(colours=2, min_samples_leaf=4).fit(X, y).save(tmp_path / "model.json")
    return json.loads((tmp_path / "model.json").read_text())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("features",), [5]),
        (("features",), [0, 0]),
        (("ways",), ["", ""]),
        (("values", 0), ["C"]),
        (("values",), []),
        (("rounds", 0, "own", 0), 99),
        (("rounds", 1, "near", 0), -1),
        (("rounds", 1, "n_neighbours", 0), 10**9),
        (("rounds", 0, "way", 0), 3),
        (("rounds", 0, "is_feature"), [1]),
        (("rounds",), []),
        (("rounds", 0), {}),
    ],
)
def test_damaged_colours_are_refused(path, value, tmp_path):
    content = stored_model(tmp_path)
    at = content["features"]["colours"]
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError):
        gt.load_model(tmp_path / "model.json")


def test_the_colours_of_a_round_may_be_stored_in_any_order(tmp_path):
    """A file must not depend on the numbers that colours are hashed to."""
    content = stored_model(tmp_path)
    wanted = gt.load_model(tmp_path / "model.json")
    colours = content["features"]["colours"]
    last = len(colours["values"]) - 1
    assert last > 0
    colours["values"].reverse()
    for name in ("own", "near"):
        first = colours["rounds"][0]
        first[name] = [last - place for place in first[name]]
    (tmp_path / "model.json").write_text(json.dumps(content))
    X, _ = motif_data()
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), wanted.predict_proba(X))


def test_a_colour_that_is_stored_twice_is_refused(tmp_path):
    content = stored_model(tmp_path)
    values = content["features"]["colours"]["values"]
    values[0] = values[1]
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match="a colour is there twice"):
        gt.load_model(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"colours": -1}, "colours"),
        ({"colours": 1.5}, "colours"),
        ({"colours": 1, "colour_features": ["atoms"]}, "colour_features names 'atoms'"),
        ({"colours": 1, "colour_features": [3]}, "colour_features must be 'auto'"),
        ({"colours": 1, "colour_features": 2.5}, "colour_features"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    X, y = motif_data(20)
    with pytest.raises(ValueError, match=message):
        gt.GraphBoostingClassifier(**parameters).fit(X, y)


def test_without_features_colours_are_degrees_and_beyond():
    star, path = gt.Graph(None, [(0, 1), (0, 2), (0, 3)]), gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    X = gt.Graphs([star, path] * 5)
    tree = gt.GraphTreeClassifier(colours=1, max_walk_length=0, max_ancestor_distance=0).fit(
        X, [1, 0] * 5
    )
    assert tree.score(X, [1, 0] * 5) == 1.0
    assert "neighbourhood = vertex(" in gt.export_text(tree)


def test_numbers_with_many_values_are_left_out_unless_they_are_named():
    rng = np.random.default_rng(0)
    graphs = [gt.Graph(rng.normal(size=(5, 1)), [(0, 1), (1, 2)]) for _ in range(20)]
    auto = gt.GraphBoostingRegressor(2, colours=1, min_samples_leaf=2).fit(
        graphs, rng.normal(size=20)
    )
    assert auto._fitted.features.colours.features == ()
    named = gt.GraphBoostingRegressor(2, colours=1, min_samples_leaf=2, colour_features=[0])
    assert named.fit(graphs, rng.normal(size=20))._fitted.features.colours.features == (0,)


def test_a_table_has_no_neighbourhoods():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    one = gt.GraphBoostingRegressor(3, colours=2).fit(X, y).predict(X)
    np.testing.assert_array_equal(one, gt.GraphBoostingRegressor(3).fit(X, y).predict(X))


def test_wide_neighbourhoods_are_put_into_words_at_once():
    """Written out in full, 16 rounds of four neighbours each would be 4 ** 16 words."""
    k = np.arange(36)
    right = np.stack([k, k // 6 * 6 + (k + 1) % 6], axis=1)
    down = np.stack([k, (k + 6) % 36], axis=1)
    torus = gt.Graph(None, np.concatenate([right, down]), n_vertices=36)
    line = gt.Graph(None, [(v, v + 1) for v in range(35)])
    graphs = gt.Graphs([torus, line] * 10)
    tree = gt.GraphTreeClassifier(
        colours=16, max_walk_length=0, add_constant=False, min_samples_leaf=1
    ).fit(graphs, [0, 1] * 10)
    assert tree.get_n_leaves() == 2
    texts = [
        tree._fitted.features.category(1 + k, -1) for k in range(tree._fitted.features.n_colours)
    ]
    assert max(map(len, texts)) < 150
    assert len(set(texts)) == len(texts)
    assert any(text.startswith("vertex(4 vertex(4 vertex(") for text in texts)


def test_neighbourhoods_are_put_into_words_by_features_and_edge_types():
    frame = pd.DataFrame(
        {"atom": pd.Categorical(["C", "O", "O"]), "charge": [0, 2, 1], "ring": [1, 0, 0]}
    )
    acid = gt.Graph(frame, [(0, 1), (0, 2)], edge_types=["single", "double"])
    other = gt.Graph(frame, [(0, 1)], edge_types=["single"])
    tree = gt.GraphTreeClassifier(colours=1, max_walk_length=0, max_ancestor_distance=0)
    tree.fit([acid, other] * 4, [1, 0] * 4)
    texts = {
        tree._fitted.features.category(tree._fitted.features.n_features + 1 + k, -1)
        for k in range(5)
    }
    assert "[C, ring](double [O, charge=1], single [O, charge=2])" in texts
    assert "[O, charge=1](double [C, ring])" in texts
    assert "[O, charge=1]()" in texts


def test_colours_of_neighbours_alone_are_no_features():
    """Only the middles of stars have labels; the tips are what the colours of round 2 are made of.

    A tip looks like nothing that was labelled, so it is told the same as a vertex never seen.
    """
    arms = [a for a in (2, 3, 4, 5, 6) for _ in range(3)]
    stars = gt.Graphs(gt.Graph(None, [(0, k + 1) for k in range(n)]) for n in arms)
    X = stars.vertices
    middles = X[X.vertex_of == 0]
    model = gt.GraphTreeRegressor(
        colours=2,
        colour_features=[],
        max_walk_length=0,
        max_ancestor_distance=0,
        min_samples_leaf=2,
    ).fit(middles, np.array(arms, float))
    np.testing.assert_array_equal(model.predict(middles), arms)
    strange = gt.Graph(None, [(i, j) for i in range(9) for j in range(i)]).vertices
    (of_the_unknown,) = set(model.predict(strange))
    assert set(model.predict(X[X.vertex_of > 0])) == {of_the_unknown}
