"""The vertices of an edge list: those that its edges name."""

from __future__ import annotations

from typing import Any

from graphtrees._optional import require
from graphtrees.cli.data.columns import Table
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.tablefile import TableFile


class ImpliedVertices:
    """Reads like a table of vertices without features."""

    has_free_commas = False

    def __init__(self, edges: TableFile, reading: Reading) -> None:
        self.path, self.shown, self.reading = edges.path, edges.shown, reading
        with_graph = reading.graph_column in edges.columns
        self.columns = [reading.id_column, *([reading.graph_column] if with_graph else [])]

    def frame_of(self, edges: Table) -> Any:
        """The vertices of these edges, in the order in which they are named."""
        pandas = require("pandas", extra="pandas", purpose="reading tables")
        reading = self.reading
        graphs: list[Any] = [None] * len(edges)
        if len(self.columns) == 2:
            graphs = edges.ids(reading.graph_column)
        source = edges.ids(reading.source_column, "source_column")
        target = edges.ids(reading.target_column, "target_column")
        ends = [pair for both in zip(source, target, strict=True) for pair in both]
        owners = [graph for graph in graphs for _ in range(2)]
        pairs = list(dict.fromkeys(zip(ends, owners, strict=True)))
        columns = dict(zip(self.columns, zip(*pairs, strict=True), strict=False))
        columns = columns or dict.fromkeys(self.columns, ())
        return pandas.DataFrame(columns, columns=self.columns, dtype=object)

    def place(self, record: int) -> str:
        return f"vertex {record}"

    def kind(self, column: str) -> str | None:
        return "text"
