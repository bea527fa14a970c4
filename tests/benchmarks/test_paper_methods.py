"""The methods of benchmarks/paper: kernels by hand and against GraKeL, networks, explanations."""

from __future__ import annotations

import importlib
import os
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


# ---- networks side by side ---------------------------------------------------------------------

SHAPES = ((2, 32, 1e-2), (5, 32, 1e-3), (3, 32, 1e-2), (3, 64, 1e-4))  # layers, hidden, rate


def both_ways(load, kind, classifies, *parts):
    """The same networks trained one by one and side by side."""
    pytest.importorskip("torch_geometric")
    pyg, plain = load("accuracy.methods.pyg"), load("accuracy.methods.networks").GraphNetwork
    fit_together = load("accuracy.methods.together").fit_together

    def fresh():
        return [pyg.PygNetwork(kind, classifies, 0, *shape[:2], 0.0, shape[2], 6)
                for shape in SHAPES]  # fmt: skip

    return [plain.fit(model, *parts) for model in fresh()], fit_together(fresh(), *parts)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["GCN", "GIN", "GraphSAGE"])
def test_networks_side_by_side_are_those_trained_alone_on_graphs(load, kind):
    graphs = random_graphs(200)
    y = np.array(["many" if g.n_edges > 4 else "few" for g in graphs])
    held = (graphs[150:170], y[150:170])
    for parts in ((graphs[:150], y[:150], held), (graphs[:150], y[:150])):
        alone, together = both_ways(load, kind, True, *parts)
        for one, other in zip(alone, together, strict=True):
            told = [model.predict_proba(graphs[170:]) for model in (one, other)]
            np.testing.assert_allclose(*told, atol=1e-4)
        assert np.ptp(together[0].predict_proba(graphs[170:])[:, 0]) > 0.01  # has learned something


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["GCN", "GIN", "GraphSAGE"])
def test_networks_side_by_side_are_those_trained_alone_on_vertices(load, kind):
    rng = np.random.default_rng(0)
    edges = [*((i, (i + 1) % 90) for i in range(90)), (3, 3), (7, 7)]  # two loops
    X = gt.Graph(rng.normal(size=(90, 3)), edges).vertices
    y = rng.normal(size=90)
    alone, together = both_ways(load, kind, False, X[:60], y[:60], (X[60:75], y[60:75]))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_allclose(one.predict(X[75:]), other.predict(X[75:]), atol=1e-4)


def small_stack(load, shapes, part_of):
    """Networks of (layers, dropout) on twenty graphs."""
    pytest.importorskip("torch_geometric")
    pyg, stacked = load("accuracy.methods.pyg"), load("accuracy.methods.stacked")
    models = [pyg.PygNetwork("GCN", True, 0, layers, 8, dropout) for layers, dropout in shapes]
    packed = models[0].prepare(random_graphs(20), np.arange(20) % 2, None)[0]
    for model in models[1:]:
        model.begin_like(models[0], packed)
    return stacked.Stack(models, part_of), models, packed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["GCN", "GIN", "GraphSAGE"])
def test_networks_of_several_folds_side_by_side_are_those_trained_alone(load, kind):
    pytest.importorskip("torch_geometric")
    pyg, plain = load("accuracy.methods.pyg"), load("accuracy.methods.networks").GraphNetwork
    together, graphs = load("accuracy.methods.together"), random_graphs(420)
    y = np.array(["many" if g.n_edges > 4 else "few" for g in graphs])
    held = (graphs[340:400], y[340:400])
    # Other numbers of batches, one of a single graph, other seeds, with and without a held part.
    parts = ((graphs[:300], y[:300], held, 0), (graphs[100:229], y[100:229], held, 1),
             (graphs[:128], y[:128], None, 2), (graphs[:300], y[:300], held, 3),
             (graphs[:50], y[:50], None, 4))  # fmt: skip

    def fresh(part):
        return [pyg.PygNetwork(kind, True, part[3], *shape[:2], 0.0, shape[2], 6)
                for shape in SHAPES[: 4 - part[3] % 3]]  # fmt: skip

    alone = [[plain.fit(model, *part[:3]) for model in fresh(part)] for part in parts]
    listed = [together.Part(fresh(part), *part[:3]) for part in parts]
    together.fit_parts(listed)
    for of_part, one_by_one in zip(listed, alone, strict=True):
        for model, wanted in zip(of_part.models, one_by_one, strict=True):
            told = [each.predict_proba(graphs[400:]) for each in (model, wanted)]
            np.testing.assert_allclose(*told, atol=1e-4)
    assert not np.allclose(*(listed[i].models[0].predict_proba(graphs[400:]) for i in (0, 3)))


