"""Fetching a file: whole, checked, or not there at all."""

from __future__ import annotations

import errno
import hashlib
import io
import os
from pathlib import Path

import pytest

from datasets.archives import TINY, tu_zip
from graphtrees.datasets import download
from graphtrees.datasets.download import Interrupted, NotOnServer, Unavailable, fetch

BODY = bytes(range(256)) * 1000  # several chunks


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "new" / "folder" / "file.bin"


@pytest.fixture
def url(mirror) -> str:
    mirror.files["file.bin"] = BODY
    return f"{mirror.url}/file.bin"


def left_behind(target: Path) -> list[str]:
    return os.listdir(target.parent) if target.parent.exists() else []


def test_a_file_arrives_whole_and_alone(url, target):
    digest = hashlib.sha256(BODY).hexdigest()
    assert fetch(url, target, size=len(BODY), sha256=digest) == target
    assert target.read_bytes() == BODY
    assert left_behind(target) == ["file.bin"]


def test_a_file_fetched_again_replaces_the_old_one(url, target):
    target.parent.mkdir(parents=True)
    target.write_bytes(b"old")
    fetch(url, target)
    assert target.read_bytes() == BODY


def test_a_cut_connection_is_tried_again(mirror, url, target):
    mirror.faults["file.bin"] = ["cut", "cut", "ok"]
    fetch(url, target)
    assert target.read_bytes() == BODY
    assert len(mirror.asked) == 3


def test_a_connection_that_is_always_cut_leaves_nothing(mirror, url, target):
    mirror.faults["file.bin"] = ["cut"]
    with pytest.raises(Interrupted, match=r"broke off after 128,000 of 256,000 bytes"):
        fetch(url, target)
    assert left_behind(target) == []
    assert len(mirror.asked) == download.ATTEMPTS


def test_a_cut_connection_keeps_the_old_file(mirror, url, target):
    target.parent.mkdir(parents=True)
    target.write_bytes(b"old")
    mirror.faults["file.bin"] = ["cut"]
    with pytest.raises(Interrupted):
        fetch(url, target)
    assert target.read_bytes() == b"old"
    assert left_behind(target) == ["file.bin"]


def test_a_server_that_falls_silent_is_given_up(mirror, url, target, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 0.1)
    mirror.faults["file.bin"] = ["stall"]
    with pytest.raises(Interrupted, match="timed out"):
        fetch(url, target)
    assert left_behind(target) == []


@pytest.mark.parametrize("status", [500, 502, 503, 599])
def test_a_server_error_is_tried_again(mirror, url, target, status):
    mirror.faults["file.bin"] = [status, "ok"]
    assert fetch(url, target).read_bytes() == BODY
    assert mirror.asked == ["file.bin", "file.bin"]


@pytest.mark.parametrize("status", [400, 403, 404, 410, 499])
def test_a_refusal_is_not_tried_again(mirror, url, target, status):
    mirror.faults["file.bin"] = [status, "ok"]
    with pytest.raises(OSError, match=f"HTTP {status}"):
        fetch(url, target)
    assert mirror.asked == ["file.bin"]


def test_a_file_that_is_not_there_is_asked_for_once(mirror, target):
    with pytest.raises(NotOnServer, match=r"/none\.bin is not on the server \(HTTP 404\)"):
        fetch(f"{mirror.url}/none.bin", target)
    assert mirror.asked == ["none.bin"]


def test_a_refusal_is_told_with_its_status(mirror, url, target):
    mirror.faults["file.bin"] = [403]
    with pytest.raises(Unavailable, match=r"refused to send .* \(HTTP 403\)"):
        fetch(url, target)
    assert len(mirror.asked) == 1


def test_a_server_that_is_not_there_is_told(target):
    with pytest.raises(Interrupted, match=r"could not reach http://127\.0\.0\.1:9/x"):
        fetch("http://127.0.0.1:9/x", target)


def test_a_wrong_digest_is_refused(url, target):
    with pytest.raises(OSError, match=r"should have the SHA-256 00; what came has [0-9a-f]{64}"):
        fetch(url, target, sha256="00")
    assert left_behind(target) == []


