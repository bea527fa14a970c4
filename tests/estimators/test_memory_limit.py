"""A fit that needs more memory than there may be, also with files, says so before it starts."""

from __future__ import annotations

import numpy as np
import pytest
from models import SIX, name_of, small
from peaks import peak_once_compiled

import graphtrees as gt
from graphtrees.estimators import base, counting, memory, memory_limit
from graphtrees.questions.features import FeatureTable
from graphtrees.trees.training_data import TrainingData

DATA = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=8, random_state=0)


@pytest.fixture
def needs(monkeypatch):
    """The bytes that each fit says it needs."""
    told: list[dict[str, int]] = []
    monkeypatch.setattr(base, "make_room", lambda parts, limit: told.append(parts))

    def need(model, X, y, **given) -> dict[str, int]:
        model.fit(X, y, **given)
        return told[-1]

    return need


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize("limit", [1, "1MB", "0.5 MiB", 4096.0])
def test_a_fit_beyond_its_limit_is_refused_with_need_limit_and_advice(kind, limit):
    wanted = r"about [\d.]+ [kMG]B of memory, .* memory_limit is .* To need less, .*fewer examples"
    with pytest.raises(MemoryError, match=wanted):
        small(kind, memory_limit=limit).fit(DATA.X, DATA.y)


@pytest.mark.parametrize("limit", [None, "2GB", "2 gb", 2**40])
def test_within_the_limit_the_model_is_the_same(limit):
    plain = small(gt.GraphBoostingClassifier).fit(DATA.X, DATA.y)
    limited = small(gt.GraphBoostingClassifier, memory_limit=limit).fit(DATA.X, DATA.y)
    np.testing.assert_array_equal(plain.predict_proba(DATA.X), limited.predict_proba(DATA.X))


@pytest.mark.parametrize(
    "limit", [0, -1, True, "", "much", "2 XB", "1e9", np.nan, np.inf, [1], "0"]
)
def test_what_is_no_amount_of_memory_is_refused(limit):
    with pytest.raises(ValueError, match=r"'memory_limit' parameter.*bytes, text such as '2GB'"):
        small(gt.GraphTreeClassifier, memory_limit=limit).fit(DATA.X, DATA.y)


def test_without_a_limit_what_is_available_is_the_limit(monkeypatch):
    monkeypatch.setattr(memory_limit, "available_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"available are 1 kB.*Or set memory_limit: .* in files"):
        small(gt.GraphTreeClassifier).fit(DATA.X, DATA.y)
    small(gt.GraphTreeClassifier, memory_limit="1GB").fit(DATA.X, DATA.y)


def test_where_nobody_knows_what_is_available_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory_limit, "available_memory", lambda: None)
    small(gt.GraphTreeClassifier).fit(DATA.X, DATA.y)


def test_a_fit_that_cannot_be_is_refused_before_its_arrays_are_made():
    """Walks of 1000 steps over 60,000 numbers would take some 240 MB for each operator."""
    features = np.ones((20_000, 3))
    graph = gt.Graph(features, [(i, i + 1) for i in range(19_999)])
    model = small(gt.GraphTreeRegressor, max_walk_length=1000, memory_limit="10MB")

    def refuse() -> None:
        with pytest.raises(MemoryError, match=r"for (walks|subsets|questions)"):
            model.fit(graph.vertices, np.arange(20_000.0))

    assert peak_once_compiled(refuse) < 20_000_000


def test_a_refused_fit_leaves_the_model_as_it_was():
    model = small(gt.GraphBoostingClassifier).fit(DATA.X, DATA.y)
    before = model.predict_proba(DATA.X)
    with pytest.raises(MemoryError):
        model.set_params(memory_limit=1).fit(DATA.X[:20], DATA.y[:20])
    np.testing.assert_array_equal(model.predict_proba(DATA.X), before)


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@pytest.mark.parametrize(
    ("part", "more"),
    [
        ("walks", {"max_walk_length": 4}),
        ("walks", {"operators": ("adjacency", "mean")}),
        ("subsets", {"max_ancestor_distance": 2}),
        ("questions", {"max_walk_length": 4}),
        ("questions", {"colours": 2}),
    ],
)
def test_the_need_grows_with_what_the_advice_says_to_lower(needs, about, part, more):
    X = DATA.X if about == "graphs" else getattr(DATA.X, about)
    y = np.arange(len(X)) % 3
    less = small(gt.GraphTreeRegressor, max_walk_length=1, max_ancestor_distance=1)
    least = needs(less, X, y)
    most = needs(less.set_params(**more), X, y)
    assert most[part] > least[part]


