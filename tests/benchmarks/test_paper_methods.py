"""The methods of benchmarks/paper: kernels by hand and against GraKeL, networks, explanations."""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import graphtrees as gt

ROOT = Path(__file__).parents[2]


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def random_graphs(n_graphs: int, seed: int = 0, most: int = 7) -> gt.Graphs:
    """Vertices of two labels, some graphs without edges."""
    rng, graphs = np.random.default_rng(seed), []
    for _ in range(n_graphs):
        n = rng.integers(2, most)
        edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.5]
        graphs.append(gt.Graph(np.eye(2)[rng.integers(0, 2, n)], np.array(edges).reshape(-1, 2)))
    return gt.Graphs(graphs)


# ---- kernels -----------------------------------------------------------------------------------


def walks(graph: gt.Graph, length: int) -> list[tuple[int, ...]]:
    matrix = graph.adjacency().toarray()
    every = product(range(graph.n_vertices), repeat=length + 1)
    return [walk for walk in every if all(matrix[a, b] for a, b in pairwise(walk))]


def test_common_walks_are_pairs_of_walks_through_the_same_labels(load):
    kernels, graphs = load("accuracy.methods.kernels"), random_graphs(4, most=5)
    steps = kernels.walk_steps(graphs, graphs, np.arange(2))
    for (i, one), (j, other), length in product(enumerate(graphs), enumerate(graphs), (1, 2, 3)):
        seen = [
            [tuple(np.asarray(g.features)[v, 0] for v in walk) for walk in walks(g, length)]
            for g in (one, other)
        ]
        assert steps[length, i, j] == sum(a == b for a, b in product(*seen))
    sizes = [graph.n_vertices for graph in graphs]
    np.testing.assert_array_equal(steps[0], np.outer(sizes, sizes))
    own = kernels.own_walk_steps(graphs, np.arange(2))
    np.testing.assert_allclose(own, np.diagonal(steps, axis1=1, axis2=2))


def test_common_colours_count_equal_pairs_of_vertices_round_by_round(load):
    kernels, graphs = load("accuracy.methods.kernels"), random_graphs(5)
    steps = kernels.colour_steps(graphs, graphs, np.arange(2))
    for i, j in product(range(5), repeat=2):
        labels = [np.asarray(graphs[k].features)[:, 0] for k in (i, j)]
        assert steps[0, i, j] == (labels[0][:, None] == labels[1][None, :]).sum()
    assert (np.diff(steps, axis=0) <= 0).all()  # refinement only splits
    own = kernels.own_colour_steps(graphs, np.arange(2))
    np.testing.assert_allclose(own, np.diagonal(steps, axis1=1, axis2=2))


def in_grakel(grakel, graphs: gt.Graphs) -> list:
    listed = []
    for graph in graphs:
        edges = [*graph.edge_index.T.tolist(), *graph.edge_index[::-1].T.tolist()]
        labels = dict(enumerate(np.asarray(graph.features)[:, 0].astype(int).tolist()))
        listed.append(grakel.Graph({tuple(e): 1.0 for e in edges}, node_labels=labels))
    return listed


@pytest.mark.filterwarnings("ignore")
def test_kernels_are_those_of_grakel(load):
    grakel = pytest.importorskip("grakel")
    kernels = load("accuracy.methods.kernels")
    every = random_graphs(14, seed=3)  # GraKeL drops isolated vertices
    graphs = gt.Graphs([g for g in every if len(np.unique(g.edge_index)) == g.n_vertices])
    assert len(graphs) >= 10
    setting = load("accuracy.methods").Setting("graphs", True, 0)
    y, theirs = np.arange(len(graphs)) % 2, in_grakel(grakel, graphs)
    for name, weighting, kernel in (
        ("Weisfeiler-Leman", "3 rounds", grakel.WeisfeilerLehman(n_iter=3, normalize=True)),
        ("random walks", "geometric 0.01 up to 10",
         grakel.RandomWalkLabeled(method_type="baseline", lamda=0.01, normalize=True)),
    ):  # fmt: skip
        search = kernels.KernelSearch(kernels.KERNELS[name], (1.0,), setting).fit(graphs, y)
        search.chosen_ = {"kernel": weighting}
        np.testing.assert_allclose(search._rows(graphs), kernel.fit_transform(theirs), atol=1e-6)


