"""Each test has a cache of its own and a mirror on the loopback; none sees the user's data."""

from __future__ import annotations

import os
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from datasets.archives import npz
from datasets.mirror import Handler, Mirror
from graphtrees.datasets import download

REAL_DATA = os.environ.get("GRAPHTREES_DATA")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty cache folder of this test."""
    monkeypatch.delenv("GRAPHTREES_DATA", raising=False)
    monkeypatch.delenv("GRAPHTREES_DATA_URL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(download, "PAUSE", 0.0)
    return tmp_path / "cache" / "graphtrees"


@pytest.fixture
def mirror():
    """A real HTTP server; put files into `mirror.files` and faults into `mirror.faults`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.mirror = Mirror(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server.mirror
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def real_data(monkeypatch: pytest.MonkeyPatch) -> str:
    """The folder of real data, for those who have it."""
    if not REAL_DATA:
        pytest.skip("GRAPHTREES_DATA is not set")
    monkeypatch.setenv("GRAPHTREES_DATA", REAL_DATA)
    return REAL_DATA


@pytest.fixture
def put(tmp_path: Path):
    """Write a packed file into the data folder of this test."""

    def put(path: str, **arrays):
        target = tmp_path / "data" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(npz(**arrays))
        return tmp_path / "data"

    return put
