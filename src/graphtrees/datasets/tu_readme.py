"""The README of a TU collection: which elements and bonds its numeric labels stand for."""

from __future__ import annotations

import re

import numpy as np

from graphtrees.datasets.archives import Collection
from graphtrees.graphs.elements import are_elements
from graphtrees.graphs.labels import object_array

BONDS = ("single", "double", "triple", "aromatic")
_VALENCES = {"1": "single", "2": "double", "3": "triple"}
_LABEL_LINE = re.compile(r"\s+(\d+)\s+(\S+)\s*")


def readme_of(collection: Collection, name: str) -> str | None:
    """The text of the README, None without one."""
    file = collection.find("README.txt") or collection.find(f"{name}_label_readme.txt")
    return None if file is None else collection.read(file).decode("utf-8", errors="replace")


def elements_in(readme: str) -> dict[int, str]:
    """The element of each vertex label; empty unless all are elements.

    >>> elements_in("Node labels:\\n\\n  0  C\\n  1  Cl\\n\\nEdge labels:\\n\\n  0  single")
    {0: 'C', 1: 'Cl'}
    """
    elements = _labels_in(readme, "node labels")
    return elements if are_elements(list(elements.values())) else {}


def bonds_in(readme: str) -> dict[int, str]:
    """The kind of bond of each edge label; empty unless all are bonds.

    Some collections list valences, and say so: ``Edge labels: [valence]``.

    >>> bonds_in("Edge labels:\\n\\n  0  aromatic\\n  1  single")
    {0: 'aromatic', 1: 'single'}
    >>> bonds_in("Edge labels:\\t[valence]\\n\\nEdge labels were converted:\\n\\t0\\t1\\n\\t1\\t2")
    {0: 'single', 1: 'double'}
    """
    bonds = _labels_in(readme, "edge labels")
    if re.search(r"^edge labels:\s*\[valence\]\s*$", readme, re.IGNORECASE | re.MULTILINE):
        bonds = {label: _VALENCES.get(kind, kind) for label, kind in bonds.items()}
    return bonds if set(bonds.values()) <= set(BONDS) else {}


def _labels_in(readme: str, title: str) -> dict[int, str]:
    """The labels listed under "node labels" or "edge labels"."""
    labels: dict[int, str] = {}
    inside = False
    for line in readme.splitlines():
        if re.match(r"(\w+ labels|===)", line.strip(), re.IGNORECASE):
            inside = line.strip().lower().startswith(title)
        entry = _LABEL_LINE.fullmatch(line)
        if inside and entry:
            labels[int(entry[1])] = entry[2]
    return labels


def atom_names(
    labels: np.ndarray, elements: dict[int, str], first: np.ndarray
) -> np.ndarray | None:
    """'C0', 'O1', ... numbered within each molecule, whose first atom is `first`.

    None where some label has no element.
    """
    if labels.shape[1] != 1 or not set(np.unique(labels).tolist()) <= set(elements):
        return None
    symbols = [elements[label] for label in labels[:, 0].tolist()]
    numbers = (np.arange(len(symbols)) - first).tolist()
    return object_array(f"{symbol}{k}" for symbol, k in zip(symbols, numbers, strict=True))


def bond_names(labels: np.ndarray | None, bonds: dict[int, str]) -> np.ndarray | None:
    """Edge labels as kinds of bonds; a label that the README does not list stays, as text."""
    if labels is None or not bonds or labels.dtype.kind not in "iu":
        return labels
    return object_array(bonds.get(label, str(label)) for label in labels.tolist())
