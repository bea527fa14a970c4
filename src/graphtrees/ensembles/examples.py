"""What gets a label, as the engine reads it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._communicator import ALONE, Communicator, Halo, Share
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
    share: Share | None = None  # where several workers have some of the examples each
    helpers: Communicator = ALONE  # workers that have the same examples, and grow other trees

    @property
    def workers(self) -> Communicator:
        """All workers that take part, with the same examples or with others."""
        return self.helpers if self.share is None else self.share.communicator

    @property
    def communicator(self) -> Communicator:
        return ALONE if self.share is None else self.share.communicator

    @property
    def halo(self) -> Halo | None:
        """Where each worker has a part of the same graph."""
        return None if self.share is None else self.share.halo

    @property
    def directed(self) -> bool | None:
        """Whether the direction of edges matters; None where these examples do not tell.

        So it is without edges, and where a directed graph has each edge both ways.
        """
        known = [one for one in self.communicator.all_gather(self._directed) if one is not None]
        return any(known) if known else None

    @property
    def _directed(self) -> bool | None:
        """The same of this worker's examples."""
        if isinstance(self.flat, LineGraphs):
            return self.flat.directed if self.flat.n_vertices else None
        matters = has_direction(self.flat)
        return None if self.flat.directed and not matters else matters

    @property
    def weighted(self) -> bool:
        return self.communicator.any(self.flat.edge_weights is not None)

    @property
    def n(self) -> int:
        """How many there are, over all workers."""
        return self.n_here if self.share is None else self.share.n

    @property
    def n_here(self) -> int:
        return self.flat.n_graphs if self.vertices is None else len(self.vertices)
