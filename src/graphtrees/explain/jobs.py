"""Examples in the order in which kernels take them: those of one graph together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.target import Target
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels.records import AskedAbout, Jobs


@dataclass(frozen=True, eq=False)
class SortedExamples:
    """`order` sorts examples by graph; `jobs` are stretches of them, of one graph each.

    Example e, in the order given, owns the vertices vertex_ptr[e]:vertex_ptr[e + 1] of the results,
    and so its edges.
    """

    order: np.ndarray
    vertex_of: np.ndarray
    vertex_ptr: np.ndarray
    edge_ptr: np.ndarray
    jobs: Jobs

    @classmethod
    def of(
        cls, graph_of: np.ndarray, vertex_of: np.ndarray, graphs: PackedGraphs, with_edges: bool,
        n_threads: int,
    ) -> SortedExamples:  # fmt: skip
        order = np.argsort(graph_of, kind="stable")
        return cls(
            order,
            vertex_of,
            starts_of(np.diff(graphs.vertex_ptr)[graph_of]),
            starts_of(np.diff(graphs.edge_ptr)[graph_of] * with_edges),
            _jobs(graph_of[order], n_threads),
        )

    @property
    def n_jobs(self) -> int:
        return len(self.jobs.graph)

    def some_jobs(self, start: int, stop: int) -> Jobs:
        return Jobs(*(field[start:stop] for field in self.jobs))

    def asked_about(self, target: Target) -> AskedAbout:
        return AskedAbout(self.vertex_of[self.order], target.output[self.order])

    def vertex_start(self) -> np.ndarray:
        """Where the vertices of each example start, in sorted order."""
        return self.vertex_ptr[:-1][self.order]

    def edge_start(self) -> np.ndarray:
        return self.edge_ptr[:-1][self.order]

    def back(self, of_sorted: np.ndarray) -> np.ndarray:
        """What was found in sorted order, in the order given."""
        given = np.empty_like(of_sorted)
        given[self.order] = of_sorted
        return given


def _jobs(graph_of: np.ndarray, n_threads: int) -> Jobs:
    """Stretches of examples of one graph, cut where threads would idle."""
    starts = np.flatnonzero(np.r_[True, np.diff(graph_of) != 0][: len(graph_of)])
    if len(starts) < n_threads:
        at_most = max(1, -(-len(graph_of) // n_threads))
        starts = np.union1d(starts, np.arange(0, len(graph_of), at_most))
    stops = np.r_[starts[1:], len(graph_of)][: len(starts)]
    return Jobs(graph_of[starts].astype(OFFSET), starts.astype(OFFSET), stops.astype(OFFSET))
