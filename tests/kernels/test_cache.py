"""A compiled kernel is used again, and compiled again when anything it is made of has changed."""

from __future__ import annotations

import ast
import errno
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

import graphtrees
from graphtrees.kernels import _cache

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

HELPER = """
from graphtrees.kernels._jit import kernel

@kernel
def times(number):
    return FACTOR * number
"""
SOURCE = """
from graphtrees.kernels._jit import kernel
from helper_of_its_own import times

@kernel
def double(number):
    return times(number)
"""


def read_again(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


class Folder:
    """Two files of kernels, one calling the other, and a cache of their own."""

    def __init__(self, folder: Path, monkeypatch) -> None:
        self.helper = folder / "helper_of_its_own.py"
        self.caller = folder / "caller_of_its_own.py"
        self.cache = folder / "cache"
        self.write_helper("2")
        self.caller.write_text(SOURCE)
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(self.cache))
        monkeypatch.setattr(_cache, "SOURCES", (self.helper, self.caller))
        monkeypatch.setattr(_cache, "_printed", set())
        monkeypatch.setattr(_cache, "_tidied", set())
        monkeypatch.setattr(_cache, "_used", set())
        # Python reuses bytecode if the size and the second of the last change are the same.
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        self._monkeypatch = monkeypatch

    def write_helper(self, factor: str) -> None:
        self.helper.write_text(HELPER.replace("FACTOR", factor))

    def load(self):
        """The kernel, as a new process would see it."""
        self._monkeypatch.setattr(_cache, "_known", {})
        self._monkeypatch.delitem(sys.modules, self.helper.stem, raising=False)
        read_again(self.helper)
        return read_again(self.caller).double

    def call(self, number=4) -> tuple[float, int]:
        """(What the kernel returns, how often it came from the cache)."""
        double = self.load()
        return double(number), sum(double.stats.cache_hits.values())

    def files(self) -> list[Path]:
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


def test_a_compiled_kernel_is_found_again(folder):
    assert [folder.call() for _ in range(3)] == [(8, 0), (8, 1), (8, 1)]


def test_an_edit_of_a_helper_in_another_file_is_noticed(folder):
    assert folder.call() == (8, 0)
    folder.write_helper("5")
    assert folder.call() == (20, 0)
    folder.write_helper("2")
    assert folder.call() == (8, 1)  # both versions are kept


def test_another_version_of_numpy_compiles_anew(folder, monkeypatch):
    folder.call()
    monkeypatch.setattr(_cache, "VERSIONS", (numba.__version__, "0.0"))
    assert folder.call() == (8, 0)


def test_checks_of_bounds_are_not_taken_from_a_cache_without_them(folder, monkeypatch):
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    folder.call()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert folder.call() == (8, 0)


def test_other_argument_types_have_their_own_machine_code(folder):
    assert folder.call(4) == (8, 0)
    assert folder.call(0.25) == (0.5, 0)
    assert folder.call(0.25) == (0.5, 1)
    assert folder.call(4) == (8, 1)


def test_a_process_that_saw_an_edit_neither_reads_nor_writes(folder):
    double = folder.load()
    folder.write_helper("1000")
    assert double(4) == 8
    assert folder.files() == []
    assert folder.call() == (4000, 0)


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "other"])
def test_a_damaged_file_means_compiling_again(folder, damage):
    folder.call()
    for path in folder.files():
        content = path.read_bytes()
        middle = len(content) // 2
        flipped = content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]
        path.write_bytes(
            {"cut": content[:-9], "empty": b"", "flipped": flipped, "other": b"x" * 99}[damage]
        )
    assert folder.call() == (8, 0)
    assert folder.call() == (8, 1)


def test_sources_that_cannot_be_read_are_not_cached(folder):
    code = compile(SOURCE, "in_a_zip.zip/caller_of_its_own.py", "exec")
    read_again(folder.helper)
    names = {"__name__": "caller_of_its_own"}
    exec(code, names)
    assert names["double"](4) == 8
    assert not [path for path in folder.files() if path.name.startswith("caller")]