@pytest.mark.parametrize("name", ["wl-kernel", "wl-linear", "rw-kernel", "lightgbm-tuned"])
def test_tuned_peers_learn_which_graphs_have_many_edges(load, name):
    methods, graphs = load("accuracy.methods"), random_graphs(120)
    chosen = methods.method(name)
    if chosen.missing():
        pytest.skip(chosen.missing())
    y = np.where([g.n_edges > 4 for g in graphs], "many", "few")
    model = chosen.make(methods.Setting("graphs", True, 0)).fit(graphs[:90], y[:90])
    assert (model.predict(graphs[90:]) == y[90:]).mean() >= 0.8
    assert model.chosen_


def test_products_of_colour_tables_are_the_kernel_of_colours(load):
    kernels, machine = load("accuracy.methods.kernels"), load("accuracy.methods.colour_machine")
    graphs = random_graphs(12)
    colours, labels = machine.Colours.of(graphs), np.arange(2)
    rows = np.array([7, 2, 9])
    for n_rounds in (0, 2):
        steps = kernels.colour_steps(graphs[rows], graphs, labels)[: n_rounds + 1].sum(axis=0)
        own = kernels.own_colour_steps(graphs, labels)[: n_rounds + 1].sum(axis=0)
        wanted = steps / np.sqrt(np.outer(own[rows], own))
        names = np.unique(colours.rounds[: n_rounds + 1])
        tables = [some.table(names, n_rounds) for some in (colours[rows], colours)]
        np.testing.assert_allclose((tables[0] @ tables[1].T).toarray(), wanted)


def test_a_category_is_a_label_however_many_values_it_has(load):
    refinement = load("accuracy.methods.refinement")
    pd = pytest.importorskip("pandas")
    kinds = pd.Categorical([f"kind {i}" for i in range(40)])
    graph = gt.Graph(pd.DataFrame({"kind": kinds, "number": np.arange(40.0)}), [])
    assert refinement.label_columns(gt.Graphs([graph])).tolist() == [0]


# ---- networks ----------------------------------------------------------------------------------

NETWORKS = ("GCN", "GIN", "GAT", "GATv2", "GraphSAGE")


def network(load, name: str, classifies: bool):
    pytest.importorskip("torch_geometric")
    if name == "XGraphBoost":
        pytest.importorskip("xgboost")
        hybrids = load("accuracy.methods.hybrids")
        return hybrids.EmbeddingBoosting(classifies, 0, learning_rate=0.01, epochs=60)
    if name == "BGNN":
        return load("accuracy.methods.alternation").Alternation(classifies, 0, epochs=10)
    pyg = load("accuracy.methods.pyg")
    return pyg.PygNetwork(name, classifies, 0, 2, 32, 0.0, 0.01, epochs=100)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*NETWORKS, "XGraphBoost", "BGNN"])
def test_networks_learn_from_neighbours(load, name):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(400, 2))
    ring = [(i, (i + 1) % 400) for i in range(400)]
    around = np.mean([np.roll(features[:, 0], step) for step in (-1, 0, 1)], axis=0)
    X = gt.Graph(features, ring).vertices
    train, held, test = np.split(np.arange(400), [250, 320])
    y = np.where(around > 0, "high", "low")
    model = network(load, name, True).fit(X[train], y[train], validation=(X[held], y[held]))
    assert (model.predict(X[test]) == y[test]).mean() > 0.75
    model = network(load, name, False).fit(
        X[train], around[train], validation=(X[held], around[held])
    )
    assert np.mean((model.predict(X[test]) - around[test]) ** 2) < 0.7 * around[test].var()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["GIN", "XGraphBoost", "BGNN"])
