"""From molecules, written as SMILES or held by RDKit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._optional import require
from graphtrees.graphs.convert._attributed import Attributed, AttributeNames, assemble
from graphtrees.graphs.convert._many import one_or_many
from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.validation.where import kind_of

ATOM_FEATURES = ("element", "charge", "hydrogens", "aromatic", "in_ring", "hybridization")
ON_ERROR = ("raise", "skip", "none")
NAMED = 10  # faults that one message lists
NO_ATOMS = Attributed(False, [], [], [], [])


class SmilesError(ValueError):
    """SMILES that cannot be read; `faults` has a reason for each position."""

    def __init__(self, faults: dict[int, str], single: bool = False) -> None:
        self.faults = faults
        hint = ". Use errors='skip' to leave such rows out."
        super().__init__(faults[0] if single else f"{_listed(faults)}{hint}")


def _listed(faults: dict[int, str]) -> str:
    """The faults of several molecules in one line."""
    listed = [f"molecule {place}: {reason}" for place, reason in faults.items()]
    if len(listed) == 1:
        return listed[0]
    more = f"; and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return f"{len(listed)} molecules: {'; '.join(listed[:NAMED])}{more}"


def from_smiles(
    molecules: Any,
    *,
    explicit_hydrogens: bool = False,
    errors: str = "raise",
    return_index: bool = False,
) -> Any:
    """Read molecules: atoms become vertices, bonds undirected edges.

    Every atom has its ``element`` and ``hybridization`` as categories, its formal ``charge``, its
    number of ``hydrogens``, and whether it is ``aromatic`` and ``in_ring``. Every bond has its
    kind (``single``, ``double``, ``triple``, ``aromatic``, ...) as edge type.

    Parameters
    ----------
    molecules : str or rdkit.Chem.Mol, or iterable of them
        One gives a `Graph`, many give `Graphs`: a list, an array, a column of a table, ...
    explicit_hydrogens : bool, default=False
        Whether hydrogens are vertices of their own.
    errors : {"raise", "skip", "none"}, default="raise"
        What to do with SMILES that RDKit cannot read: raise a ValueError that lists them, leave
        them out, or put a graph without vertices in their place, so that labels still match. The
        last two warn.
    return_index : bool, default=False
        Whether to return the positions of the molecules that were read, too: with
        ``errors="skip"`` these tell which labels to keep.

    Returns
    -------
    Graph or Graphs; with `return_index` also an array of positions.

    Raises
    ------
    ValueError
        Some SMILES cannot be read, and ``errors="raise"``.

    Examples
    --------
    >>> from graphtrees.graphs import from_smiles
    >>> ethanol = from_smiles("CCO")
    >>> ethanol.feature_names
    ('element', 'charge', 'hydrogens', 'aromatic', 'in_ring', 'hybridization')
    >>> list(ethanol.vertex_names), ethanol.features[:, 2]
    (['C0', 'C1', 'O2'], array([3., 2., 1.]))
    """
    if errors not in ON_ERROR:
        raise ValueError(f"errors must be one of {', '.join(map(repr, ON_ERROR))}; got {errors!r}")
    chem = require("rdkit.Chem", extra="chem", purpose="from_smiles")
    wanted = "from_smiles reads SMILES strings and RDKit Mols"
    items, single = one_or_many(molecules, (str, chem.Mol), wanted)
    parsed, faults = parse_smiles(items)
    if faults and (single or errors == "raise"):
        raise SmilesError(faults, single)
    if faults:
        action = "Left out" if errors == "skip" else "Graphs without vertices stand for them"
        warnings.warn(f"{_listed(faults)}. {action}.", stacklevel=2)
    kept = [place for place in range(len(items)) if place not in faults or errors == "none"]
    read = [_read(parsed[place], explicit_hydrogens, chem) for place in kept]
    graphs = assemble(read, AttributeNames(ATOM_FEATURES, edge_type="kind"), single)
    if not return_index:
        return graphs
    return graphs, np.array([place for place in kept if place not in faults], dtype=OFFSET)


def parse_smiles(items: list[Any]) -> tuple[list[Any], dict[int, str]]:
    """RDKit molecules, None where there is none, and the reason for each None by position."""
    chem = require("rdkit.Chem", extra="chem", purpose="from_smiles")
    parsed: list[Any] = []
    faults: dict[int, str] = {}
    with require("rdkit.rdBase", extra="chem", purpose="from_smiles").BlockLogs():
        for place, item in enumerate(items):
            molecule = _molecule_of(item, chem) if isinstance(item, str) else item
            if molecule is None and isinstance(item, str):
                faults[place] = f"RDKit cannot read the SMILES {str(item)!r}"
            elif not isinstance(molecule, np.ndarray) and is_missing(molecule):
                faults[place], molecule = "the SMILES is missing", None
            elif not isinstance(molecule, chem.Mol):
                raise TypeError(
                    f"molecule {place}: wanted a SMILES string or an RDKit Mol; got {kind_of(item)}"
                )
            parsed.append(molecule)
    return parsed, faults


def _molecule_of(smiles: str, chem: Any) -> Any:
    """None where RDKit cannot read it; half a character, which no file holds, is no SMILES."""
    return chem.MolFromSmiles(smiles) if smiles.isascii() or _is_text(smiles) else None


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(molecule: Any, explicit_hydrogens: bool, chem: Any) -> Attributed:
    if molecule is None:
        return NO_ATOMS
    if explicit_hydrogens:
        molecule = chem.AddHs(molecule)
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
