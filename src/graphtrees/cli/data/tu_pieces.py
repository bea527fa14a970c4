"""A TU collection cut between graphs.

Its files run side by side, so that a piece of each makes a smaller collection:

    NAME_graph_indicator.txt   1 1 1 2 2 | 3 3 3 4 ...      graphs 1 and 2
    NAME_node_labels.txt       5 7 5 7 7 | 5 5 7 7 ...      their vertices
    NAME_A.txt                 1,2 2,3 4,5 | 6,7 ...        their edges
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from graphtrees.cli.data.source import NotInPieces

OF_VERTICES = ("node_labels", "node_attributes")
OF_EDGES = ("edge_labels", "edge_attributes")


def cut(lines: dict[str, Iterator[bytes]], size: int, n_listed: int) -> Iterator[dict[str, bytes]]:
    """The tables of `size` graphs at a time, numbered from 1 again, labels set to 0.

    `n_listed` graphs have a label; the last of them may have no vertices.
    """
    owners, ends = _Numbers(lines["graph_indicator"]), _Numbers(lines["A"])
    graphs = vertices = 0
    while owners.more or graphs < n_listed:
        mine = owners.between(graphs, graphs + size)
        last = graphs + size if owners.more else max(n_listed, max(mine, default=(0,))[0])
        n_graphs = min(size, last - graphs)
        pairs = ends.between(vertices, vertices + len(mine))
        tables = {
            "graph_indicator": b"".join(b"%d\n" % (owner - graphs) for (owner,) in mine),
            "A": b"".join(b"%d,%d\n" % (a - vertices, b - vertices) for a, b in pairs),
            "graph_labels": b"0\n" * n_graphs,
        }
        for names, count in ((OF_VERTICES, len(mine)), (OF_EDGES, len(pairs))):
            there = [table for table in names if table in lines]
            tables |= {table: b"".join(islice(lines[table], count)) for table in there}
        yield tables
        graphs, vertices = graphs + n_graphs, vertices + len(mine)
    if ends.more:
        raise NotInPieces


class _Numbers:
    """Lines of whole numbers, read one ahead."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._next = self._read()

    @property
    def more(self) -> bool:
        return self._next is not None

    def between(self, above: int, up_to: int) -> list[tuple[int, ...]]:
        """The lines that come next and whose first number is not larger than `up_to`."""
        numbers = []
        while self._next is not None and self._next[0] <= up_to:
            if min(self._next) <= above:
                raise NotInPieces
            numbers.append(self._next)
            self._next = self._read()
        return numbers

    def _read(self) -> tuple[int, ...] | None:
        for line in self._lines:
            if line.strip():
                try:
                    return tuple(int(float(part)) for part in line.split(b","))
                except ValueError as error:
                    raise NotInPieces from error
        return None
