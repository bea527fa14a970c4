"""The list of data sets: their tasks, and where they are on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from graphtrees.datasets import county, flights, geom_gcn, heterophilous, ogb, planetoid, tu
from graphtrees.datasets.files import Files, Source

GRAPH_CLASSES, VERTEX_CLASSES = "graph classification", "vertex classification"

# The usual benchmarks among the many collections of the TU repository.
TU = (
    "MUTAG", "PTC_MR", "PROTEINS", "PROTEINS_full", "NCI1", "ENZYMES", "DD", "IMDB-BINARY",
    "IMDB-MULTI", "Mutagenicity",
)  # fmt: skip
OGB_TASKS = {
    "ogbg-molesol": "graph regression",
    "ogbg-molfreesolv": "graph regression",
    "ogbg-mollipo": "graph regression",
    "ogbn-arxiv": VERTEX_CLASSES,
}


@dataclass(frozen=True)
class Entry:
    """One data set of the list."""

    name: str
    task: str
    loader: str  # the call that loads it
    found: Path | None  # where it is on this machine
    how_to_get: str


class Table(list[Entry]):
    """A list of entries that prints as a table."""

    def __repr__(self) -> str:
        rows = [("name", "task", "loader", "found / how to get")]
        rows += [
            (entry.name, entry.task, entry.loader, str(entry.found or entry.how_to_get))
            for entry in self
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def available(data_home: str | os.PathLike[str] | None = None) -> Table:
    """List the data sets that the loaders know, and where each is found on this machine.

    Any collection of the TU repository can be loaded by name; the list holds the usual ones.

    Parameters
    ----------
    data_home : path, optional
        The folder to search, instead of ``GRAPHTREES_DATA`` and the user's cache.

    Returns
    -------
    table : list of Entry
        With ``name``, ``task``, ``loader``, ``found`` (a path or None) and ``how_to_get``. It
        prints as a table.

    Examples
    --------
    >>> from graphtrees.datasets import available
    >>> [entry.loader for entry in available() if entry.task == "vertex regression"]
    ['load_county()']
    """
    files = Files(data_home)
    return Table(_entry(files, *row) for row in _data_sets())


def _data_sets() -> list[tuple[str, str, Source]]:
    """Task, loader and source of every data set."""
    data_sets = [(GRAPH_CLASSES, f"load_tu({name!r})", tu.source(name)) for name in TU]
    data_sets += [
        (OGB_TASKS.get(name, GRAPH_CLASSES), f"load_ogb({name!r})", ogb.source(name))
        for name in ogb.NAMES
    ]
    for loader, names, module in (
        ("load_planetoid", planetoid.DESCRIPTIONS, planetoid),
        ("load_geom_gcn", geom_gcn.NAMES, geom_gcn),
        ("load_heterophilous", heterophilous.ABOUT, heterophilous),
    ):
        data_sets += [
            (VERTEX_CLASSES, f"{loader}({name!r})", module.source(name)) for name in names
        ]
    data_sets.append(("vertex regression", "load_county()", county.source()))
    data_sets.append((VERTEX_CLASSES, "load_flights()", flights.source()))
    return data_sets


def _entry(files: Files, task: str, loader: str, source: Source) -> Entry:
    if source.urls:
        how = "fetched when first loaded"
    else:
        how = f"put {source.remotes[0].path} into a data folder"
    return Entry(source.name, task, loader, files.find(source.paths), how)
