"""Data sets of the Open Graph Benchmark: molecules, and papers of arXiv."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from graphtrees.datasets.archives import Collection, read_npz
from graphtrees.datasets.bunches import bunch, splits_from
from graphtrees.datasets.files import Files, Remote, Source, known_name
from graphtrees.datasets.packed import vertex_bunch
from graphtrees.datasets.tables import Tables, as_features
from graphtrees.graphs import Graphs
from graphtrees.graphs.flat import starts_of

URL = "http://snap.stanford.edu/ogb/data"

# Molecules: the name of the zip file, and what y is.
PROPERTY = "one 0/1 property"
PROPERTIES = "several 0/1 properties, NaN where not measured"
MOLECULES = {
    "ogbg-molhiv": ("hiv", "1 if the molecule inhibits HIV; measure: ROC-AUC"),
    "ogbg-molbace": ("bace", PROPERTY),
    "ogbg-molbbbp": ("bbbp", PROPERTY),
    "ogbg-molclintox": ("clintox", PROPERTIES),
    "ogbg-molmuv": ("muv", PROPERTIES),
    "ogbg-molpcba": ("pcba", PROPERTIES),
    "ogbg-molsider": ("sider", PROPERTIES),
    "ogbg-moltox21": ("tox21", PROPERTIES),
    "ogbg-moltoxcast": ("toxcast", PROPERTIES),
    "ogbg-molesol": ("esol", "a number; measure: RMSE"),
    "ogbg-molfreesolv": ("freesolv", "a number; measure: RMSE"),
    "ogbg-mollipo": ("lipophilicity", "a number; measure: RMSE"),
}
ARXIV = "ogbn-arxiv"
NAMES = (*MOLECULES, ARXIV)
PACKED = "ogbg-molhiv"  # also published as packed arrays


def _up_to(first: int, last: int) -> tuple[str, ...]:
    """Whole numbers, and the code that stands for any other."""
    return (*map(str, range(first, last + 1)), "other")


NO_YES = ("no", "yes")

# A column holds codes into its labels.
ATOM = {
    "atomic_num": _up_to(1, 118),
    "chirality": ("unspecified", "clockwise", "counterclockwise", "non-tetrahedral", "other"),
    "degree": _up_to(0, 10),
    "formal_charge": _up_to(-5, 5),
    "num_h": _up_to(0, 8),
    "num_radical_e": _up_to(0, 4),
    "hybridization": ("sp", "sp2", "sp3", "sp3d", "sp3d2", "other"),
    "is_aromatic": NO_YES,
    "is_in_ring": NO_YES,
}
BOND_TYPES = np.array(["single", "double", "triple", "aromatic", "other"])
BOND = ("bond_type", "bond_stereo", "is_conjugated")


def load_ogb(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load a data set of the Open Graph Benchmark.

    Parameters
    ----------
    name : str
        ``"ogbg-molhiv"`` or another of its molecule sets (whole graphs get a label), or
        ``"ogbn-arxiv"`` (each paper gets one of 40 fields).
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. Read from the benchmark's zip file (``graph/hiv.zip``,
        ``node/arxiv.zip``), from the folder that the `ogb` package unpacks (``ogbg_molhiv``), or
        from packed arrays (``graph/ogbg_molhiv.npz``).

    Returns
    -------
    bunch : sklearn.utils.Bunch
        - ``X``: for molecules `Graphs` with 9 categorical features of atoms; edge types are the
          bond types, and the edge feature ``is_conjugated`` is 1 on conjugated bonds. For arXiv
          the vertices of ``graph``, directed from the citing paper to the cited one, with 128
          numbers each, and ``year``.
        - ``y``: the target; (n_graphs, n_tasks) with NaN where there are several.
        - ``splits``: the one of the benchmark, a dict of index arrays ``train``, ``validation``,
          ``test`` (scaffold for molecules, by year for arXiv).
        - ``name``, ``description``, ``feature_names``.

    Examples
    --------
    >>> from graphtrees.datasets import load_ogb
    >>> molhiv = load_ogb("ogbg-molhiv")  # doctest: +SKIP
    >>> molhiv.X  # doctest: +SKIP
    Graphs(n_graphs=41127, n_vertices=1049163, n_edges=1129688, n_features=9)
    """
    name = known_name(name, NAMES, "OGB")
    path = Files(data_home, download_if_missing, base_url, verbose).get(source(name))
    return _arxiv(path) if name == ARXIV else _molecules(name, path)


def source(name: str) -> Source:
    """The files and addresses of the data set."""
    folder = name.replace("-", "_")
    if name == ARXIV:
        remote = Remote("node/arxiv.zip", f"{URL}/nodeproppred/arxiv.zip")
        return Source(name, (remote,), also=("arxiv.zip", f"node/{folder}", folder))
    file = f"{MOLECULES[name][0]}.zip"
    remote = Remote(f"graph/{file}", f"{URL}/graphproppred/csv_mol_download/{file}")
    also = (file, f"graph/{folder}", folder)
    if name != PACKED:
        return Source(name, (remote,), also)
    return Source(name, (Remote(f"graph/{folder}.npz"), remote), (f"{folder}.npz", *also))


