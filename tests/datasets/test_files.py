"""Finding files: the data folder, then the cache, then the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from datasets.archives import npz
from graphtrees.datasets import files as files_module
from graphtrees.datasets.files import Files, Remote, Source, cache_folder
from graphtrees.datasets.registry import Known

SOURCE = Source("Tiny", (Remote("tu/Tiny.zip"),), also=("Tiny",))


def put(folder: Path, path: str, content: bytes = b"x") -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def test_the_data_folder_comes_before_the_cache(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("GRAPHTREES_DATA", str(tmp_path / "data"))
    in_cache = put(cache, "tu/Tiny.zip")
    (tmp_path / "data").mkdir()
    assert Files().get(SOURCE) == in_cache
    in_data = put(tmp_path / "data", "Tiny")
    assert Files().get(SOURCE) == in_data


def test_data_home_is_searched_instead_of_both(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("GRAPHTREES_DATA", str(tmp_path))
    put(tmp_path, "Tiny")
    put(cache, "Tiny")
    assert Files(data_home=tmp_path / "home").find(["Tiny"]) is None
    own = put(tmp_path / "home", "Tiny")
    assert Files(data_home=tmp_path / "home").get(SOURCE) == own


def test_a_data_folder_that_is_none_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHTREES_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match=r"GRAPHTREES_DATA names '.*nowhere', which is not"):
        Files().get(SOURCE)


def test_a_missing_file_is_fetched_into_the_cache_once(mirror, cache):
    mirror.files["tu/Tiny.zip"] = npz(a=[1])
    files = Files(base_url=mirror.url)
    assert files.get(SOURCE) == cache / "tu" / "Tiny.zip"
    assert files.get(SOURCE).read_bytes() == mirror.files["tu/Tiny.zip"]
    assert mirror.asked == ["tu/Tiny.zip"]


def test_the_mirror_may_come_from_the_environment(mirror, cache, monkeypatch):
    monkeypatch.setenv("GRAPHTREES_DATA_URL", mirror.url + "/")
    mirror.files["tu/Tiny.zip"] = npz(a=[1])
    assert Files().get(SOURCE) == cache / "tu" / "Tiny.zip"


def test_without_a_mirror_the_public_address_is_asked(mirror, cache):
    mirror.files["elsewhere/t.zip"] = npz(a=[1])
    private = Remote("node/tiny.npz")
    public = Remote("tu/Tiny.zip", f"{mirror.url}/elsewhere/t.zip")
    assert Files().get(Source("Tiny", (private, public))) == cache / "tu" / "Tiny.zip"
    assert mirror.asked == ["elsewhere/t.zip"]


def test_a_mirror_is_asked_for_each_form_of_a_data_set(mirror, cache):
    mirror.files["second.npz"] = npz(a=[1])
    source = Source("Tiny", (Remote("first.npz"), Remote("second.npz")))
    assert Files(base_url=mirror.url).get(source) == cache / "second.npz"
    assert mirror.asked == ["first.npz", "second.npz"]


def test_known_digests_are_checked(mirror, cache, monkeypatch):
    mirror.files["tu/Tiny.zip"] = npz(a=[1])
    size = len(mirror.files["tu/Tiny.zip"])
    monkeypatch.setitem(files_module.KNOWN, "tu/Tiny.zip", Known(size, "ab"))
    with pytest.raises(OSError, match="should have the SHA-256 ab"):
        Files(base_url=mirror.url).get(SOURCE)
    assert Files().find(SOURCE.paths) is None


def test_offline_the_error_says_what_to_put_where(cache):
    with pytest.raises(FileNotFoundError) as caught:
        Files(base_url="http://127.0.0.1:9").get(SOURCE)
    message = str(caught.value)
    assert message.startswith("data set 'Tiny': could not reach http://127.0.0.1:9/tu/Tiny.zip (")
    assert f"Put tu/Tiny.zip under {cache}, set GRAPHTREES_DATA" in message


def test_a_download_may_be_forbidden(mirror):
    with pytest.raises(FileNotFoundError, match=r"'Tiny': it is not on this machine\. Put tu/Tiny"):
        Files(download_if_missing=False, base_url=mirror.url).get(SOURCE)
    assert mirror.asked == []


def test_a_file_without_an_address_is_told():
    with pytest.raises(FileNotFoundError, match="it has no public address to be fetched from"):
        Files().get(SOURCE)


def test_the_cache_follows_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_folder() == tmp_path / ".cache" / "graphtrees"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "graphtrees"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "graphtrees"
