"""A fit that needs more memory than it may use keeps its large arrays in files."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from models import small

import graphtrees as gt
from graphtrees import _storage
from graphtrees.estimators import memory_limit
from graphtrees.estimators.saving import file_text
from graphtrees.validation.models import fitted_trees

multiarray = import_module(
    "numpy._core.multiarray" if np.__version__ >= "2" else "numpy.core.multiarray"
)
pytestmark = pytest.mark.skipif(not _storage.is_possible(), reason="needs Linux, compiled code")

N = 6_000
FEATURES = np.random.default_rng(0).normal(size=(N, 12))
ANSWER = (FEATURES[:, 0] + FEATURES[:, 1] > 0).astype(int)
RING = gt.Graph(FEATURES, np.column_stack([np.arange(N), (np.arange(N) + 1) % N]))
PATH = [(k, k + 1) for k in range(5)]
GRAPHS = gt.Graphs([gt.Graph(FEATURES[k : k + 6], PATH) for k in range(0, N, 6)])
EXAMPLES = {
    "vertices": (RING.vertices, ANSWER),
    "edges": (RING.edges, ANSWER),
    "rows": (np.tile(FEATURES, (10, 1)), np.tile(ANSWER, 10)),
    "graphs": (GRAPHS, ANSWER[::6]),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def arrays_in(folder: Path) -> list[str]:
    """What of the memory of this process lies in files of the folder."""
    return [
        line for line in Path("/proc/self/maps").read_text().splitlines() if f"{folder}/" in line
    ]


class Files:
    """A callback that counts them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.found = folder, 0

    def after_round(self, state) -> None:
        self.found = max(self.found, len(arrays_in(self.folder)))
        assert not list(self.folder.iterdir()), "a file of arrays has a name"


@pytest.mark.parametrize("about", EXAMPLES)
@pytest.mark.parametrize("kind", [gt.GraphForestRegressor, gt.GraphBoostingRegressor])
def test_the_model_is_the_same(kind, about, folder):
    """A forest grows its trees side by side, in threads of their own."""
    X, y = EXAMPLES[about]
    plain = small(kind, n_jobs=2).fit(X, y)
    limited = small(kind, n_jobs=2, memory_limit="12MB").fit(X, y)
    fitted_trees(limited).training.parameters["memory_limit"] = None
    assert file_text(limited) == file_text(plain)


@pytest.mark.parametrize("about", EXAMPLES)
def test_large_arrays_lie_in_files_while_a_fit_runs_and_not_after_it(about, folder):
    X, y = EXAMPLES[about]
    files = Files(folder)
    model = small(gt.GraphBoostingClassifier, n_jobs=2, memory_limit="12MB")
    model.fit(X, y, callbacks=[files])
    assert files.found > 0
    gc.collect()
    assert not arrays_in(folder)
    assert multiarray.get_handler_name() == "default_allocator"


def test_within_the_limit_nothing_lies_in_files(folder):
    files = Files(folder)
    model = small(gt.GraphBoostingClassifier, memory_limit="2GB")
    model.fit(*EXAMPLES["vertices"], callbacks=[files])
    assert files.found == 0


def test_after_a_fit_that_fails_arrays_are_made_as_before(folder):
    def fail(state):
        raise RuntimeError("no more")

    model = small(gt.GraphBoostingClassifier, memory_limit="12MB")
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(*EXAMPLES["vertices"], callbacks=[fail])
    assert multiarray.get_handler_name() == "default_allocator"


def test_arrays_of_other_threads_stay_in_memory(folder):
    names = []

    def ask(state):
        other = threading.Thread(target=lambda: names.append(multiarray.get_handler_name()))
        other.start()
        other.join()

    small(gt.GraphBoostingClassifier, memory_limit="12MB").fit(
        *EXAMPLES["vertices"], callbacks=[ask]
    )
    assert set(names) == {"default_allocator"}


