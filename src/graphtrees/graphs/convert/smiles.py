"""From molecules, written as SMILES or held by RDKit."""

from __future__ import annotations

from typing import Any

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._attributed import Attributed, Reading, assemble
from graphtrees.graphs.door.where import kind_of
from graphtrees.graphs.graph import Graph

ATOM_FEATURES = ("element", "charge", "hydrogens", "aromatic", "in_ring", "hybridization")


def from_smiles(molecules: Any, *, explicit_hydrogens: bool = False) -> Graph | Graphs:
    """Read molecules: atoms become vertices, bonds undirected edges.

    Every atom has its ``element`` and ``hybridization`` as categories, its formal ``charge``, its
    number of ``hydrogens``, and whether it is ``aromatic`` and ``in_ring``. Every bond has its
    kind (``single``, ``double``, ``triple``, ``aromatic``, ...) as edge type.

    Parameters
    ----------
    molecules : str or rdkit.Chem.Mol, or list of them
        One gives a `Graph`, a list gives `Graphs`.
    explicit_hydrogens : bool, default=False
        Whether hydrogens are vertices of their own.

    Examples
    --------
    >>> from graphtrees.graphs import from_smiles
    >>> ethanol = from_smiles("CCO")
    >>> ethanol.feature_names
    ('element', 'charge', 'hydrogens', 'aromatic', 'in_ring', 'hybridization')
    >>> list(ethanol.vertex_names), ethanol.features[:, 2]
    (['C0', 'C1', 'O2'], array([3., 2., 1.]))
    """
    chem = require("rdkit.Chem", extra="chem", purpose="from_smiles")
    single = not isinstance(molecules, (list, tuple))
    items = []
    for number, molecule in enumerate([molecules] if single else molecules):
        place = "" if single else f"molecule {number}: "
        parsed = _parse(chem, molecule, place)
        items.append(_read(chem.AddHs(parsed) if explicit_hydrogens else parsed))
    return assemble(items, Reading(ATOM_FEATURES, edge_type="kind"), single)


def _parse(chem: Any, molecule: Any, place: str) -> Any:
    if isinstance(molecule, chem.Mol):
        return molecule
    if not isinstance(molecule, str):
        raise TypeError(f"{place}wanted a SMILES string or an RDKit Mol; got {kind_of(molecule)}")
    with require("rdkit.rdBase", extra="chem", purpose="from_smiles").BlockLogs():
        parsed = chem.MolFromSmiles(molecule)
    if parsed is None:
        raise ValueError(f"{place}RDKit cannot read the SMILES {molecule!r}")
    return parsed


def _read(molecule: Any) -> Attributed:
    bonds = list(molecule.GetBonds())
    return Attributed(
        directed=False,
        vertices=[_atom(atom) for atom in molecule.GetAtoms()],
        names=[f"{atom.GetSymbol()}{atom.GetIdx()}" for atom in molecule.GetAtoms()],
        edges=[(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        edge_attributes=[{"kind": str(bond.GetBondType()).lower()} for bond in bonds],
    )


def _atom(atom: Any) -> dict[str, Any]:
    return {
        "element": atom.GetSymbol(),
        "charge": atom.GetFormalCharge(),
        "hydrogens": atom.GetTotalNumHs(includeNeighbors=True),
        "aromatic": atom.GetIsAromatic(),
        "in_ring": atom.IsInRing(),
        "hybridization": str(atom.GetHybridization()),
    }
