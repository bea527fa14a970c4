"""Citation networks with the splits of Planetoid and of Geom-GCN."""

from __future__ import annotations

import os

from sklearn.utils import Bunch

from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source, known_name
from graphtrees.datasets.packed import classes_of, packed_features, read_packed, vertex_bunch

DESCRIPTIONS = {
    "Cora": "Papers on machine learning in 7 fields; features say which of 1,433 words occur.",
    "Citeseer": "Papers on computer science in 6 fields; features say which of 3,703 words occur. "
    "15 papers have neither words nor field: their y is -1.",
    "Pubmed": "Papers on diabetes of 3 types; features are the TF-IDF weights of 500 words.",
}
COMMON = (
    "An undirected edge is a citation. `splits` holds the public Planetoid split (Yang et al., "
    "2016), `geom_splits` the ten random splits of Geom-GCN (Pei et al., 2020)."
)


def load_planetoid(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load a citation network: name the field of each paper from its words and citations.

    Parameters
    ----------
    name : {"Cora", "Citeseer", "Pubmed"}
        Which graph.
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. The public files are pickles, which could run code and are never loaded:
        the packed ``node/cora.npz`` has to be in a data folder or on the mirror.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` the vertices of ``graph``, with sparse features; ``y`` classes (n_vertices,) int, -1
        where a vertex has none (15 of Citeseer); ``splits`` the public split; ``geom_splits`` the
        ten splits of Geom-GCN, which hold Citeseer's vertices without a class too; ``name`` and
        ``description``.

    Examples
    --------
    >>> from graphtrees.datasets import load_planetoid
    >>> cora = load_planetoid("Cora")  # doctest: +SKIP
    >>> cora.X[cora.splits[0]["train"]]  # doctest: +SKIP
    Vertices(140 of 1 graph)
    """
    name = known_name(name, DESCRIPTIONS, "Planetoid")
    arrays = read_packed(Files(data_home, download_if_missing, base_url, verbose).get(source(name)))
    return vertex_bunch(
        name,
        packed_features(arrays),
        arrays["edge_index"],
        classes_of(name, arrays["y"]),
        splits_from(arrays),
        f"{name}. {DESCRIPTIONS[name]} {COMMON}",
        geom_splits=splits_from(arrays, "geom_"),
    )


def source(name: str) -> Source:
    """The files and addresses of the data set."""
    file = f"{name.lower()}.npz"
    return Source(
        name,
        (Remote(f"node/{file}"),),
        also=(file,),
        private="its public files are pickles, which could run code and are never loaded; "
        "it needs the packed arrays",
    )
