"""Larger graphs whose neighbours often differ in class (Platonov et al., 2023)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from graphtrees.datasets.archives import read_npz, require
from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source, known_name
from graphtrees.datasets.packed import (
    check_packed,
    classes_of,
    distinct,
    packed_features,
    vertex_bunch,
)

REPOSITORY = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/main/data"

ABOUT = {
    "Tolokers": "Workers of a crowdsourcing platform; was a worker banned from a project? An edge "
    "joins workers who did the same task. Measure: ROC-AUC.",
    "Roman-empire": "Words of the Wikipedia article on the Roman Empire and their syntactic role; "
    "an edge joins words that follow or depend on each other. Measure: accuracy.",
    "Amazon-ratings": "Products and the class of their mean rating; an edge joins products often "
    "bought together. Measure: accuracy.",
    "Minesweeper": "Cells of a grid; is a cell a mine? Features tell the mines around some cells. "
    "Measure: ROC-AUC.",
    "Questions": "Users of a question-answering site; did a user stay active? An edge joins users "
    "of whom one answered the other. Measure: ROC-AUC.",
}
COMMON = "Undirected; ten splits 50/25/25 (Platonov et al., 2023)."


def load_heterophilous(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load a graph of the heterophilous collection: name the class of each vertex.

    Parameters
    ----------
    name : {"Tolokers", "Roman-empire", "Amazon-ratings", "Minesweeper", "Questions"}
        Which graph.
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. Read from ``node/tolokers.npz`` or from the authors' file as
        ``heterophilous/tolokers.npz``.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` the vertices of ``graph``; ``y`` classes (n_vertices,) int; ``splits`` ten dicts of
        index arrays ``train``, ``validation``, ``test``; ``name`` and ``description``.

    Examples
    --------
    >>> from graphtrees.datasets import load_heterophilous
    >>> load_heterophilous("Tolokers").graph  # doctest: +SKIP
    Graph(n_vertices=11758, n_edges=519000, n_features=10)
    """
    name = known_name(name, ABOUT, "heterophilous")
    path = Files(data_home, download_if_missing, base_url, verbose).get(source(name))
    arrays = _read(path)
    return vertex_bunch(
        name,
        packed_features(arrays),
        distinct(arrays["edge_index"], directed=False),
        classes_of(name, arrays["y"]),
        splits_from(arrays),
        f"{name}. {ABOUT[name]} {COMMON}",
    )


def source(name: str) -> Source:
    """The files and addresses of the data set: packed, or as the authors publish it."""
    file = name.lower().replace("-", "_") + ".npz"
    published = Remote(f"heterophilous/{file}", f"{REPOSITORY}/{file}")
    return Source(name, (Remote(f"node/{file}"), published), also=(file,))


def _read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a packed data set, from either kind of file."""
    arrays = read_npz(path)
    if "node_features" in arrays:
        require(path, arrays, "node_labels", "edges", "train_masks", "val_masks", "test_masks")
        arrays["x"] = arrays["node_features"]
        arrays["y"] = arrays["node_labels"]
        arrays["edge_index"] = arrays["edges"].T
    return check_packed(path, arrays)
