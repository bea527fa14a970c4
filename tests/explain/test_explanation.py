"""What an explanation holds and says."""

import json
import pickle

import numpy as np
import pytest
from builders import some_graphs
from models import BOOSTING, CLASSIFIERS, SIX, name_of, small

import graphtrees as gt
from graphtrees.explain import explain_many

ATOMS = ("C", "N", "O")


def molecules(n_graphs=24, seed=0, **given):
    """Rings and chains of atoms with a charge."""
    rng = np.random.default_rng(seed)
    graphs, y = [], []
    for k in range(n_graphs):
        n = int(rng.integers(4, 8))
        edges = [(i, i + 1) for i in range(n - 1)] + [(n - 1, 0)] * (k % 2)
        graphs.append(a_molecule(rng.integers(3, size=n), rng.normal(size=n), edges, **given))
        y.append("ring" if k % 2 else "chain")
    return gt.Graphs(graphs), np.array(y)


def a_molecule(atoms, charges, edges, **given):
    pandas = pytest.importorskip("pandas")
    names = pandas.Categorical([ATOMS[a] for a in atoms], categories=ATOMS)
    return gt.Graph(pandas.DataFrame({"charge": charges, "atom": names}), edges, **given)


@pytest.fixture(scope="module")
def boosted():
    X, y = molecules()
    return small(gt.GraphBoostingClassifier, n_estimators=5).fit(X, y), X


@pytest.mark.parametrize("about", ["graphs", "vertices", "rows"])
@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_importances_are_shares_for_every_kind_of_model_and_example(kind, about):
    graphs = some_graphs(10, n_vertices=(3, 6))
    X = {"graphs": graphs, "vertices": graphs.vertices, "rows": graphs.flat.features}[about]
    y = np.arange(len(X)) % 3 if kind in CLASSIFIERS else np.linspace(-1, 1, len(X))
    model = small(kind).fit(X, y)
    for explanation in explain_many(model, X):
        for shares in (explanation.vertex_importance, explanation.edge_importance):
            assert (shares >= 0).all()
            assert shares.sum() == pytest.approx(1.0 if len(shares) else 0.0)
        assert len(explanation.vertex_importance) == explanation.graph.n_vertices
        assert len(explanation.edge_importance) == explanation.graph.n_edges
        assert len(explanation.rules()) > 1


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_what_the_trees_add_makes_up_the_prediction(kind):
    X = some_graphs(12, n_vertices=(3, 6))
    classifies = kind in CLASSIFIERS
    y = np.arange(12) % 2 if classifies else np.linspace(-1, 1, 12)
    model = small(kind).fit(X, y)
    raw = model.decision_function(X) if classifies else model.predict(X)
    for explanation, value in zip(
        explain_many(model, X, 1 if classifies else None), raw, strict=True
    ):
        assert model.init_[0] + explanation.contributions.sum() == pytest.approx(value)


def test_only_the_trees_of_a_class_speak_for_it():
    X = some_graphs(12, n_vertices=(3, 6))
    model = small(gt.GraphBoostingClassifier).fit(X, np.arange(12) % 3)
    explanation = model.explain(X[0], class_=2)
    speaks = np.array(model._fitted.outputs) == 2
    assert (explanation.contributions[~speaks] == 0).all()
    assert explanation.contributions[speaks].all()
    assert explanation.rules(tree=0)[-1].endswith("speaks for another class")


def test_the_other_of_two_classes_has_the_same_importance_and_opposite_contributions(boosted):
    model, X = boosted
    ring, chain = (model.explain(X[0], class_=label) for label in ("ring", "chain"))
    np.testing.assert_array_equal(ring.vertex_importance, chain.vertex_importance)
    np.testing.assert_array_equal(ring.contributions, -chain.contributions)
    assert ring.score == pytest.approx(1 - chain.score)


def test_the_predicted_class_is_explained_unless_another_is_asked_for(boosted):
    model, X = boosted
    assert model.explain(X[0]).class_ == model.predict(X[:1])[0]
    assert model.explain(X[0], class_="ring").class_ == "ring"