def test_twice_the_graphs_need_about_twice_as_much(needs):
    model = small(gt.GraphBoostingRegressor)
    graphs = list(DATA.X) * 50
    once = sum(needs(model, graphs, np.arange(2000.0)).values()) - memory.LEAST
    twice = sum(needs(model, graphs * 2, np.arange(4000.0)).values()) - memory.LEAST
    assert 1.9 < twice / once < 2.1


def test_labels_that_few_vertices_carry_need_little(needs):
    """Lanes are counted, not guessed from the number of labels."""
    codes = np.arange(4000.0)[:, None] % 500
    ptr = np.arange(1001) * 4
    given = {"vertex_ptr": ptr, "edge_ptr": np.zeros(1001, int), "edges": np.zeros((2, 0), int)}
    graphs = gt.Graphs.from_flat(**given, features=codes, categories={0: range(500)})
    found = needs(small(gt.GraphTreeRegressor), graphs, np.arange(1000.0))
    assert sum(found.values()) < 60_000_000


LABELS = gt.Graphs.from_flat(
    vertex_ptr=[0, 2, 4, 6], edge_ptr=[0, 1, 2, 3], edges=[[0, 0, 0], [1, 1, 1]],
    features=np.arange(6.0)[:, None] % 4, categories={0: range(4)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("graphs", "given", "is_small"),
    [
        (DATA.X, {}, True),
        (LABELS, {}, True),
        (LABELS, {"operators": ("adjacency", "mean")}, False),
        ([gt.Graph([[0.5], [1.0]], [(0, 1)])] * 4, {}, False),
        ([gt.Graph([[np.nan], [1.0]], [(0, 1)])] * 4, {}, False),
        ([gt.Graph([[-300.0], [100.0]], [(0, 1)])] * 4, {}, True),
        ([gt.Graph([[20_000.0], [20_000.0]], [(0, 1)])] * 4, {}, False),
        ([gt.Graph(np.ones((300, 1)), [(0, v) for v in range(1, 300)])] * 4, {}, False),
        ([gt.Graph([[1.0], [2.0]], [(0, 1)], edge_weights=[0.5])] * 4, {}, False),
        ([gt.Graph([[1.0], [2.0]], [(0, 1)], edge_weights=[3.0])] * 4, {}, True),
    ],
    ids=[
        "counts", "labels", "averages", "halves", "missing", "negative", "large sums", "a hub",
        "halves as weights", "whole weights",
    ],
)  # fmt: skip
def test_small_whole_numbers_are_known_before_they_are_laid_out(
    monkeypatch, graphs, given, is_small
):
    told = []
    shape_of = base.shape_of
    monkeypatch.setattr(base, "shape_of", lambda *a: told.append(shape_of(*a)) or told[-1])
    monkeypatch.setattr(TrainingData, "workspace", _tell_blocks)  # nothing needs to be grown
    with pytest.raises(_Told) as blocks:
        small(gt.GraphTreeRegressor, max_walk_length=2, **given).fit(graphs, np.arange(len(graphs)))
    assert told[-1]["is_small"] == is_small
    assert (blocks.value.args[0] == np.int16) == is_small


class _Told(Exception):
    pass


def _tell_blocks(data, *_):
    raise _Told(data.columns.block_dtype)


@pytest.mark.parametrize("seed", range(3))
def test_labels_of_graphs_are_counted_alike_in_either_way(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, 60)
    codes = np.where(rng.random(sizes.sum()) < 0.2, np.nan, rng.integers(0, 7, sizes.sum()))
    n = len(sizes)
    given = {"edge_ptr": np.zeros(n + 1, int), "edges": np.zeros((2, 0), int)}
    given |= {"vertex_ptr": np.r_[0, np.cumsum(sizes)], "features": codes[:, None]}
    flat = gt.Graphs.from_flat(**given, categories={0: range(7)}).flat
    table = FeatureTable.of(flat, True, flat.categories, 0)
    graph_of = np.repeat(np.arange(n), sizes)
    labels = [codes[graph_of == g] for g in range(n)]
    expected = [1 + len(np.unique(one[~np.isnan(one)])) for one in labels]
    for most in (0, 16):
        monkeypatch.setattr(counting, "FLAGS_A_PAIR", most)
        assert counting.count_lanes(flat, table).tolist() == expected


@pytest.mark.parametrize("given", [{"subsample": 0.5}, {"n_estimators": 2, "eval_set": True}])
def test_colours_of_large_graphs_are_not_written_out_for_every_vertex(given):
    """Nearly every vertex has colours of its own: in full they would take 90 MB."""
    rng = np.random.default_rng(0)
    n = 1500
    edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    X = gt.Graphs(
        gt.Graph(rng.integers(0, 4, (n, 1)), np.r_[edges, rng.integers(0, n, (n, 2))])
        for _ in range(4)
    )
    y = np.arange(4.0)
    asked = {"eval_set": (X, y)} if given.pop("eval_set", False) else {}
    model = small(
        gt.GraphBoostingRegressor, colours=2, max_walk_length=1, max_ancestor_distance=0, **given
    )
    assert peak_once_compiled(lambda: model.fit(X, y, **asked)) < 15e6


def test_colours_beside_features_in_full_need_what_the_estimate_says(needs):
    """Nothing is listed there; lists that were made and given up would take four times as much."""
    rng = np.random.default_rng(0)
    X = gt.Graphs(
        gt.Graph(
            np.c_[rng.integers(0, 4, (20, 1)), rng.normal(size=(20, 40))],
            rng.integers(0, 20, (30, 2)),
        )
        for _ in range(600)
    )
    y = np.arange(600) % 2
    model = small(
        gt.GraphBoostingClassifier, colours=1, colour_features=[0], max_walk_length=1,
        max_ancestor_distance=0, subsample=0.5,
    )  # fmt: skip
    estimate = needs(model, X, y)
    assert peak_once_compiled(lambda: model.fit(X, y)) < sum(estimate.values()) - memory.LEAST
    model.set_params(subsample=1.0)
    assert needs(model, X, y)["colours"] == 0
    assert needs(model, X, y, sample_weight=np.arange(600.0))["colours"] == estimate["colours"]
    model.set_params(warm_start=True, n_estimators=5)
    assert needs(model, X, y)["colours"] == estimate["colours"]


def test_a_limit_is_kept_in_model_files_and_free_in_a_resumed_run(tmp_path):
    model = small(gt.GraphBoostingClassifier, memory_limit="3GB").fit(DATA.X, DATA.y)
    model.save(tmp_path / "model.json")
    assert gt.load_model(tmp_path / "model.json").memory_limit == "3GB"
    longer = small(gt.GraphBoostingClassifier, n_estimators=5, memory_limit=10**10)
    assert longer.fit(DATA.X, DATA.y, resume_from=tmp_path / "model.json").n_iter_ == 5


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("10", 10), ("2GB", 2 * 10**9), ("1.5 kB", 1500), ("1KiB", 1024), ("3 tib", 3 * 2**40)],
)
def test_amounts_of_memory_as_text(text, n_bytes):
    assert memory_limit.parse_memory(text) == n_bytes


def test_the_memory_of_a_container_counts(monkeypatch):
    texts = {
        "/proc/meminfo": "MemTotal: 99 kB\nMemAvailable:    4000 kB\n",
        "/sys/fs/cgroup/memory.max": "1000000\n",
        "/sys/fs/cgroup/memory.current": "900000\n",
        "/sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 50000\n",
    }
    monkeypatch.setattr(memory_limit, "_text", lambda path: texts.get(path, ""))
    assert memory_limit.available_memory() == 150_000
    texts["/sys/fs/cgroup/memory.max"] = "max\n"
    assert memory_limit.available_memory() == 4_096_000
