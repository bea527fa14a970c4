"""What differs between graphs and vertices as examples."""

from __future__ import annotations

from graphtrees.kernels._jit import by_type
from graphtrees.kernels.growing.on_graphs import apply_to_graphs, ask_graphs
from graphtrees.kernels.growing.on_vertices import (
    ask_vertices,
    list_vertices_inside,
    make_vertex_columns,
    mark_vertices,
)
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.vertex_records import VertexSource


def _make_no_columns(
    source, questions, static, growth, nodes, work, scratch, team, rank, n_members
):
    """Graphs make their columns as soon as they have marked their subsets."""


def _list_no_graphs(source, child, k, nodes, work):
    """Graphs count their vertices inside a subset as soon as they have marked it."""


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
        GraphSource: _make_no_columns,
        ExactGraphSource: _make_no_columns,
        PlainGraphSource: _make_no_columns,
        VertexSource: make_vertex_columns,
    }
)

list_inside = by_type(
    {
        GraphSource: _list_no_graphs,
        ExactGraphSource: _list_no_graphs,
        PlainGraphSource: _list_no_graphs,
        VertexSource: list_vertices_inside,
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