@pytest.mark.filterwarnings("ignore")
def test_networks_that_have_ended_leave_those_that_go_on_as_they_are(load, monkeypatch):
    pytest.importorskip("torch_geometric")
    pyg, networks = load("accuracy.methods.pyg"), load("accuracy.methods.networks")
    together, graphs = load("accuracy.methods.together"), random_graphs(300)
    y = np.random.default_rng(0).permutation(np.arange(300) % 2)  # nothing to learn
    held = (graphs[200:250], y[200:250])
    plan = networks.Schedule(40, 3, 0.0, 1e-4)
    monkeypatch.setattr(
        pyg.PygNetwork,
        "_schedule",
        lambda self, of_graphs: replace(plan, learning_rate=self.learning_rate),
    )
    sizes, drop = [], together.Training._drop
    monkeypatch.setattr(
        together.Training,
        "_drop",
        lambda self, ended: (drop(self, ended), sizes.append(len(self.models))),
    )

    def fresh(seed):
        return [pyg.PygNetwork("GCN", True, seed, *shape[:2], 0.0, shape[2]) for shape in SHAPES]

    parts = [together.Part(fresh(seed), graphs[:200], y[:200], held) for seed in (0, 1)]
    together.fit_parts(parts)
    assert min(sizes, default=8) < 8
    for seed, part in enumerate(parts):
        for model, alone in zip(part.models, fresh(seed), strict=True):
            networks.GraphNetwork.fit(alone, graphs[:200], y[:200], held)
            told = [each.predict_proba(graphs[250:]) for each in (model, alone)]
            np.testing.assert_allclose(*told, atol=1e-4)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("published", [False, True])
def test_folds_at_once_have_the_rows_of_one_by_one(load, monkeypatch, published):
    methods, problems = load("accuracy.methods"), load("accuracy.problems")
    measuring, at_once = load("accuracy.measuring"), load("accuracy.at_once")
    chosen = methods.method("gin-tuned")
    if chosen.missing():
        pytest.skip(chosen.missing())
    grid = {"n_layers": (2, 3), "n_hidden": (8, 16), "dropout": (0.0,), "learning_rate": (1e-2,)}
    recipe = chosen.make.args[0]
    recipe = replace(recipe, grid=grid, make=partial(recipe.make, epochs=5))
    quick = replace(chosen, make=partial(chosen.make.func, recipe))
    monkeypatch.setitem(methods.METHODS, "quick", quick)
    monkeypatch.setitem(problems.DATA_SETS, "small", problems.DataSet(None, "graphs", 1))
    graphs = random_graphs(150)
    y = np.array([int(g.n_edges > 4) for g in graphs])
    train, held, test = np.split(np.arange(150), [80, 110])
    more = {"splits": ((train, test),), "validations": (held,)} if published else {}
    keys = [(seed, 0, 1) for seed in (0, 1)] if published else [(0, fold, 3) for fold in (0, 2)]
    tasks = [measuring.Task("small", "quick", *key) for key in keys]
    assert all(at_once.can_run(task) for task in tasks)
    problem = problems.Problem(graphs, y, **more)
    monkeypatch.setattr(measuring, "load", lambda name: problem)
    monkeypatch.setattr(at_once, "load", lambda name: problem)
    rows = dict(at_once.measure_at_once(tasks))
    for task in tasks:
        alone = measuring.measure(task)
        for column in ("score", "sampling_error", "n_train", "n_test", "chosen"):
            assert rows[task][column] == alone[column], column


@pytest.mark.filterwarnings("ignore")
def test_labels_of_a_test_part_reach_no_network_that_is_trained_at_once(load, monkeypatch):
    pytest.importorskip("torch_geometric")
    at_once, together = load("accuracy.at_once"), load("accuracy.methods.together")
    graphs = gt.Graphs([gt.Graph([[float(row)]], []) for row in range(60)])
    problem = load("accuracy.problems").Problem(graphs, np.arange(60) % 2)
    monkeypatch.setattr(at_once, "load", lambda name: problem)
    fits, fit_parts = [], together.fit_parts

    def spy(parts):
        fits.append(parts)
        fit_parts(parts)

    monkeypatch.setattr(together, "fit_parts", spy)
    pyg, networks = load("accuracy.methods.pyg"), load("accuracy.methods.networks")
    short = networks.Schedule(epochs=1)
    monkeypatch.setattr(pyg.PygNetwork, "_schedule", lambda *_: short)
    task = load("accuracy.measuring").Task
    tasks = [task("any", "gin-tuned", 0, fold, 3) for fold in range(3)]
    assert len(list(at_once.measure_at_once(tasks))) == 3
    assert len(fits) == 2  # to choose, and once more on the whole training part
    for parts in fits:
        for each, part in zip(tasks, parts, strict=True):
            seen = [part.X, part.validation[0]] if part.validation else [part.X]
            rows = [int(graph.features[0, 0]) for some in seen for graph in some]
            assert sorted(rows) == problem.parts(0, each.fold, 3)[0].tolist()


