"""Graphs, and what in them gets a label."""

from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert import (
    from_dgl,
    from_graphml,
    from_igraph,
    from_networkx,
    from_pyg,
    from_scipy,
    from_smiles,
    from_tables,
)
from graphtrees.graphs.examples import Edges, Vertices
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.joining import concatenate
from graphtrees.graphs.validation import as_examples

__all__ = [
    "Edges",
    "FlatGraphs",
    "Graph",
    "Graphs",
    "Vertices",
    "as_examples",
    "concatenate",
    "from_dgl",
    "from_graphml",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "from_smiles",
    "from_tables",
]