def _molecules(name: str, path: Path) -> Bunch:
    needed = ("x", "node_ptr", "edge_local", "edge_attr", "edge_ptr", "y")
    packed = path.suffix == ".npz"
    arrays = read_npz(path, *needed) if packed else read_ogb_molecules(Collection(path))
    graphs = _molecule_graphs(arrays, str(path))
    y = arrays["y"]
    if len(y) != len(graphs):
        raise ValueError(f"{path}: {len(y)} targets for {len(graphs)} graphs")
    return bunch(
        name,
        graphs,
        y.astype(np.int64) if y.dtype.kind in "iub" else y,
        splits_from(arrays),
        f"{name}: {len(graphs):,} molecules of the Open Graph Benchmark (Hu et al., 2020). y: "
        f"{MOLECULES[name][1]}. Scaffold split: molecules in the test part have other skeletons.",
        feature_names=list(graphs.feature_names or ()),
    )


def _molecule_graphs(arrays: Mapping[str, np.ndarray], where: str) -> Graphs:
    """Undirected graphs: atoms with categorical features, bonds with a type.

    Of the other two bond features, ``is_conjugated`` is an edge feature; ``bond_stereo`` is left
    out: its codes are no quantities, so a walk cannot add them up.
    """
    atoms = _codes(arrays["x"], len(ATOM), f"{where}: atoms")
    bonds = _codes(arrays["edge_attr"], len(BOND), f"{where}: bonds")
    if not set(np.unique(bonds[:, 0])) <= set(range(len(BOND_TYPES))):
        raise ValueError(f"{where}: bond types should be codes below {len(BOND_TYPES)}")
    return Graphs.from_flat(
        vertex_ptr=arrays["node_ptr"],
        edge_ptr=arrays["edge_ptr"],
        edges=arrays["edge_local"].T,
        features=atoms.astype(np.float32),
        feature_names=list(ATOM),
        categories=dict(enumerate(ATOM.values())),
        edge_types=BOND_TYPES[bonds[:, 0]],
        edge_features=bonds[:, [2]],
        edge_feature_names=["is_conjugated"],
    )


def _codes(codes: np.ndarray, width: int, what: str) -> np.ndarray:
    if codes.size and (codes.ndim != 2 or codes.shape[1] != width):
        raise ValueError(f"{what} should have {width} features each; got shape {codes.shape}")
    wrong = ~(np.abs(codes) < 2**31) | (np.trunc(codes) != codes)
    if wrong.any():
        raise ValueError(f"{what} should be whole codes; got {codes[wrong][0]:g}")
    return codes.reshape(-1, width).astype(np.int64)


def _arxiv(path: Path) -> Bunch:
    arrays = read_ogb_vertices(Collection(path), split="time")
    features = arrays["x"]
    return vertex_bunch(
        ARXIV,
        features,
        arrays["edge_index"],
        arrays["y"],
        splits_from(arrays),
        f"{ARXIV}: {len(features):,} papers on computer science, their field among 40 (Hu et al., "
        "2020). A directed edge runs from the citing paper to the cited one. Split by year.",
        directed=True,
        year=arrays.get("year"),
    )


# File name -> the name of the same part in packed arrays.
PARTS = {"train": "train_idx", "valid": "val_idx", "test": "test_idx"}


def read_ogb_molecules(collection: Collection) -> dict[str, np.ndarray]:
    """A collection of molecules in the arrays of a packed one."""
    raw = Tables(collection, "raw/{}.csv.gz")
    node_ptr = starts_of(raw.integers("num-node-list", 1)[:, 0])
    edge_ptr = starts_of(raw.integers("num-edge-list", 1)[:, 0])
    n_vertices, n_edges = int(node_ptr[-1]), int(edge_ptr[-1])
    y = raw.numbers("graph-label", len(node_ptr) - 1, "graphs")
    return {
        "x": raw.numbers("node-feat", n_vertices, "vertices"),
        "node_ptr": node_ptr,
        "edge_local": _edges(raw, n_edges),
        "edge_attr": raw.numbers("edge-feat", n_edges, "edges"),
        "edge_ptr": edge_ptr,
        "y": y[:, 0] if y.shape[1] == 1 else y,
        **_splits(collection, "scaffold"),
    }


def read_ogb_vertices(collection: Collection, split: str) -> dict[str, np.ndarray]:
    """One graph with a class at each vertex."""
    raw = Tables(collection, "raw/{}.csv.gz")
    n_vertices = int(raw.integers("num-node-list", 1).sum())
    n_edges = int(raw.integers("num-edge-list", 1).sum())
    arrays = {
        "x": as_features(raw.numbers("node-feat", n_vertices, "vertices"), raw.file("node-feat")),
        "edge_index": _edges(raw, n_edges).T,
        "y": raw.integers("node-label", 1)[:, 0],
        **_splits(collection, split),
    }
    year = raw.optional("node_year", n_vertices, "vertices")
    return arrays if year is None else {**arrays, "year": year[:, 0]}


def _edges(raw: Tables, n_edges: int) -> np.ndarray:
    edges = raw.integers("edge", 2)
    if len(edges) != n_edges:
        raise ValueError(f"{raw.file('edge')} has {len(edges)} lines; there are {n_edges} edges")
    return edges


def _splits(collection: Collection, split: str) -> dict[str, np.ndarray]:
    tables = Tables(collection, f"split/{split}/{{}}.csv.gz")
    return {name: tables.integers(file, 1)[:, 0] for file, name in PARTS.items()}
