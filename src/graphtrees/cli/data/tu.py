"""A collection in the TU text layout, from a zip or a folder, read whole or in pieces."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from graphtrees.cli.data.alignment import with_features
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Data, NotInPieces, chunk_error
from graphtrees.cli.errors import UserError

OF_GRAPHS = ("graph_labels", "graph_attributes")


class TUCollection:
    """Graphs with labels of their own."""

    kind = "a TU collection, which brings its own labels"
    uses = frozenset({"target"})  # refused with a message of its own

    @property
    def files(self) -> list[Path]:
        return [self.path]

    def __init__(self, path: Path, reading: Reading) -> None:
        from graphtrees.datasets.archives import Collection

        self.path, self.reading = path, reading
        self.collection = Collection(path)
        self.name = self._name()

    def load(self, need_target: bool) -> Data:
        if self.reading.target is not None:
            raise UserError(f"{self.path}: brings its own labels; leave --target out")
        if self._file("graph_labels") or self._file("graph_attributes"):
            return self._data(self.collection, 0)
        if need_target:
            raise UserError(f"{self.path}: there is no {self.name}_graph_labels.txt")
        return self._data(next(self._pieces(1 << 40)), 0)

    def stream(self, size: int) -> Iterator[Data]:
        first = 0
        for piece in self._pieces(size):
            try:
                data = self._data(piece, first)
            except ValueError as error:
                raise chunk_error(self.path, error) from error
            yield data
            first += len(data)

    def _data(self, collection: Any, first: int) -> Data:
        from graphtrees.datasets.tu_text import read_tu_text
        from graphtrees.graphs import Graphs

        text = read_tu_text(collection, self.name)
        graphs = Graphs.from_flat(**text.flat)
        if self.reading.exact and self.reading.features is not None:
            graphs = with_features(graphs, self.reading.features, str(self.path))
        return Data(self.name, graphs, text.y, {"graph": list(range(first, first + len(graphs)))})

    def _name(self) -> str:
        files = [PurePosixPath(name).name for name in self.collection.names]
        names = [name.removesuffix("_A.txt") for name in files if name.endswith("_A.txt")]
        if len(names) != 1:
            what = "no file" if not names else f"{len(names)} files"
            raise UserError(f"{self.path}: {what} NAME_A.txt, so this is no TU collection")
        return names[0]

    def _file(self, table: str) -> str | None:
        return self.collection.find(f"{self.name}_{table}.txt")

    # ---- in pieces --------------------------------------------------------------------------

    def _pieces(self, size: int) -> Iterator[_Piece]:
        from graphtrees.datasets.tu_readme import readme_of

        n_listed = max(_count(self._lines(table)) for table in OF_GRAPHS)
        readme = readme_of(self.collection, self.name)
        tables = [t for t in ("graph_indicator", "A", *OF_VERTICES, *OF_EDGES) if self._file(t)]
        with ExitStack() as stack:
            lines: dict[str, Iterator[bytes]] = {
                table: stack.enter_context(closing(self._lines(table))) for table in tables
            }
            for pieces in _cut(lines, size, n_listed):
                yield _Piece(self.path, self.name, pieces, readme)

    def _lines(self, table: str) -> Generator[bytes, None, None]:
        """The lines of a table, one after another; none where there is no such table."""
        name = self._file(table)
        if name is not None:
            yield from self.collection.lines(name)


def _count(lines: Iterable[bytes]) -> int:
    return sum(1 for line in lines if line.strip())


class _Piece:
    """Some graphs of a collection as a collection of its own, with the readme of the whole."""

    def __init__(self, path: Path, name: str, tables: dict[str, bytes], readme: str | None) -> None:
        self.path = path
        self._tables = {f"{name}_{table}.txt": text for table, text in tables.items()}
        if readme is not None:
            self._tables["README.txt"] = readme.encode()

    def find(self, ending: str) -> str | None:
        return ending if ending in self._tables else None

    def read(self, ending: str) -> bytes:
        return self._tables[ending]


OF_VERTICES = ("node_labels", "node_attributes")
OF_EDGES = ("edge_labels", "edge_attributes")


def _cut(lines: dict[str, Iterator[bytes]], size: int, n_listed: int) -> Iterator[dict[str, bytes]]:
    """The tables of `size` graphs at a time, numbered from 1 again, labels set to 0.

    The files run side by side, so that a piece of each makes a smaller collection:

        NAME_graph_indicator.txt   1 1 1 2 2 | 3 3 3 4 ...      graphs 1 and 2
        NAME_node_labels.txt       5 7 5 7 7 | 5 5 7 7 ...      their vertices
        NAME_A.txt                 1,2 2,3 4,5 | 6,7 ...        their edges

    `n_listed` graphs have a label; the last of them may have no vertices.
    """
    owners, ends = _Numbers(lines["graph_indicator"]), _Numbers(lines["A"])
    graphs = vertices = 0
    while owners.more or graphs < n_listed:
        graph_lines = owners.between(graphs, graphs + size)
        last = graphs + size if owners.more else max(n_listed, max(graph_lines, default=(0,))[0])
        n_graphs = min(size, last - graphs)
        pairs = ends.between(vertices, vertices + len(graph_lines))
        tables = {
            "graph_indicator": b"".join(b"%d\n" % (owner - graphs) for (owner,) in graph_lines),
            "A": b"".join(b"%d,%d\n" % (a - vertices, b - vertices) for a, b in pairs),
            "graph_labels": b"0\n" * n_graphs,
        }
        for names, count in ((OF_VERTICES, len(graph_lines)), (OF_EDGES, len(pairs))):
            present = [table for table in names if table in lines]
            tables |= {table: b"".join(islice(lines[table], count)) for table in present}
        yield tables
        graphs, vertices = graphs + n_graphs, vertices + len(graph_lines)
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
