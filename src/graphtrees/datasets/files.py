"""Find the files of a data set on this machine, or fetch them.

The search goes through the folder named by ``GRAPHTREES_DATA`` and then the user's cache; what is
in neither is downloaded into the cache. ``base_url`` (or ``GRAPHTREES_DATA_URL``) names a mirror
that holds the files under the same relative paths, such as ``tu/MUTAG.zip``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphtrees._folders import cache_folder
from graphtrees.datasets.download import NotOnServer, Unavailable, fetch
from graphtrees.datasets.registry import KNOWN
from graphtrees.graphs.validation.arguments import as_flag, as_path

DATA_VARIABLE = "GRAPHTREES_DATA"
MIRROR_VARIABLE = "GRAPHTREES_DATA_URL"


@dataclass(frozen=True)
class Remote:
    """A file that can be fetched: its place in a data folder and its public address, if any."""

    path: str
    url: str | None = None


@dataclass(frozen=True)
class Source:
    """The files that a data set can be read from, any one of them."""

    name: str
    remotes: tuple[Remote, ...]
    also: tuple[str, ...] = ()  # other places in a data folder where people keep it
    private: str = "it has no public address to be fetched from"

    @property
    def paths(self) -> list[str]:
        """Where in a data folder to look, in order."""
        return [*(remote.path for remote in self.remotes), *self.also]

    @property
    def urls(self) -> list[str]:
        """The public addresses."""
        return [remote.url for remote in self.remotes if remote.url]


@dataclass(frozen=True)
class Files:
    """The folders that a loader searches, and the addresses it may download from."""

    data_home: str | os.PathLike[str] | None = None
    download_if_missing: bool = True
    base_url: str | None = None
    verbose: bool = False

    def __post_init__(self) -> None:
        as_flag(self.download_if_missing, "download_if_missing")

    def folders(self) -> list[Path]:
        """The folders to search, in order; downloads go to the last."""
        if self.data_home is not None:
            return [as_path(self.data_home, "data_home").expanduser()]
        named = os.environ.get(DATA_VARIABLE)
        if not named:
            return [cache_folder()]
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise FileNotFoundError(f"{DATA_VARIABLE} names {named!r}, which is not a folder")
        return [folder, cache_folder()]

    def find(self, paths: Sequence[str]) -> Path | None:
        """The first of `paths` that exists in the first folder that has one."""
        for folder in self.folders():
            for path in paths:
                if (folder / path).exists():
                    return folder / path
        return None

    def get(self, source: Source) -> Path:
        """A file of the data set, found or downloaded; the error says what to put where."""
        path = self.find(source.paths)
        if path is not None:
            return path
        if not self.download_if_missing:
            raise self._missing(source, "it is not on this machine")
        return self._fetch(source)

    def mirrored(self, remote: Remote) -> Path | None:
        """An extra file, from a mirror that has it; else None."""
        for path, url in self._addresses((remote,)) if self.download_if_missing else []:
            try:
                return self._download(path, url)
            except NotOnServer:
                pass
        return None

    def _fetch(self, source: Source) -> Path:
        why = source.private
        for path, url in self._addresses(source.remotes):
            try:
                return self._download(path, url)
            except NotOnServer as error:
                why = str(error)
            except Unavailable as error:
                raise self._missing(source, str(error)) from error
        raise self._missing(source, why)

    def _addresses(self, remotes: Sequence[Remote]) -> list[tuple[str, str]]:
        base = self.base_url or os.environ.get(MIRROR_VARIABLE)
        if base:
            return [(remote.path, f"{base.rstrip('/')}/{remote.path}") for remote in remotes]
        return [(remote.path, remote.url) for remote in remotes if remote.url]

    def _download(self, path: str, url: str) -> Path:
        target = self.folders()[-1] / path
        known = KNOWN.get(path)
        if known is None:
            return fetch(url, target, verbose=self.verbose)
        return fetch(url, target, size=known.size, sha256=known.sha256, verbose=self.verbose)

    def _missing(self, source: Source, why: str) -> FileNotFoundError:
        wanted = " or ".join(remote.path for remote in source.remotes)
        folders = " or ".join(str(folder) for folder in self.folders())
        return FileNotFoundError(
            f"data set {source.name!r}: {why}. Put {wanted} under {folders}, set {DATA_VARIABLE} "
            "to a folder that has it, or give a mirror as base_url."
        )


def known_name(name: object, known: Iterable[str], kind: str) -> str:
    """The one of the known names that `name` equals but for case and hyphens."""
    names = {normalised(one): one for one in known}
    if not isinstance(name, str) or normalised(name) not in names:
        raise ValueError(f"{kind} data sets are {', '.join(names.values())}; got {name!r}")
    return names[normalised(name)]


def normalised(name: str) -> str:
    """A name without differences of case, hyphens and underscores."""
    return name.lower().replace("_", "-")
