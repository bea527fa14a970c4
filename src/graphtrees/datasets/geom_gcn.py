"""Web pages, films and wiki pages whose neighbours tend to be of other classes (Geom-GCN)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from graphtrees.datasets.archives import read_npz
from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source, known_name
from graphtrees.datasets.packed import (
    classes_of,
    distinct,
    packed_features,
    read_packed,
    vertex_bunch,
)
from graphtrees.datasets.tables import read_integers

# The 2020 release put the features and labels of Texas on the edges of Cornell; the authors
# replaced it in July 2022. Older published numbers are on the mistaken one.
REPOSITORY = "https://raw.githubusercontent.com/bingzhewei/geom-gcn"
RELEASE_2020 = "f1fc0d14b3b019c562737240d06ec83b07d16a8f"

# Name here -> name of its folder in the repository.
NAMES = {
    "Cornell": "cornell",
    "Cornell-2020": "cornell",
    "Texas": "texas",
    "Wisconsin": "wisconsin",
    "Actor": "film",
    "Chameleon": "chameleon",
    "Squirrel": "squirrel",
}
LISTED = {"film": 932}  # folders whose file lists the features a vertex has, of how many
WEB = "Web pages of a university in 5 kinds (student, project, course, staff, faculty)"
WIKI = "Wikipedia pages in 5 classes of traffic"
ABOUT = {
    "Cornell": f"{WEB}, with their words and links; the corrected release of July 2022.",
    "Cornell-2020": f"{WEB}: the release of 2020, which by mistake holds the words and kinds of "
    "Texas on the links of Cornell. Kept to compare with older published numbers.",
    "Texas": f"{WEB}, with their words and links.",
    "Wisconsin": f"{WEB}, with their words and links.",
    "Actor": "Actors in 5 classes, with keywords of their Wikipedia pages; an edge joins actors "
    "named on one page. The file has 33,391 lines, 30,019 of them distinct.",
    "Chameleon": f"{WIKI}, with their nouns and links.",
    "Squirrel": f"{WIKI}, with their nouns and links.",
}
COMMON = "Ten splits 60/20/20 (Pei et al., Geom-GCN, 2020)."


def load_geom_gcn(
    name: str,
    *,
    directed: bool = True,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load a graph of the Geom-GCN collection: name the class of each vertex.

    Parameters
    ----------
    name : {"Cornell", "Cornell-2020", "Texas", "Wisconsin", "Actor", "Chameleon", "Squirrel"}
        Which graph.
    directed : bool, default=True
        True: edges as published. False: walked both ways, as much published work does.
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. Read from the packed ``node/cornell.npz``, or from the files of the
        Geom-GCN repository in a folder ``geom-gcn`` with its layout.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` the vertices of ``graph``, with sparse 0/1 features; ``y`` classes (n_vertices,) int;
        ``splits`` ten dicts of index arrays ``train``, ``validation``, ``test``; ``name`` and
        ``description``. Repeated edges are dropped, self-loops kept.

    Examples
    --------
    >>> from graphtrees.datasets import load_geom_gcn
    >>> load_geom_gcn("Cornell").graph  # doctest: +SKIP
    Graph(n_vertices=183, n_edges=298, n_features=1703, directed=True)
    """
    name = known_name(name, NAMES, "Geom-GCN")
    files = Files(data_home, download_if_missing, base_url, verbose)
    path = files.get(source(name))
    arrays = read_packed(path) if path.suffix == ".npz" else _from_text(files, name)
    return vertex_bunch(
        name,
        packed_features(arrays),
        distinct(arrays["edge_index"], directed),
        classes_of(name, arrays["y"]),
        splits_from(arrays),
        f"{name}. {ABOUT[name]} {COMMON}",
        directed=directed,
    )


def source(name: str) -> Source:
    """The files and addresses of the data set: packed, or as text (known by its first file)."""
    file = name.lower().replace("-", "_") + ".npz"
    return Source(name, (Remote(f"node/{file}"), _edges_remote(name)), also=(file,))


