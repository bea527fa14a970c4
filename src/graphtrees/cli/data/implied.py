"""The vertices of an edge list: those that its edges name."""

from __future__ import annotations

from typing import Any

from graphtrees.cli.data.columns import Table
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.tablefile import TableFile, object_frame


class ImpliedVertices:
    """A table of vertices without features, which is in no file."""

    has_free_commas = False

    def __init__(self, edges: TableFile, reading: Reading) -> None:
        self.path, self.shown, self.reading = edges.path, edges.shown, reading
        with_graph = reading.graph_column in edges.columns
        self.columns = [reading.id_column, *([reading.graph_column] if with_graph else [])]

    def frame_of(self, edges: Table) -> Any:
        """The vertices of these edges, in the order in which they are named."""
        reading = self.reading
        source = edges.ids(reading.source_column, "source_column")
        target = edges.ids(reading.target_column, "target_column")
        columns = [[end for ends in zip(source, target, strict=True) for end in ends]]
        if len(self.columns) == 2:
            columns.append([graph for graph in edges.ids(reading.graph_column) for _ in range(2)])
        return object_frame(dict.fromkeys(zip(*columns, strict=True)), self.columns)

    def place(self, record: int) -> str:
        return f"vertex {record}"

    def kind(self, column: str) -> str | None:
        return "text"
