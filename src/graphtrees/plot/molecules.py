"""Molecules as chemists draw them: RDKit's coordinates, the order of bonds, atoms by element."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from graphtrees.graphs import Graph
from graphtrees.graphs.elements import SYMBOLS, are_elements, numbered_atoms
from graphtrees.graphs.flat import dense

BOND_ORDERS = {"single": 1.0, "aromatic": 1.5, "double": 2.0, "triple": 3.0}
MOST_ATOMS = 200  # larger ones are no small molecules


def elements_of(graph: Graph) -> list[str] | None:
    """The element of every vertex, None where the graph is no molecule.

    Read from a categorical feature with symbols of elements, by one with atomic numbers, or by
    names such as C0, O1.
    """
    for feature, labels in graph.categories.items():
        symbols = _symbols(graph, feature, labels)
        if symbols is not None:
            codes = column_of(graph, feature)
            known = not np.isnan(codes).any()
            return [symbols[code] for code in codes.astype(int).tolist()] if known else None
    return None if graph.vertex_names is None else numbered_atoms(graph.vertex_names.tolist())


def _symbols(graph: Graph, feature: int, labels: tuple) -> list[str] | None:
    name = "" if graph.feature_names is None else graph.feature_names[feature].lower()
    if name in ("atomic_num", "atomic_number"):
        numbers = [int(str(label)) if str(label).isdigit() else 0 for label in labels]
        return [SYMBOLS[n - 1] if 1 <= n <= len(SYMBOLS) else "*" for n in numbers]
    return list(labels) if are_elements(labels) else None


def column_of(graph: Graph, feature: int) -> np.ndarray:
    """One feature of every vertex."""
    return np.asarray(dense(graph.features[:, [feature]]))[:, 0]


def bond_orders(graph: Graph) -> np.ndarray | None:
    """1, 1.5 (aromatic), 2 or 3 for every edge, None where edge types are no kinds of bonds."""
    if graph.edge_types is None or graph.directed:
        return None
    types = [str(kind).lower() for kind in graph.edge_types]
    if not types or not set(types) <= set(BOND_ORDERS):
        return None
    return np.array([BOND_ORDERS[kind] for kind in types])


def molecule_layout(graph: Graph) -> np.ndarray | None:
    """RDKit's coordinates with bonds of length 1; None for other graphs, or without RDKit."""
    if graph.directed or not 2 <= graph.n_vertices <= MOST_ATOMS:
        return None
    elements = elements_of(graph)
    if elements is None:
        return None
    try:
        chem = importlib.import_module("rdkit.Chem")
        depict = importlib.import_module("rdkit.Chem.rdDepictor")
        silent = importlib.import_module("rdkit.rdBase").BlockLogs()
    except ImportError:
        return None
    with silent:
        return _coordinates(chem, depict, graph, elements)


def _coordinates(chem: Any, depict: Any, graph: Graph, elements: list[str]) -> np.ndarray | None:
    """Where RDKit puts the atoms; bonds that no chemist would draw are left to it, too."""
    molecule = chem.RWMol()
    for symbol in elements:
        molecule.AddAtom(chem.Atom(symbol))
    orders = bond_orders(graph)
    kinds = {1.0: chem.BondType.SINGLE, 1.5: chem.BondType.AROMATIC, 2.0: chem.BondType.DOUBLE,
             3.0: chem.BondType.TRIPLE}  # fmt: skip
    for edge, (i, j) in enumerate(graph.edge_index.T.tolist()):
        if i != j and molecule.GetBondBetweenAtoms(i, j) is None:
            molecule.AddBond(i, j, kinds[1.0 if orders is None else float(orders[edge])])
    try:
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
        depict.Compute2DCoords(molecule)
    except (RuntimeError, ValueError):
        return None
    place = np.asarray(molecule.GetConformer().GetPositions())[:, :2]
    ends = graph.edge_index[:, graph.edge_index[0] != graph.edge_index[1]]
    lengths = np.hypot(*(place[ends[0]] - place[ends[1]]).T)
    usual = float(np.median(lengths)) if len(lengths) else 1.5
    return place / usual if np.isfinite(place).all() and usual > 0 else None