def test_a_mixed_order_of_vertices_gives_each_its_own_explanation():
    graphs = some_graphs(4, n_vertices=(4, 6))
    X = graphs.vertices
    model = small(gt.GraphBoostingRegressor).fit(X, np.linspace(0, 1, len(X)) ** 2)
    order = np.random.default_rng(0).permutation(len(X))
    for place, explanation in zip(order, explain_many(model, X[order]), strict=True):
        alone = model.explain(X[int(place)])
        assert explanation.vertex == alone.vertex == X.vertex_of[place]
        np.testing.assert_array_equal(explanation.vertex_importance, alone.vertex_importance)
        np.testing.assert_array_equal(explanation.edge_importance, alone.edge_importance)


def test_the_rules_name_features_and_labels():
    X, _ = molecules(60)
    oxygens = [(g.features[:, 1] == ATOMS.index("O")).sum() for g in X]
    charges = [g.features[:, 0].max() for g in X]
    asked = gt.GraphTreeRegressor(max_leaf_nodes=2).fit(X, oxygens).explain(X[0]).rules()
    assert asked[1].startswith("node 0: the number of vertices with atom = O is ")
    asked = gt.GraphTreeRegressor(max_leaf_nodes=2).fit(X, charges).explain(X[0]).rules()
    assert asked[1].startswith("node 0: the largest charge is ")


def test_the_rules_describe_a_subset_by_the_question_that_made_it():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=300, n_vertices=20, random_state=0)
    model = gt.GraphTreeClassifier(max_leaf_nodes=4).fit(data.X, data.y)
    told = False
    for explanation in explain_many(model, data.X):
        for step in explanation.path(0).steps:
            if step.sign is not None:
                told = True
                size = len(step.used)
                assert f"(S{step.sign} of node {step.pointer}, {size} of them)" in step.sentence
    assert told


def test_rules_are_the_path_in_sentences():
    star = gt.Graph([[1.0], [0.0], [0.0]], [(0, 1), (0, 2)], feature_names=["red"])
    path = gt.Graph([[0.0], [1.0], [0.0], [0.0]], [(0, 1), (1, 2)], feature_names=["red"])
    model = gt.GraphTreeClassifier().fit([star, path], ["a", "b"])
    explanation = model.explain(path)
    (step,) = explanation.path(0).steps
    relation = ">" if step.direction == "right" else "≤"
    met = f"{step.value:g} {relation} {step.threshold:g}"
    assert explanation.rules() == [
        "tree 0",
        f"node 0: the {step.question} is {met} → {step.direction}",
        f"leaf {explanation.path(0).leaf}: says class 'b' with share 1",
    ]


def test_a_path_shares_out_the_used_subset(boosted):
    model, X = boosted
    for explanation in explain_many(model, X):
        for tree in range(explanation.n_trees):
            path = explanation.path(tree)
            assert path.leaf == model.apply(gt.Graphs([explanation.graph]))[0, tree]
            made = {}
            for step in path.steps:
                whole = np.arange(explanation.graph.n_vertices)
                used = whole if step.sign is None else made[step.pointer][step.sign]
                np.testing.assert_array_equal(step.used, used)
                np.testing.assert_array_equal(np.union1d(step.plus, step.minus), used)
                assert not np.intersect1d(step.plus, step.minus).size
                above = step.vertex_values[step.used] > step.vertex_threshold
                np.testing.assert_array_equal(step.used[above], step.plus)
                made[step.node] = {"+": step.plus, "-": step.minus}


def test_the_weightiest_trees_come_first(boosted):
    model, X = boosted
    explanation = model.explain(X[0])
    sizes = np.abs(explanation.contributions)[explanation.trees()]
    assert (np.diff(sizes) <= 0).all()
    heads = [line for line in explanation.rules(n_trees=2) if line.startswith("tree ")]
    assert heads == [f"tree {k}" for k in explanation.trees(2)]


