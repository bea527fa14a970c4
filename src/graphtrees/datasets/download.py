"""Download one file over HTTP: the whole file or nothing is written."""

from __future__ import annotations

import hashlib
import http.client
import io
import math
import os
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

from graphtrees._progress import PATIENCE, StatusLine

CHUNK = 1 << 16
TIMEOUT = 30.0  # seconds without a byte
ATTEMPTS = 3  # a cut connection often works again
PAUSE = 0.5  # seconds before the second attempt, twice that before the third
BAR = 30  # characters of the progress bar


class Unavailable(OSError):
    """The file could not be downloaded."""


class NotOnServer(Unavailable):
    """The server answered, and does not have the file."""


class Interrupted(Unavailable):
    """The connection failed or ended early: worth another attempt."""


def fetch(
    url: str,
    target: Path,
    *,
    size: int | None = None,
    sha256: str | None = None,
    verbose: bool = False,
) -> Path:
    """Download `url` to `target`; nothing is left behind unless the whole file checks out.

    `size` and `sha256` are what the file must have, where that is known. A zip or npz must also
    pass its own checksums. A file that fails is not kept.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"data are fetched over http or https; got the address {url!r}")
    for attempt in range(1, ATTEMPTS):
        try:
            return _fetch_once(url, target, size, sha256, verbose)
        except Interrupted:
            time.sleep(PAUSE * attempt)
    return _fetch_once(url, target, size, sha256, verbose)


def _fetch_once(
    url: str, target: Path, size: int | None, sha256: str | None, verbose: bool
) -> Path:
    from graphtrees._disk import draft_of

    target.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(target, ".part") as (part, _):
        received, digest = _receive(url, part, _Progress(target.name, verbose))
        if size is not None and received != size:
            raise OSError(f"{url} should have {size:,} bytes; {received:,} came")
        if sha256 is not None and digest != sha256:
            raise OSError(f"{url} should have the SHA-256 {sha256}; what came has {digest}")
        if target.suffix in {".zip", ".npz"}:
            _check_zip(url, part)
    return target


def _receive(url: str, part: Path, progress: _Progress) -> tuple[int, str]:
    """Stream the answer into `part`, onto the disk; return its length and SHA-256."""
    digest = hashlib.sha256()
    received = 0
    with _open(url) as response, open(part, "wb", buffering=0) as file:
        length = response.headers.get("Content-Length")
        expected = int(length) if length and length.isdigit() else None
        for chunk in _chunks(url, response):
            _write(file, chunk)
            digest.update(chunk)
            received += len(chunk)
            progress.show(received, expected)
        if expected is not None and received != expected:
            raise Interrupted(f"{url} broke off after {received:,} of {expected:,} bytes")
        os.fsync(file.fileno())
    progress.end(received)
    return received, digest.hexdigest()


def _write(file: io.FileIO, chunk: bytes) -> None:
    """Write all of `chunk`; where the disk is full, the error names the folder."""
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        folder = os.path.dirname(os.fspath(file.name))
        raise OSError(error.errno, f"cannot write to {folder}: {error.strerror}") from error


def _open(url: str) -> http.client.HTTPResponse:
    request = urllib.request.Request(url, headers={"User-Agent": "graphtrees"})
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in {404, 410}:
            raise NotOnServer(f"{url} is not on the server (HTTP {error.code})") from error
        if error.code >= 500:
            raise Interrupted(f"the server failed to send {url} (HTTP {error.code})") from error
        raise Unavailable(f"the server refused to send {url} (HTTP {error.code})") from error
    except urllib.error.URLError as error:
        raise Interrupted(f"could not reach {url} ({error.reason})") from error
    except (OSError, http.client.HTTPException) as error:
        raise Interrupted(f"could not reach {url} ({error})") from error


def _chunks(url: str, response: http.client.HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            chunk = response.read(CHUNK)
        except (OSError, http.client.HTTPException) as error:
            raise Interrupted(f"{url} broke off ({error})") from error
        if not chunk:
            return
        yield chunk


def _check_zip(url: str, part: Path) -> None:
    try:
        with zipfile.ZipFile(part) as archive:
            damaged = archive.testzip()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise OSError(f"{url} did not bring a readable zip file ({error})") from error
    if damaged is not None:
        raise OSError(f"{url} brought a damaged zip file: {damaged!r} fails its checksum")


class _Progress:
    """A bar on a terminal; in a log one line when the download begins and one when it ends."""

    def __init__(self, name: str, verbose: bool) -> None:
        self.name, self.shown = name, False
        patience = -1.0 if verbose else PATIENCE
        self.line = StatusLine(patience, patience, log_interval=math.inf)

    def show(self, received: int, expected: int | None) -> None:
        now = time.monotonic()
        if self.line.is_due(now):
            size = _megabytes(expected) if expected else "size unknown"
            log = f"graphtrees: fetching {self.name} ({size})"
            self.line.show(self._bar(received, expected) if self.line.rewrites else log, now)
            self.shown = True

    def end(self, received: int) -> None:
        if self.shown:
            seconds = time.monotonic() - self.line.start
            size = _megabytes(received)
            self.line.end(f"graphtrees: fetched {self.name}: {size} in {seconds:.1f} s")

    def _bar(self, received: int, expected: int | None) -> str:
        text = f"{self.name} {_megabytes(received)}"
        if not expected:
            return text
        filled = min(BAR, BAR * received // expected)
        return f"{text} of {_megabytes(expected)} [{'=' * filled:<{BAR}}]"


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB"
