"""What differs between graphs and vertices as examples."""

from __future__ import annotations

from graphtrees.kernels._jit import by_type
from graphtrees.kernels.growing.on_graphs import apply_to_graphs, ask_graphs
from graphtrees.kernels.growing.on_vertices import apply_to_vertices, ask_vertices
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.vertex_records import VertexSource

apply_split = by_type(
    {
        GraphSource: apply_to_graphs,
        ExactGraphSource: apply_to_graphs,
        PlainGraphSource: apply_to_graphs,
        VertexSource: apply_to_vertices,
    }
)

ask_column = by_type(
    {
        GraphSource: ask_graphs,
        ExactGraphSource: ask_graphs,
        PlainGraphSource: ask_graphs,
        VertexSource: ask_vertices,
    }
)
