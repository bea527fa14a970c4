"""What differs between graphs and vertices as examples."""

from __future__ import annotations

from graphtrees.kernels._jit import by_type
from graphtrees.kernels.growing.on_graphs import apply_to_graphs, ask_graphs
from graphtrees.kernels.growing.on_vertices import (
    apply_to_vertices,
    ask_vertices,
    make_vertex_columns,
    mark_vertices,
)
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


def _nothing_left(source, questions, growth, nodes, work, scratch, team, rank, n_members):
    """Graphs make their columns as soon as they have marked their subsets."""


# The same in two halves, for workers that tell each other what they marked.
mark_split = by_type(
    {
        GraphSource: apply_to_graphs,
        ExactGraphSource: apply_to_graphs,
        PlainGraphSource: apply_to_graphs,
        VertexSource: mark_vertices,
    }
)

make_split_columns = by_type(
    {
        GraphSource: _nothing_left,
        ExactGraphSource: _nothing_left,
        PlainGraphSource: _nothing_left,
        VertexSource: make_vertex_columns,
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
