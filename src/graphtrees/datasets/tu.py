"""Collections of labelled graphs from the TU Dortmund repository."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from graphtrees.datasets.archives import Collection
from graphtrees.datasets.bunches import PARTS, Split, bunch
from graphtrees.datasets.files import Files, Remote, Source
from graphtrees.datasets.tu_readme import readme_of
from graphtrees.datasets.tu_text import read_tu_text
from graphtrees.graphs import Graphs

URL = "https://www.chrsmrrs.com/graphkerneldatasets/{}.zip"

# Ten folds that later work compares on (Errica et al., A Fair Comparison of Graph Neural Networks
# for Graph Classification, ICLR 2020). PROTEINS has the graphs of PROTEINS_full in its order.
FAIR_SPLITS = "tu/fair_splits.zip"
FAIR_SPLITS_OF = {
    "DD": "DD",
    "ENZYMES": "ENZYMES",
    "IMDB-BINARY": "IMDB-BINARY",
    "IMDB-MULTI": "IMDB-MULTI",
    "NCI1": "NCI1",
    "PROTEINS": "PROTEINS_full",
    "PROTEINS_full": "PROTEINS_full",
}


def load_tu(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load a collection of graphs in the text layout of the TU Dortmund repository.

    Parameters
    ----------
    name : str
        As in the repository: ``"MUTAG"``, ``"NCI1"``, ``"IMDB-BINARY"``, ``"PROTEINS"`` ...
    data_home : path, optional
        The folder to search and to download into, instead of ``GRAPHTREES_DATA`` and the user's
        cache. The collection lies there as ``tu/NAME.zip``, ``NAME.zip`` or a folder ``NAME``.
    download_if_missing : bool, default=True
        False: raise `FileNotFoundError` rather than use the network.
    base_url : str, optional
        A mirror with the layout of a data folder; default ``GRAPHTREES_DATA_URL``, else the
        public repository.
    verbose : bool, default=False
        Show the progress of a download from its start.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        - ``X``: `Graphs`. Vertex labels are one-hot columns ``label=0`` ..., vertex attributes
          follow as ``attribute_0`` ...; edge labels are edge types and edge attributes are edge
          features. Without labels and attributes, graphs have no features. Where the collection
          tells which elements its labels stand for, atoms are named by them: ``C0``, ``O1``, ...
          Where it tells the kinds of bonds, they are the edge types: ``"single"``, ``"double"``,
          ``"triple"``, ``"aromatic"``.
        - ``y``: graph labels as in the file (n_graphs,), or numbers if the target is a number.
        - ``splits``: ten folds, each a dict of index arrays ``train``, ``validation``, ``test``;
          empty where none are published, or where ``tu/fair_splits.zip`` is not at hand.
        - ``name``, ``description``, ``feature_names``.

    Notes
    -----
    The files list an undirected edge in both directions; the graphs hold it once. A collection
    whose lines do not come in such pairs is directed, from the first vertex to the second.

    Examples
    --------
    >>> from graphtrees.datasets import load_tu
    >>> mutag = load_tu("MUTAG")  # doctest: +SKIP
    >>> len(mutag.X), mutag.X[0].n_vertices  # doctest: +SKIP
    (188, 17)
    """
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"name must be that of a TU data set, such as 'MUTAG'; got {name!r}")
    files = Files(data_home, download_if_missing, base_url, verbose)
    collection = Collection(files.get(source(name)))
    text = read_tu_text(collection, name)
    graphs = Graphs.from_flat(**text.flat)
    return bunch(
        name,
        graphs,
        text.y,
        _fair_splits(files, name, len(graphs)),
        _description(name, graphs, collection),
        feature_names=text.flat["feature_names"],
        graph_attributes=text.graph_attributes,
    )


def source(name: str) -> Source:
    """The files and addresses of the collection."""
    remote = Remote(f"tu/{name}.zip", URL.format(name))
    return Source(name, (remote,), also=(f"tu/{name}", f"{name}.zip", name))


def _fair_splits(files: Files, name: str, n_graphs: int) -> list[Split]:
    if name not in FAIR_SPLITS_OF:
        return []
    paths = [FAIR_SPLITS, "tu/fair_splits", "fair_splits.zip", "fair_splits"]
    path = files.find(paths) or files.mirrored(Remote(FAIR_SPLITS))
    if path is None:
        return []
    folds = json.loads(Collection(path).read(f"{FAIR_SPLITS_OF[name]}_splits.json"))
    return [_split(fold, f"{path}: fold {i} of {name}", n_graphs) for i, fold in enumerate(folds)]


def _split(fold: dict[str, Any], where: str, n_graphs: int) -> Split:
    missing = [part for part in PARTS if part not in fold]
    if missing:
        raise ValueError(f"{where} has no part {missing[0]!r}; it has {', '.join(fold)}")
    split = {part: np.array(fold[part], dtype=np.int64) for part in PARTS}
    largest = max((int(part.max()) for part in split.values() if len(part)), default=-1)
    if largest >= n_graphs:
        raise ValueError(f"{where} names graph {largest}; there are {n_graphs}")
    return split


def _description(name: str, graphs: Graphs, collection: Collection) -> str:
    flat, n_graphs = graphs.flat, max(len(graphs), 1)
    kind = "directed" if graphs.directed else "undirected"
    summary = (
        f"{name}: {len(graphs)} graphs from the TU Dortmund collection, with "
        f"{flat.n_vertices / n_graphs:.2f} vertices and {flat.n_edges / n_graphs:.2f} "
        f"{kind} edges on average."
    )
    readme = readme_of(collection, name)
    return summary if readme is None else f"{summary}\n\n{readme}"
