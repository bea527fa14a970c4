"""What gets a label, as the engine reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.direction import has_direction
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.line_graph import LineGraphs


@dataclass(frozen=True, eq=False)
class Examples:
    """What gets a label: `kind` is 'graphs', 'vertices', 'edges' or 'rows' (of a table).

    `vertices` numbers the vertex examples over all graphs of `flat`; None: the graphs themselves.
    The last features of `flat` are the `graph_features`, spread over the vertices.
    """

    kind: str
    flat: FlatGraphs
    vertices: np.ndarray | None
    given: Any  # X as the user gave it
    graph_features: tuple[str, ...] = ()

    @property
    def directed(self) -> bool | None:
        """Whether the direction of edges matters; None where these examples do not tell.

        So it is without edges, and where a directed graph has each edge both ways.
        """
        if isinstance(self.flat, LineGraphs):
            return self.flat.directed if self.flat.n_vertices else None
        matters = has_direction(self.flat)
        return None if self.flat.directed and not matters else matters

    @property
    def n(self) -> int:
        return self.flat.n_graphs if self.vertices is None else len(self.vertices)
