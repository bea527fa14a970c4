"""Validation: everything a user passes in is checked here, and nowhere after."""

from graphtrees.graphs.validation.build import Attributes, build_graph, build_graphs
from graphtrees.graphs.validation.examples import as_examples

__all__ = ["Attributes", "as_examples", "build_graph", "build_graphs"]