@pytest.mark.filterwarnings("ignore")
def test_parts_of_other_classes_are_not_trained_together(load):
    pytest.importorskip("torch_geometric")
    pyg, together = load("accuracy.methods.pyg"), load("accuracy.methods.together")
    graphs = random_graphs(40)
    parts = [together.Part([pyg.PygNetwork("GCN", True, 0, 2, 8, epochs=1)], graphs,
                           np.arange(40) % n) for n in (2, 3)]  # fmt: skip
    with pytest.raises(ValueError, match="same features and classes"):
        together.fit_parts(parts)


@pytest.mark.filterwarnings("ignore")
def test_networks_side_by_side_stop_each_at_its_own_epoch(load):
    torch = pytest.importorskip("torch")
    together = load("accuracy.methods.together")
    stack, models, _ = small_stack(load, [(3, 0.0), (2, 0.0)], [0, 0])
    best = torch.zeros_like(stack.weights)
    for number, mask in enumerate(([True, False], [False, True]), start=1):
        stack.weights.fill_(number)
        best = together.kept(stack, best, np.array(mask))
    stack.hand_back(models, best, np.arange(2))
    for number, model in enumerate(models, start=1):
        assert all((value == number).all() for value in model.network_.parameters())


@pytest.mark.filterwarnings("ignore")
def test_half_of_the_states_are_dropped_where_a_network_asks_for_it(load):
    torch = pytest.importorskip("torch")
    spreading = load("accuracy.methods.spreading")
    stack, _, packed = small_stack(load, [(3, 0.0), (3, 0.5), (2, 0.5)], [0, 0, 0])
    assert stack._drop[0].tolist() == [0, 0.5, 0.5]
    assert stack._drop[1].tolist() == [0, 0.5, 0]  # none after the last layer
    assert stack._drop[2] is None
    ones = torch.ones(3, 1000, 8, device=packed.x.device)
    none = torch.zeros(3, 1, 8, device=packed.x.device)
    kept = spreading.activated(ones, none, stack._drop[1]).cpu().numpy()
    assert (kept[[0, 2]] == 1).all()
    assert set(np.unique(kept[1])) == {0.0, 2.0}
    assert kept[1].mean() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("kind", ["GCN", "GIN", "GraphSAGE"])
def test_steps_on_a_gpu_are_those_of_plain_pytorch(load, kind):
    """Also without a GPU, where TRITON_INTERPRET=1 is set."""
    torch, _ = pytest.importorskip("torch"), pytest.importorskip("triton")
    if not (torch.cuda.is_available() or os.environ.get("TRITON_INTERPRET") == "1"):
        pytest.skip("needs a GPU, or TRITON_INTERPRET=1")
    gpu, spreading = load("accuracy.methods.spreading_gpu"), load("accuracy.methods.spreading")
    lots, tensors = load("accuracy.methods.lots"), load("accuracy.methods.tensors")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    graphs = random_graphs(40)
    store = lots.Store([tensors.Inputs.of(graphs).pack(graphs, device)])
    lot = store.lot(torch.arange(40, device=device).view(2, 20), 144)
    mix, part_of = spreading.Mix.of(kind, lot), np.array([1, 0, 1])
    parts = torch.as_tensor(part_of, device=device)
    h = torch.randn(3, lot.x.shape[1], 11, device=device, requires_grad=True)
    bias = torch.randn(3, 1, 11, device=device, requires_grad=True)
    weights = torch.randn(3, lot.x.shape[1], 11, device=device)
    found = []
    for step, activate in ((gpu.Spread.apply, gpu.Activate.apply), (None, None)):
        if step:
            out = activate(step(h, mix, parts), bias, None)
        else:
            out = torch.relu(mix._plain(h, part_of) + bias)
        slopes = torch.autograd.grad((out * weights).sum(), [h, bias])
        found.append([out.detach().cpu(), *(slope.cpu() for slope in slopes)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
    half = torch.tensor([0.0, 0.5, 0.0], device=device)
    kept = gpu.Activate.apply(torch.ones_like(h), torch.zeros_like(bias), half)
    assert set(kept[1].flatten().tolist()) == {0.0, 2.0}
    (slope,) = torch.autograd.grad(gpu.Activate.apply(h, bias, half).sum(), [h])
    assert set(slope[1].flatten().tolist()) == {0.0, 2.0}