def test_a_wrong_size_is_refused(url, target):
    with pytest.raises(OSError, match=r"should have 7 bytes; 256,000 came"):
        fetch(url, target, size=7)
    assert left_behind(target) == []


@pytest.mark.parametrize("damage", ["cut in half", "one bit turned", "a page of HTML"])
def test_a_damaged_zip_is_refused(mirror, target, damage):
    whole = tu_zip("MUTAG", TINY)
    turned = bytearray(whole)
    turned[50] ^= 1
    mirror.files["x.zip"] = {
        "cut in half": whole[: len(whole) // 2],
        "one bit turned": bytes(turned),
        "a page of HTML": b"<html>Sign in to this network</html>",
    }[damage]
    mirror.faults["x.zip"] = ["no length"]
    with pytest.raises(OSError, match=r"zip file"):
        fetch(f"{mirror.url}/x.zip", target.with_name("x.zip"))
    assert left_behind(target) == []


def test_a_full_disk_is_told_and_leaves_nothing(url, target, monkeypatch):
    class FullDisk(io.FileIO):
        written = 0

        def write(self, data) -> int:
            FullDisk.written += len(data)
            if FullDisk.written > 100_000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    monkeypatch.setattr(download, "open", lambda path, *_, **__: FullDisk(path, "w"), raising=False)
    with pytest.raises(OSError, match=r"cannot write to .*folder: No space left") as caught:
        fetch(url, target)
    assert caught.value.errno == errno.ENOSPC
    assert left_behind(target) == []


def test_only_web_addresses_are_fetched(target):
    with pytest.raises(ValueError, match=r"http or https; got the address 'file:///etc/hosts'"):
        fetch("file:///etc/hosts", target)


def test_a_quick_download_is_silent(url, target, capsys):
    fetch(url, target)
    assert capsys.readouterr().err == ""


def test_a_program_without_a_stderr_downloads_too(url, target, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)  # as under pythonw
    assert fetch(url, target).read_bytes() == BODY


def test_a_verbose_download_tells_its_beginning_and_end(url, target, capsys):
    fetch(url, target, verbose=True)
    first, last = capsys.readouterr().err.splitlines()
    assert first == "graphtrees: fetching file.bin (0.3 MB)"
    assert last.startswith("graphtrees: fetched file.bin: 0.3 MB in ")


def test_a_terminal_gets_a_bar(url, target, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    fetch(url, target, verbose=True)
    bar, *_, last = terminal.getvalue().split("\r\x1b[2K")
    assert bar == "file.bin 0.1 MB of 0.3 MB [=======                       ]"
    assert last.startswith("graphtrees: fetched file.bin")


def test_a_notebook_gets_a_bar_without_control_codes(url, target, monkeypatch, capsys):
    monkeypatch.setattr("graphtrees._progress.in_notebook", lambda: True)
    fetch(url, target, verbose=True)
    bar, *_, last = capsys.readouterr().err.split("\r")
    assert bar == "file.bin 0.1 MB of 0.3 MB [=======                       ]"
    assert last.startswith("graphtrees: fetched file.bin")


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_what_a_killed_download_left_goes_with_the_next_one(url, target):
    target.parent.mkdir(parents=True)
    (target.parent / ".file.bin.0123abcd.part").write_bytes(BODY[:100])
    fetch(url, target)
    assert left_behind(target) == ["file.bin"]


def test_two_downloads_of_one_file_do_not_disturb_each_other(url, target, monkeypatch):
    """A second download that begins and ends while the first one is being checked."""
    receive = download._receive

    def receive_and_fetch_again(*given):
        monkeypatch.setattr(download, "_receive", receive)
        got = receive(*given)
        fetch(url, target)
        return got

    monkeypatch.setattr(download, "_receive", receive_and_fetch_again)
    fetch(url, target)
    assert target.read_bytes() == BODY
    assert left_behind(target) == ["file.bin"]
