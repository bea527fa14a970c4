"""A collection in the TU text layout, from a zip or a folder, read whole or in pieces."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath
from typing import Any

from graphtrees.cli.data.alignment import with_features
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Data, chunk_error
from graphtrees.cli.data.tu_pieces import OF_EDGES, OF_VERTICES, cut
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
        there = [t for t in ("graph_indicator", "A", *OF_VERTICES, *OF_EDGES) if self._file(t)]
        with ExitStack() as stack:
            lines: dict[str, Iterator[bytes]] = {
                table: stack.enter_context(closing(self._lines(table))) for table in there
            }
            for tables in cut(lines, size, n_listed):
                yield _Piece(self.path, self.name, tables, readme)

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
