"""Pictures with matplotlib: Axes in, Axes out."""

from graphtrees.plot.curves import plot_importance, plot_metric
from graphtrees.plot.explanation import plot_explanation
from graphtrees.plot.graph import plot_graph
from graphtrees.plot.tree import plot_tree

__all__ = ["plot_explanation", "plot_graph", "plot_importance", "plot_metric", "plot_tree"]