def test_networks_on_graphs_do_without_a_validation_part(load, name):
    graphs = random_graphs(160)
    y = np.array([int(g.n_edges > 4) for g in graphs])
    model = network(load, name, True).fit(graphs[:120], y[:120])
    assert (model.predict(graphs[120:]) == y[120:]).mean() >= 0.7
    assert model.predict_proba(graphs[:3]).shape == (3, 2)


@pytest.mark.filterwarnings("ignore")
def test_stages_of_boosted_embeddings_are_those_of_smaller_models(load):
    graphs = random_graphs(100)
    y = np.array([int(g.n_edges > 4) for g in graphs])
    model = network(load, "XGraphBoost", True).fit(graphs, y)
    for stage, told in zip((5, 100), model.staged(graphs, (5, 100), True), strict=True):
        table = model.network_.embed(graphs)
        wanted = model.trees_.predict_proba(table, iteration_range=(0, stage))[:, 1]
        np.testing.assert_array_equal(told, wanted)


# ---- explanations ------------------------------------------------------------------------------


def test_nitro_groups_and_carbon_rings_are_found(load):
    explanations = load("paper.explanations")
    # A ring of six carbons, a nitro group on one of them, a methyl on another.
    edges = [(i, (i + 1) % 6) for i in range(6)] + [(0, 6), (6, 7), (6, 8), (3, 9)]
    names = [*(f"C{i}" for i in range(6)), "N6", "O7", "O8", "C9"]
    graph = gt.Graph(np.zeros((10, 1)), edges, vertex_names=names)
    assert np.flatnonzero(explanations.nitro(graph)).tolist() == [6, 7, 8]
    assert np.flatnonzero(explanations.carbon_rings(graph)).tolist() == [0, 1, 2, 3, 4, 5]


def test_a_ring_with_another_atom_and_an_amine_do_not_count(load):
    explanations = load("paper.explanations")
    edges = [(i, (i + 1) % 5) for i in range(5)] + [(0, 5), (5, 6)]
    names = ["C0", "C1", "N2", "C3", "C4", "N5", "O6"]
    graph = gt.Graph(np.zeros((7, 1)), edges, vertex_names=names)
    assert not explanations.nitro(graph).any()
    assert not explanations.carbon_rings(graph).any()


def test_importance_is_measured_against_the_mean_of_the_graph(load):
    explanations = load("paper.explanations")
    graphs = gt.Graphs([gt.Graph([[1.0], [1.0], [0.0], [0.0]], [(1, 2), (2, 3)])] * 2)

    class Model:
        def explain(self, graph):
            return type("Explanation", (), {"vertex_importance": np.array([0.7, 0.1, 0.1, 0.1])})

    def ratios(marks):
        return list(explanations.importance_ratios(Model(), graphs, marks))

    assert ratios(explanations.red_isolated) == pytest.approx([2.8, 2.8])
    assert ratios(explanations.red) == pytest.approx([1.6, 1.6])
    assert ratios(lambda graph: np.ones(4, bool)) == []  # nothing to compare with


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["gcn-tuned", "gatv2-tuned", "xgraphboost", "bgnn"])
def test_networks_are_tuned_by_the_harness(load, name):
    methods, graphs = load("accuracy.methods"), random_graphs(80)
    chosen = methods.method(name)
    if chosen.missing():
        pytest.skip(chosen.missing())
    y = np.array([int(g.n_edges > 4) for g in graphs])
    model = chosen.make(methods.Setting("graphs", True, 0))
    few = {setting: values[:1] for setting, values in model.recipe.grid.items()}
    quick = partial(model.recipe.make, epochs=2)
    model.set_params(recipe=replace(model.recipe, make=quick, grid=few))
    problem = load("accuracy.problems").Problem(graphs, y)
    row = load("accuracy.measuring").fit_and_score(model, problem, np.arange(70), np.arange(70, 80))
    assert set(few) <= set(model.chosen_)
    assert 0 <= row["score"] <= 1
