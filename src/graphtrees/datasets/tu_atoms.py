"""The elements behind the numbers of a collection of molecules, from its own notes."""

from __future__ import annotations

import re

import numpy as np

from graphtrees.datasets.archives import Collection
from graphtrees.graphs.elements import are_elements
from graphtrees.graphs.labels import object_array

_LINE = re.compile(r"\s+(\d+)\s+(\S+)\s*")


def readme_of(collection: Collection, name: str) -> str | None:
    """The notes of a collection, None without any."""
    found = collection.find("README.txt") or collection.find(f"{name}_label_readme.txt")
    return None if found is None else collection.read(found).decode("utf-8", errors="replace")


def elements_in(readme: str) -> dict[int, str]:
    """What each vertex label stands for; empty where that is not told, or is no element.

    >>> elements_in("Node labels:\\n\\n  0  C\\n  1  Cl\\n\\nEdge labels:\\n\\n  0  single")
    {0: 'C', 1: 'Cl'}
    """
    found: dict[int, str] = {}
    inside = False
    for line in readme.splitlines():
        if re.match(r"(\w+ labels|===)", line.strip(), re.IGNORECASE):
            inside = line.strip().lower().startswith("node labels")
        entry = _LINE.fullmatch(line)
        if inside and entry:
            found[int(entry[1])] = entry[2]
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