def test_a_missing_value_is_said_to_be_missing():
    graphs = [gt.Graph([[np.nan]], []), *(gt.Graph([[k + 0.5]], []) for k in range(8))]
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, add_constant=False).fit(
        graphs, np.arange(9.0) ** 2
    )
    explanation = model.explain(graphs[0])
    assert "is missing →" in explanation.rules()[1]
    assert explanation.path(0).to_dict()["steps"][0]["value"] is None


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_subset_is_said_to_hold_missing_values_where_it_does(about):
    """Vertices without a value join one of the two subsets that a node makes."""
    graphs = some_graphs(60, n_vertices=(3, 6), missing=0.3, seed=5)
    X = graphs if about == "graphs" else graphs.vertices
    y = np.random.default_rng(0).normal(size=len(X))
    model = small(gt.GraphTreeRegressor, max_leaf_nodes=25, max_walk_length=1).fit(X, y)
    met = {True: 0, False: 0}
    for k in range(0, len(X), 1 if about == "graphs" else 5):
        steps = model.explain(X[[k]]).path(0).steps
        made = {step.node: step for step in steps}
        for step in (one for one in steps if one.sign is not None):
            maker = made[step.pointer]
            inside = maker.plus if step.sign == "+" else maker.minus
            missing = bool(np.isnan(maker.vertex_values[inside]).any())
            assert ("or missing (S" in step.sentence) is missing, step.sentence
            met[missing] += 1
    assert min(met.values()) > 0, "both kinds of subsets are met"


def test_networkx_gets_the_importances_as_attributes(boosted):
    pytest.importorskip("networkx")
    model, X = boosted
    explanation = model.explain(X[1])
    other = explanation.to_networkx()
    assert [
        d["importance"] for _, d in other.nodes(data=True)
    ] == explanation.vertex_importance.tolist()
    for (i, j), share in zip(
        explanation.graph.edge_index.T, explanation.edge_importance, strict=True
    ):
        assert other.edges[i, j]["importance"] == share


def test_parallel_edges_keep_their_own_importance_in_networkx():
    pytest.importorskip("networkx")
    graph = gt.Graph(np.eye(3), [(0, 1), (1, 0), (1, 2)], vertex_names=["a", "b", "c"])
    model = small(gt.GraphTreeRegressor).fit(graph.vertices, [1.0, 2.0, 4.0])
    explanation = model.explain(graph.vertices[2])
    other = explanation.to_networkx("share")
    shares = [other.edges["a", "b", k]["share"] for k in (0, 1)] + [
        other.edges["b", "c", 0]["share"]
    ]
    assert shares == explanation.edge_importance.tolist()


def test_a_feature_called_importance_is_not_overwritten():
    pytest.importorskip("networkx")
    graph = gt.Graph([[1.0], [2.0]], [(0, 1)], feature_names=["importance"])
    explanation = (
        small(gt.GraphTreeRegressor).fit(graph.vertices, [0.0, 1.0]).explain(graph.vertices[0])
    )
    with pytest.raises(ValueError, match="already has 'importance'"):
        explanation.to_networkx()


def test_the_dict_and_the_paths_go_through_json(boosted):
    model, X = boosted
    explanation = model.explain(X[0])
    back = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert back["class"] == explanation.class_
    assert back["vertex_importance"] == explanation.vertex_importance.tolist()
    path = json.loads(json.dumps(explanation.path(0).to_dict(), allow_nan=False))
    assert path["steps"][0]["used"] == list(range(X[0].n_vertices))


def test_the_html_shows_hostile_names_as_text():
    names = ["<script>alert(1)</script>", "b", "c"]
    graph = gt.Graph(np.eye(3), [(0, 1)], vertex_names=names, feature_names=["<b>x</b>", "y", "z"])
    model = small(gt.GraphTreeRegressor).fit(graph.vertices, [1.0, 2.0, 4.0])
    html = model.explain(graph.vertices[0])._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "<b>" not in html