def test_no_unfinished_file_stays(folder, monkeypatch):
    def fail(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert folder.call() == (8, 0)
    assert folder.files() == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_is_named_once(folder, capsys):
    folder.cache.mkdir()
    folder.cache.chmod(stat.S_IREAD | stat.S_IEXEC)
    check_a_cache_that_fails(folder, capsys)


def test_a_file_in_the_place_of_the_folder_is_named_once(folder, capsys):
    folder.cache.write_text("not a folder")
    check_a_cache_that_fails(folder, capsys)


def check_a_cache_that_fails(folder, capsys):
    assert [folder.call(number) for number in (4, 4, 0.25)] == [(8, 0), (8, 0), (0.5, 0)]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "compiling kernels" in lines[0]
    assert str(folder.cache) in lines[1]
    assert "Set NUMBA_CACHE_DIR" in lines[1]


def test_no_home_folder_is_said_once_and_nothing_fails(folder, capsys, monkeypatch):
    def fail():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(_cache, "cache_folder", fail)
    assert [folder.call() for _ in range(2)] == [(8, 0), (8, 0)]
    assert capsys.readouterr().err.count("Set NUMBA_CACHE_DIR") == 1


def test_without_numba_cache_dir_kernels_are_in_the_users_cache(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert [folder.call() for _ in range(2)] == [(8, 0), (8, 1)]
    assert list((tmp_path / "mine" / "graphtrees" / "kernels").glob("*/caller*.bin"))
    assert not list(tmp_path.rglob("*.nb?"))


def test_kernels_are_read_from_a_cache_that_cannot_be_written(folder, capsys, monkeypatch):
    folder.call()
    capsys.readouterr()

    def fail(*_, **__):
        raise PermissionError("read-only file system")

    monkeypatch.setattr(_cache, "write_whole", fail)
    monkeypatch.setattr(os, "utime", fail)
    assert folder.call() == (8, 1)
    assert capsys.readouterr().err == ""


def test_kernels_long_unused_are_removed_and_nothing_else_is(folder):
    base = folder.cache / "graphtrees"
    old = [base / f"{number:032x}" for number in range(12)]
    now = time.time()
    for age, path in enumerate(old):
        path.mkdir(parents=True)
        (path / "kernel.bin").write_bytes(b"")
        os.utime(path, (now - 3 * 86400 - age,) * 2)
    recent = base / ("f" * 32)
    recent.mkdir()
    others = base / "notes"
    others.mkdir()
    os.utime(others, (1, 1))
    folder.call()
    assert [path.exists() for path in old] == [True] * (_cache.KEPT_KEYS - 2) + [False] * 6
    assert recent.exists()
    assert others.exists()


def test_every_module_that_kernels_import_is_hashed():
    package = Path(graphtrees.__file__).parent
    hashed = set(_cache.Sources(*_cache.SOURCES).files)
    for path in (package / "kernels").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphtrees"):
                if node.module in ("graphtrees._folders", "graphtrees._disk", "graphtrees.kernels"):
                    continue  # where files are and how they are written; the package that is hashed
                file = package.parent / Path(*node.module.split(".")).with_suffix(".py")
                assert file in hashed, f"{path.name} imports {node.module}"


PROGRAM = """
import numpy as np
from graphtrees.kernels.answer import add_values
out = np.zeros((2, 1))
leaves, values = np.array([[1], [0]], np.int32), np.array([[3.0], [4.0]])
add_values(leaves, np.array([0, 2]), values, np.array([0]), 0.5, out)
print(out.ravel().tolist())
"""


def run_program(**variables: str) -> subprocess.Popen:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0", **variables}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_processes_that_compile_at_once_share_one_cache(tmp_path):
    both = [run_program(NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    first = [process.communicate() for process in both]
    again = run_program(NUMBA_CACHE_DIR=str(tmp_path)).communicate()
    assert [printed for printed, _ in [*first, again]] == ["[2.0, 1.5]\n"] * 3
    purpose = "prediction (once on this machine; up to a minute)"
    line = f"graphtrees: compiling kernels for {purpose} ...\n"
    waiting = "graphtrees: waiting for another process that compiles kernels ...\n"
    messages = sorted(message for _, message in first)
    assert messages in (["", line], [line, waiting])  # one compiles; the other may come later
    assert again[1] == ""
    assert not list(tmp_path.rglob("*.lock"))


class Held:
    """Another process that has the turn of every kernel, and does what it is asked to."""

    def __init__(self, monkeypatch, when_asked_again) -> None:
        self.n_asked = 0
        self._act = when_asked_again
        monkeypatch.setattr(_cache, "lock", self)
        monkeypatch.setattr(_cache, "LOOK_EVERY", 0.001)

    def __call__(self, file) -> None:
        self.n_asked += 1
        if self.n_asked > 1:
            self._act()
        raise BlockingIOError


def test_a_kernel_that_another_process_has_compiled_meanwhile_is_read(folder, monkeypatch):
    folder.call()
    finished = {path: path.read_bytes() for path in folder.files()}
    for path in finished:
        path.unlink()

    def finish():
        for path, content in finished.items():
            path.write_bytes(content)
        monkeypatch.setattr(_cache, "lock", lambda file: None)

    held = Held(monkeypatch, finish)
    monkeypatch.setattr(_cache, "LONGEST_TURN", 60.0)
    assert folder.call() == (8, 1)
    assert held.n_asked == 2
    assert folder.files() == sorted(finished)


def test_a_process_that_is_stopped_holds_nobody_up_for_ever(folder, monkeypatch):
    held = Held(monkeypatch, lambda: None)
    monkeypatch.setattr(_cache, "LONGEST_TURN", 1.0)
    assert folder.call() == (8, 0)
    assert held.n_asked > 1
    assert folder.call() == (8, 1)


def test_a_file_system_without_locks_is_no_reason_to_wait(folder, monkeypatch):
    def fail(file):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(_cache, "lock", fail)
    assert [folder.call() for _ in range(2)] == [(8, 0), (8, 1)]
    assert {path.suffix for path in folder.files()} == {".bin"}


def test_a_kernel_that_cannot_be_compiled_keeps_no_turn(folder):
    double = folder.load()
    with pytest.raises(numba.TypingError):
        double(None)
    assert double(4) == 8
    assert [path.suffix for path in folder.files()] == [".bin", ".bin"]


def test_an_installed_package_keeps_no_files_in_its_folder(tmp_path):
    site = tmp_path / "site"
    shutil.copytree(
        Path(graphtrees.__file__).parent, site / "graphtrees",
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    variables = {"PYTHONPATH": str(site), "NUMBA_CACHE_DIR": "", "PYTHONDONTWRITEBYTECODE": "1"}
    before = sorted(site.rglob("*"))
    cache = tmp_path / "cache"
    printed, _ = run_program(XDG_CACHE_HOME=str(cache), **variables).communicate()
    assert printed == "[2.0, 1.5]\n"
    assert sorted(site.rglob("*")) == before
    assert list(cache.glob("graphtrees/kernels/*/*.bin"))
    kernels = site / "graphtrees" / "kernels" / "answer.py"
    kernels.write_text(kernels.read_text() + "\n# edited\n")
    _, message = run_program(XDG_CACHE_HOME=str(cache), **variables).communicate()
    assert "compiling kernels" in message
    assert len(list(cache.glob("graphtrees/kernels/*"))) == 2


def test_arrays_that_may_not_be_written_are_another_type(folder):
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    assert folder.call(np.arange(3.0))[0].tolist() == [0.0, 2.0, 4.0]
    result, hits = folder.call(frozen)
    assert (result.tolist(), hits) == ([0.0, 2.0, 4.0], 0)
