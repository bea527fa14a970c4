"""Files are written whole or not at all, with the usual rights, and leave no drafts behind."""

from __future__ import annotations

import gzip
import os
import signal
import stat
import subprocess
import sys
import textwrap
from dataclasses import replace

import numpy as np
import pytest
from builders import some_graphs
from models import small

import graphtrees as gt
from graphtrees import _disk
from graphtrees.files import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="rights and signals of POSIX")
X = some_graphs(6)


@pytest.fixture(scope="module")
def model():
    return small(gt.GraphTreeRegressor).fit(X, np.arange(6.0))


def mode_of(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
@pytest.mark.parametrize(("mask", "wanted"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_rights_that_the_umask_gives(model, mask, wanted, tmp_path):
    before = os.umask(mask)
    try:
        model.save(tmp_path / "model.json")
        assert os.umask(mask) == mask, "the umask is not touched"
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "model.json") == wanted


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_written_again_keeps_its_rights(model, mode, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    path.chmod(mode)
    model.save(path)
    assert mode_of(path) == mode


@posix
def test_a_link_stays_a_link_to_the_file_that_is_written(model, tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "model.json"
    link.symlink_to(tmp_path / "real" / "model.json")
    model.save(link)
    assert link.is_symlink()
    assert not (tmp_path / "real" / "model.json").is_symlink()
    assert len(gt.load_model(tmp_path / "real" / "model.json").predict(X)) == 6


def test_a_folder_is_not_written_over(model, tmp_path):
    with pytest.raises(OSError, match=r"irectory|ermission"):
        model.save(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["m" * 250 + ".json", "[a]*?.json", ".json", "mödel 1.json.gz"])
def test_any_name_that_a_file_may_have_will_do(model, name, tmp_path):
    model.save(tmp_path / name)
    model.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    np.testing.assert_array_equal(gt.load_model(tmp_path / name).predict(X), model.predict(X))


def test_an_error_while_writing_leaves_the_old_file_and_no_draft(model, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    model.save(path)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from graphtrees.files import write_whole
    os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
    write_whole(Path(sys.argv[1]), b"half of it")
"""


def kill_while_writing(path) -> None:
    script = textwrap.dedent(KILLED)
    ran = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert ran.returncode == -signal.SIGKILL


@posix
def test_the_draft_of_a_killed_process_goes_with_the_next_write(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    before = path.read_bytes()
    kill_while_writing(path)
    assert len(list(tmp_path.iterdir())) == 2, "a draft is left"
    assert path.read_bytes() == before
    model.save(path)
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_drafts_of_other_files_and_other_files_stay(model, tmp_path):
    others = [
        tmp_path / name for name in (".model.json.txt", ".model.json.1234567.draft", "a.draft")
    ]
    for other in others:
        other.write_text("mine")
    kill_while_writing(tmp_path / "other.json")
    before = set(tmp_path.iterdir())
    model.save(tmp_path / "model.json")
    assert set(tmp_path.iterdir()) == before | {tmp_path / "model.json"}


@posix
def test_two_writers_of_one_file_do_not_disturb_each_other(tmp_path, monkeypatch):
    """A second write that begins and ends in the middle of a first one."""
    path = tmp_path / "model.json"
    fsync = os.fsync

    def write_another(handle):
        monkeypatch.setattr(os, "fsync", fsync)
        write_whole(path, b"second")
        assert path.read_bytes() == b"second"

    monkeypatch.setattr(os, "fsync", write_another)
    write_whole(path, b"first")
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_a_draft_that_is_taken_away_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    lock, taken = _disk.lock, []

    def lock_too_late(file):
        if not taken:
            taken.append(file.name)
            os.unlink(file.name)
        lock(file)

    monkeypatch.setattr(_disk, "lock", lock_too_late)
    write_whole(path, b"whole")
    assert taken
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_very_many_equal_trees_are_packed_so_that_they_can_be_unpacked(tmp_path, monkeypatch):
    model = small(gt.GraphBoostingRegressor).fit(X, np.arange(6.0))
    n = 1000
    monkeypatch.setattr("graphtrees.files.packing.UNPACKED_ALWAYS", 1000)
    first = model._fitted.trees[0]
    leaf = first.keep(np.array([0]), np.ones(first.n_nodes, bool))
    model._fitted = replace(model._fitted, trees=(leaf,) * n, outputs=(0,) * n)
    model.n_iter_, model.best_iteration_ = n, n - 1
    model.save(tmp_path / "model.json.gz")
    assert len(gzip.compress(gzip.decompress((tmp_path / "model.json.gz").read_bytes()))) < 10_000
    again = gt.load_model(tmp_path / "model.json.gz")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
