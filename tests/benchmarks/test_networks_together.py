"""Networks that are trained side by side are those that are trained alone."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from functools import partial
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