def test_an_explanation_does_not_change(boosted):
    model, X = boosted
    explanation = model.explain(X[0])
    with pytest.raises(AttributeError):
        explanation.score = 1.0
    with pytest.raises(ValueError, match="read-only"):
        explanation.vertex_importance[0] = 1.0


def test_a_pickled_explanation_still_finds_its_words(boosted):
    model, X = boosted
    explanation = model.explain(X[0])
    assert pickle.loads(pickle.dumps(explanation)).rules() == explanation.rules()


@pytest.mark.parametrize(
    "graph",
    [
        gt.Graph(np.zeros((0, 2)), []),
        gt.Graph([[1.0, np.nan]], []),
        gt.Graph([[1.0, 2.0]], [(0, 0)]),
        gt.Graph(np.ones((3, 2)), []),
        gt.Graph(np.ones((2, 2)), [(0, 1), (0, 1), (1, 0)]),
    ],
    ids=["no vertices", "one vertex", "a loop", "no edges", "doubled edges"],
)
def test_odd_graphs_are_explained(graph):
    X = some_graphs(10)
    model = small(gt.GraphBoostingRegressor).fit(X, np.linspace(0, 1, 10))
    explanation = model.explain(graph)
    assert explanation.vertex_importance.shape == (graph.n_vertices,)
    assert explanation.edge_importance.shape == (graph.n_edges,)
    assert explanation.rules()


def test_a_model_without_splits_finds_all_vertices_alike():
    X = some_graphs(6)
    explanation = (
        gt.GraphTreeRegressor(max_depth=1, min_samples_leaf=6).fit(X, np.arange(6.0)).explain(X[0])
    )
    n = X[0].n_vertices
    np.testing.assert_allclose(explanation.vertex_importance, np.full(n, 1 / n))
    assert explanation.rules() == ["tree 0", "leaf 0: says 2.5"]


def test_several_outputs_are_explained_by_number():
    X = some_graphs(10)
    y = np.c_[np.arange(10.0), -(np.arange(10.0) ** 2)]
    model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y)
    assert model.explain(X[3], class_=1).score == pytest.approx(model.predict(X)[3, 1])
    assert model.explain(X[3]).score == pytest.approx(model.predict(X)[3, 0])


def test_bad_questions_are_answered_in_words(boosted):
    model, X = boosted
    with pytest.raises(ValueError, match=r"class_ must be one of \['chain', 'ring'\]; got 'blob'"):
        model.explain(X[0], class_="blob")
    with pytest.raises(ValueError, match=r"takes one example.*got 3"):
        model.explain(X[:3])
    with pytest.raises(ValueError, match="was fitted on graphs; got vertices"):
        model.explain(X[0].vertices[0])
    with pytest.raises(IndexError, match="tree must be a number below 5; got 5"):
        model.explain(X[0]).path(5)
    with pytest.raises(ValueError, match="predicts numbers"):
        small(gt.GraphTreeRegressor).fit(X, np.arange(24.0)).explain(X[0], class_="ring")
    with pytest.raises(ValueError, match=r"got a Graph.*g\.vertices\[0\]"):
        small(gt.GraphTreeRegressor).fit(X.vertices, np.arange(len(X.vertices))).explain(X[0])