def _edges_remote(name: str) -> Remote:
    return _remote(name, f"new_data/{NAMES[name]}/out1_graph_edges.txt")


def _remote(name: str, path: str) -> Remote:
    commit, folder = "master", "geom-gcn"
    if name == "Cornell-2020":
        commit, folder = RELEASE_2020, "geom-gcn-2020"
    return Remote(f"{folder}/{path}", f"{REPOSITORY}/{commit}/{path}")


def _from_text(files: Files, name: str) -> dict[str, np.ndarray]:
    """The arrays of a packed data set, from the text files and masks of the repository."""
    folder = NAMES[name]
    remotes = [
        _edges_remote(name),
        _remote(name, f"new_data/{folder}/out1_node_feature_label.txt"),
        *(_remote(name, f"splits/{folder}_split_0.6_0.2_{i}.npz") for i in range(10)),
    ]
    edges, vertices, *splits = (files.get(Source(name, (remote,))) for remote in remotes)
    return read_geom_gcn_text(edges, vertices, splits, listed=LISTED.get(folder))


MASKS = ("train_mask", "val_mask", "test_mask")


def read_geom_gcn_text(
    edges: Path, vertices: Path, splits: Sequence[Path], listed: int | None
) -> dict[str, np.ndarray]:
    """The arrays of a packed data set.

    A vertex's features are 0/1 values; where `listed` is a number, they are the positions of the
    ones among that many.
    """
    features, y = _vertices(vertices, listed)
    masks = [read_npz(path, *MASKS) for path in splits]
    for path, mask in zip(splits, masks, strict=True):
        if any(mask[name].shape != y.shape for name in MASKS):
            raise ValueError(f"{path}: its masks are not for {len(y)} vertices")
    return {
        **{name: np.array([mask[name] for mask in masks], dtype=bool) for name in MASKS},
        "x_data": features.data,
        "x_indices": features.indices,
        "x_indptr": features.indptr,
        "x_shape": np.array(features.shape),
        "y": y,
        "edge_index": _edges(edges),
    }


def _edges(path: Path) -> np.ndarray:
    """(2, n_edges); the first line is a heading."""
    _, _, body = path.read_bytes().partition(b"\n")
    return read_integers(body.replace(b"\t", b","), str(path), 2).T


def _vertices(path: Path, listed: int | None) -> tuple[sp.csr_array, np.ndarray]:
    """Features and classes by vertex number; lines are `number, features, class`."""
    vertices: dict[int, tuple[np.ndarray, int]] = {}
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        try:
            number, values, label = text.split("\t")
            vertices[int(number)] = (np.array(values.split(","), dtype=np.int64), int(label))
        except ValueError as error:
            raise ValueError(
                f"{path}: line {line} should be number, features, class ({error})"
            ) from error
    if sorted(vertices) != list(range(len(vertices))):
        raise ValueError(f"{path}: vertices should be numbered from 0 to {len(vertices) - 1}")
    ordered = [vertices[number] for number in range(len(vertices))]
    features = _matrix([values for values, _ in ordered], listed, path)
    return features, np.array([label for _, label in ordered], dtype=np.int64)


def _matrix(rows: list[np.ndarray], listed: int | None, path: Path) -> sp.csr_array:
    n_features = listed if listed is not None else max((len(row) for row in rows), default=0)
    if listed is None:
        if any(len(row) != n_features for row in rows):
            raise ValueError(f"{path}: vertices have different numbers of features")
        rows = [np.flatnonzero(row) for row in rows]
    indices = np.concatenate([np.unique(row) for row in rows]) if rows else np.zeros(0, np.int64)
    if len(indices) and not 0 <= indices.min() <= indices.max() < n_features:
        raise ValueError(f"{path}: a vertex names a feature outside the {n_features}")
    indptr = np.concatenate([[0], np.cumsum([len(np.unique(row)) for row in rows])])
    data = np.ones(len(indices), np.float32)
    return sp.csr_array((data, indices, indptr), shape=(len(rows), n_features))
