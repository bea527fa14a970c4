"""What the notes of a TU collection say about its labels."""

from __future__ import annotations

import re

from graphtrees.datasets.archives import Collection

_LINE = re.compile(r"\s+(\d+)\s+(\S+)\s*")


def readme_of(collection: Collection, name: str) -> str | None:
    """The notes of a collection, None without any."""
    found = collection.find("README.txt") or collection.find(f"{name}_label_readme.txt")
    return None if found is None else collection.read(found).decode("utf-8", errors="replace")


def labels_in(readme: str, what: str) -> dict[int, str]:
    """What each label of vertices ("node labels") or edges ("edge labels") stands for.

    >>> labels_in("Node labels:\\n  0  C\\n  1  Cl\\nEdge labels:\\n  0  single", "edge labels")
    {0: 'single'}
    """
    found: dict[int, str] = {}
    inside = False
    for line in readme.splitlines():
        if re.match(r"(\w+ labels|===)", line.strip(), re.IGNORECASE):
            inside = line.strip().lower().startswith(what)
        entry = _LINE.fullmatch(line)
        if inside and entry:
            found[int(entry[1])] = entry[2]
    return found
