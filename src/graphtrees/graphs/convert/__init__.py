"""From the graphs of other libraries to ours, and back. Each library is imported when asked for."""

from graphtrees.graphs.convert.dgl import from_dgl
from graphtrees.graphs.convert.graphml import from_graphml
from graphtrees.graphs.convert.igraph import from_igraph
from graphtrees.graphs.convert.networkx import from_networkx
from graphtrees.graphs.convert.pyg import from_pyg
from graphtrees.graphs.convert.scipy import from_scipy
from graphtrees.graphs.convert.smiles import from_smiles
from graphtrees.graphs.convert.tables import from_tables

__all__ = [
    "from_dgl",
    "from_graphml",
    "from_igraph",
    "from_networkx",
    "from_pyg",
    "from_scipy",
    "from_smiles",
    "from_tables",
]
