"""The kinds of bonds behind the numbers of a collection of molecules, from its own notes."""

from __future__ import annotations

import re

import numpy as np

from graphtrees.datasets.tu_notes import labels_in
from graphtrees.graphs.labels import object_array

BONDS = ("single", "double", "triple", "aromatic")
_VALENCES = {"1": "single", "2": "double", "3": "triple"}


def bonds_in(readme: str) -> dict[int, str]:
    """The kind of bond that each edge label stands for; empty where that is not told.

    Some notes list valences, and say so: ``Edge labels: [valence]``.

    >>> bonds_in("Edge labels:\\n\\n  0  aromatic\\n  1  single")
    {0: 'aromatic', 1: 'single'}
    >>> bonds_in("Edge labels:\\t[valence]\\n\\nEdge labels were converted:\\n\\t0\\t1\\n\\t1\\t2")
    {0: 'single', 1: 'double'}
    """
    kinds = labels_in(readme, "edge labels")
    if re.search(r"^edge labels:\s*\[valence\]\s*$", readme, re.IGNORECASE | re.MULTILINE):
        kinds = {label: _VALENCES.get(kind, kind) for label, kind in kinds.items()}
    return kinds if set(kinds.values()) <= set(BONDS) else {}


def bond_names(labels: np.ndarray | None, bonds: dict[int, str]) -> np.ndarray | None:
    """Edge labels as kinds of bonds; a number that the notes do not list stays, as text."""
    if labels is None or not bonds or labels.dtype.kind not in "iu":
        return labels
    return object_array(bonds.get(label, str(label)) for label in labels.tolist())