def test_a_disk_that_is_too_full_is_told_before_the_fit_starts(folder, monkeypatch):
    usage = type("usage", (), {"free": 1_000_000})
    monkeypatch.setattr(memory_limit.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(MemoryError, match=r"where the rest would go, has 1 MB free. Set TMPDIR"):
        small(gt.GraphTreeClassifier, memory_limit="12MB").fit(*EXAMPLES["vertices"])


def test_a_disk_that_gets_full_is_an_error_and_not_a_crash(folder, monkeypatch):
    """Room is taken when an array is made; to write to a file without it would end the process."""
    with _storage.storage_scope():
        _storage.keep_in_files(str(folder))
        with pytest.raises(MemoryError):
            np.empty(2**46, np.uint8)
        os.chmod(folder, 0o500)
        _storage.keep_in_files(f"{folder}/missing")
        with pytest.raises(MemoryError):
            np.empty(2**21, np.uint8)


@pytest.mark.parametrize("n", [10, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20])
def test_arrays_in_files_are_arrays_like_others(folder, n):
    with _storage.storage_scope():
        _storage.keep_in_files(str(folder))
        zeros, ones = np.zeros(n, np.uint8), np.ones(n, np.uint8)
        assert zeros.sum() == 0
        assert ones.sum(dtype=np.int64) == n
        ones.resize(2 * n, refcheck=False)
        assert ones.sum(dtype=np.int64) == n
        ones.resize(n // 2, refcheck=False)
        assert ones.sum(dtype=np.int64) == n // 2
        inside = len(arrays_in(folder))
    kept = zeros + 1  # made after the scope, of an array made in it
    del zeros, ones
    gc.collect()
    assert (inside > 0) == (n >= 2**20)
    assert not arrays_in(folder)
    assert kept.sum(dtype=np.int64) == n


CHILD = """
import resource, sys, traceback
import numpy as np
import graphtrees as gt

def model(**given):
    few = {"n_estimators": 1, "max_leaf_nodes": 3, "n_jobs": 1, "max_walk_length": 1}
    return gt.GraphBoostingRegressor(**few, **given)

r = np.random.default_rng(0)
edges = np.column_stack([np.arange(100), (np.arange(100) + 1) % 100])
tiny = gt.Graph(r.normal(size=(100, 8)), edges)
model().fit(tiny.vertices, r.normal(size=100))          # compiles what is needed
from graphtrees._storage import _handler_of, temporary_folder
_handler_of(temporary_folder())

n = 400_000
graph = gt.Graph(r.normal(size=(n, 8)), np.column_stack([np.arange(n), (np.arange(n) + 1) % n]))
y = r.normal(size=n)
need = sum(model()._memory_parts(*reversed(model()._read_training(graph.vertices)), 1).values())
used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
limit = 27_000_000
resource.setrlimit(resource.RLIMIT_DATA, (used + limit, used + limit))
given = {"memory_limit": limit} if sys.argv[1] == "files" else {"memory_limit": "50GB"}
try:
    model(**given).fit(graph.vertices, y)
    print("fitted", need // limit)
except MemoryError:
    traceback.print_exc()
    print("no memory", need // limit)
"""


@pytest.mark.parametrize(("where", "outcome"), [("files", "fitted"), ("memory", "no memory")])
def test_a_process_that_may_not_have_more_memory_than_an_eighth_of_the_need(where, outcome):
    """The system itself refuses more: RLIMIT_DATA bounds what is not backed by files.

    Large arrays that are gone leave no room behind in which others could be hidden.
    """
    done = subprocess.run(
        [sys.executable, "-c", CHILD, where], capture_output=True, text=True, check=True,
        env=os.environ | {"MALLOC_MMAP_THRESHOLD_": str(2**20)},
    )  # fmt: skip
    told, times = done.stdout.rsplit(maxsplit=1)
    assert told == outcome, done.stderr
    assert int(times) >= 8