def a_street(n=12):
    """A ring road with a short cut; what an edge is worth depends on its ends."""
    rng = np.random.default_rng(0)
    edges = [(i, (i + 1) % n) for i in range(n)] + [(0, n // 2)]
    return gt.Graph(rng.normal(size=(n, 1)), edges, feature_names=["height"])


def test_an_edge_is_explained_by_edges():
    street = a_street()
    y = np.arange(len(street.edges)) % 2
    model = small(gt.GraphBoostingClassifier).fit(street.edges, y)
    explanation = model.explain(street.edges[3])
    assert (explanation.edge, explanation.vertex) == (3, None)
    assert explanation.edge_importance.shape == (street.n_edges,)
    assert explanation.edge_importance.sum() == pytest.approx(1.0)
    halves = np.zeros(street.n_vertices)
    np.add.at(halves, street.edge_index[0], explanation.edge_importance / 2)
    np.add.at(halves, street.edge_index[1], explanation.edge_importance / 2)
    np.testing.assert_allclose(explanation.vertex_importance, halves)
    assert explanation.path(0).leaf == model.apply(street.edges[3])[0, 0]
    assert all(step.used.max(initial=0) < street.n_edges for step in explanation.path(0).steps)
    assert not any("vertices" in line or "neighbours" in line for line in explanation.rules())


def test_the_subsets_on_the_way_of_an_edge_are_edges_of_its_graph():
    """The second question on the way counts the heavy edges that adjoin each edge."""
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 30, (80, 2))
    heavy = rng.random(80) < 0.4
    graph = gt.Graph(None, edges, edge_features=np.where(heavy, 1.0, -1.0)[:, None], n_vertices=30)
    ends = [set(edge) for edge in edges.tolist()]
    beside = [
        sum(len(ends[i] & ends[j]) * heavy[j] for j in range(80) if j != i) for i in range(80)
    ]
    model = gt.GraphTreeRegressor(max_walk_length=1, max_leaf_nodes=None, add_constant=True)
    y = np.where(heavy, 100.0, 0.0) + beside
    explanation = model.fit(graph.edges, y).explain(graph.edges[7])
    first, second = explanation.path(0).steps[:2]
    assert first.plus.tolist() == np.flatnonzero(heavy).tolist()
    assert (second.pointer, second.sign) == (first.node, "+")
    assert second.used.tolist() == first.plus.tolist()
    np.testing.assert_array_equal(second.vertex_values, beside)
    assert explanation.edge_importance.argmax() in first.plus


def test_only_edges_of_a_relation_are_used_by_its_walks():
    types = ["single", "double", "single", "double"]
    chain = gt.Graph(None, [(0, 1), (1, 2), (2, 3), (0, 1)], edge_types=types)
    plain = gt.Graph(None, [(0, 1), (1, 2), (2, 3), (0, 1)], edge_types=["single"] * 4)
    model = gt.GraphTreeClassifier(max_walk_length=1, operators=("relations",))
    explanation = model.fit([chain, plain], ["mixed", "plain"]).explain(chain)
    (step,) = explanation.path(0).steps
    relation = step.question.rpartition("along ")[2]
    assert relation in ("single", "double")
    assert step.edges.tolist() == [k for k, name in enumerate(types) if name == relation]


@pytest.mark.parametrize("method", ["attribution", "paper"])
def test_examples_are_read_once_and_every_way_is_traced_once(monkeypatch, method):
    from graphtrees.explain.path import kernels
    from graphtrees.validation import examples

    graphs = some_graphs(8)
    model = small(gt.GraphBoostingClassifier, init="linear").fit(graphs, np.arange(8) % 2)
    calls = {"conform": 0, "trace": 0}

    def counting(home, name):
        function = getattr(home, name)

        def call(*given):
            calls[name] += 1
            return function(*given)

        monkeypatch.setattr(home, name, call)

    counting(examples, "conform")
    explanation = explain_many(model, graphs, method=method)[0]
    assert calls["conform"] == 1
    counting(kernels, "trace")
    explanation.rules(tree=0)
    explanation.rules(tree=0)
    explanation.without_graph_features().path(0)
    assert calls["trace"] == 1


@pytest.mark.parametrize("show", [gt.plot_tree, gt.export_text, gt.plot_importance])
def test_models_without_trees_of_their_own_are_refused_with_what_to_give(show):
    X = some_graphs(6).vertices
    y = np.arange(len(X)) % 2
    model = gt.WithLabels(small(gt.GraphBoostingClassifier), cv=2, random_state=0).fit(X, y)
    with pytest.raises(TypeError, match="got WithLabels; give its estimator_"):
        show(model)
    show(model.estimator_)
