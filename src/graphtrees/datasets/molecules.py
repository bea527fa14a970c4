"""Molecules as the Open Graph Benchmark codes them: what each code of an atom or bond means."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from graphtrees.graphs import Graphs


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


def molecule_graphs(arrays: Mapping[str, np.ndarray], where: str) -> Graphs:
    """Undirected graphs: atoms with categorical features, bonds with a type.

    Of the other two bond features, ``is_conjugated`` is an edge feature; ``bond_stereo`` is left
    out, for its codes are no quantity that a walk could add up.
    """
    atoms = _table(arrays["x"], len(ATOM), f"{where}: atoms")
    bonds = _table(arrays["edge_attr"], len(BOND), f"{where}: bonds")
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


def _table(codes: np.ndarray, width: int, what: str) -> np.ndarray:
    if codes.size and (codes.ndim != 2 or codes.shape[1] != width):
        raise ValueError(f"{what} should have {width} features each; got shape {codes.shape}")
    wrong = ~(np.abs(codes) < 2**31) | (np.trunc(codes) != codes)
    if wrong.any():
        raise ValueError(f"{what} should be whole codes; got {codes[wrong][0]:g}")
    return codes.reshape(-1, width).astype(np.int64)
