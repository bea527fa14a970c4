"""The one door: everything a user hands in is checked here, and nowhere after."""

from graphtrees.graphs.door.build import build_graph, build_graphs
from graphtrees.graphs.door.examples import as_examples

__all__ = ["as_examples", "build_graph", "build_graphs"]
