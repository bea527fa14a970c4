"""The elements behind the numbers of a collection of molecules, from its own notes."""

from __future__ import annotations

import numpy as np

from graphtrees.datasets.tu_notes import labels_in
from graphtrees.graphs.elements import are_elements
from graphtrees.graphs.labels import object_array


def elements_in(readme: str) -> dict[int, str]:
    """What each vertex label stands for; empty where that is not told, or is no element.

    >>> elements_in("Node labels:\\n\\n  0  C\\n  1  Cl\\n\\nEdge labels:\\n\\n  0  single")
    {0: 'C', 1: 'Cl'}
    """
    found = labels_in(readme, "node labels")
    return found if are_elements(list(found.values())) else {}


def atom_names(
    labels: np.ndarray, elements: dict[int, str], first: np.ndarray
) -> np.ndarray | None:
    """'C0', 'O1', ... numbered within each molecule, whose first atom is `first`.

    None where a label stands for no known element.
    """
    if labels.shape[1] != 1 or not set(np.unique(labels).tolist()) <= set(elements):
        return None
    symbols = [elements[label] for label in labels[:, 0].tolist()]
    places = (np.arange(len(symbols)) - first).tolist()
    return object_array(f"{symbol}{k}" for symbol, k in zip(symbols, places, strict=True))
