"""Web pages, films and wiki pages whose neighbours tend to be of other classes (Geom-GCN)."""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils import Bunch

from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source, known_name
from graphtrees.datasets.geom_gcn_text import read_geom_gcn_text
from graphtrees.datasets.packed import (
    classes_of,
    distinct,
    packed_features,
    read_packed,
    vertex_bunch,
)

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
