"""The columns of one file of graphs: lists with their lengths, and labels by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.parquet import arrow
from graphtrees.graphs.parquet.catalog import Catalog
from graphtrees.graphs.parquet.columns import (
    FEATURE_INDEX,
    FEATURES,
    N_VERTICES,
    OF_VERTEX,
    SOURCE,
    TARGET,
    VERTEX_NAME,
)
from graphtrees.graphs.parquet.footers import Footer
from graphtrees.graphs.validation.build import MOST_VERTICES


class GraphTable:
    """The columns of a file, with the sizes of its graphs."""

    def __init__(self, footer: Footer, catalog: Catalog, columns: dict[str, Any]) -> None:
        self.footer, self.catalog, self.columns = footer, catalog, columns

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    @cached_property
    def n_edges(self) -> np.ndarray:
        return arrow.split_lists(self.columns[SOURCE], SOURCE)[0]

    @cached_property
    def edge_ptr(self) -> np.ndarray:
        return starts_of(self.n_edges)

    @cached_property
    def vertex_ptr(self) -> np.ndarray:
        return starts_of(self.n_vertices)

    @cached_property
    def n_vertices(self) -> np.ndarray:
        """As the file says; else by a list of the vertices, or by the largest number in an edge."""
        if N_VERTICES in self.columns:
            return self._stated_sizes()
        lists = [c for c in self.columns if c.startswith(OF_VERTEX)]
        lists += [c for c in (FEATURES, FEATURE_INDEX, VERTEX_NAME) if c in self.columns]
        if lists:
            return arrow.split_lists(self.columns[lists[0]], lists[0])[0]
        last = np.maximum(self.ends(SOURCE), self.ends(TARGET))
        sizes = np.zeros(self.footer.n_graphs, OFFSET)
        owner = np.repeat(np.arange(len(sizes)), self.n_edges)
        np.maximum.at(sizes, owner, np.minimum(last, MOST_VERTICES) + 1)
        return np.maximum(sizes, 0)

    def _stated_sizes(self) -> np.ndarray:
        column = self.columns[N_VERTICES].combine_chunks()
        arrow.refuse_nulls(column, N_VERTICES, "a count is wanted")
        sizes = arrow.as_integers(column)
        outside = (sizes < 0) | (sizes > MOST_VERTICES)
        if outside.any():
            graph = int(np.argmax(outside))
            raise ValueError(f"graph {graph}: column {N_VERTICES!r} is {sizes[graph]}")
        return sizes

    def ends(self, column: str) -> np.ndarray:
        """The vertices at one end of all edges."""
        items = self.edge_items(column)
        if items.null_count:
            graph = _owner(self.edge_ptr, arrow.first_null(items))
            raise ValueError(f"graph {graph}: column {column!r} holds null for a vertex number")
        return arrow.as_integers(items)

    def vertex_items(self, column: str) -> Any:
        """The items of a column of lists, one for each vertex."""
        return self._items(column, self.n_vertices, "vertices")

    def edge_items(self, column: str) -> Any:
        """The items of a column of lists, one for each edge."""
        return self._items(column, self.n_edges, "edges")

    def graph_items(self, column: str) -> Any:
        """The items of a column with one for each graph."""
        return self.columns[column].combine_chunks()

    def _items(self, column: str, sizes: np.ndarray, noun: str) -> Any:
        counts, items = arrow.split_lists(self.columns[column], column)
        if (counts != sizes).any():
            graph = int(np.argmax(counts != sizes))
            raise ValueError(
                f"graph {graph}: column {column!r} has {counts[graph]} entries for "
                f"{sizes[graph]} {noun}"
            )
        return items

    def vertex_lists(self, column: str) -> tuple[np.ndarray, Any]:
        """Of a column with a list for each vertex: the lengths of these, and their items."""
        lists = self.vertex_items(column)
        if lists.null_count:
            place = self.name_vertex(arrow.first_null(lists))
            raise ValueError(f"{place}: column {column!r} is null; a list is wanted")
        return arrow.split_lists(lists, column)

    def name_vertex(self, place: int) -> str:
        """How messages call a vertex."""
        graph = _owner(self.vertex_ptr, place)
        return f"graph {graph}: vertex {place - int(self.vertex_ptr[graph])}"

    def name_graph_of_edge(self, place: int) -> str:
        """How messages call the graph of an edge."""
        return f"graph {_owner(self.edge_ptr, place)}"

    # ---- labels -----------------------------------------------------------------------------

    def codes(self, column: str, items: Any) -> np.ndarray:
        """The numbers of labels among those of all files; NaN where there is none."""
        if column in self.footer.metadata.codes:
            return self.recode(column, arrow.as_numbers(items).astype(np.float64))
        codes, distinct = arrow.as_codes(items)
        return self._look_up(column, distinct)[codes]

    def recode(self, column: str, codes: np.ndarray) -> np.ndarray:
        """Numbers of labels in this file as those among all files."""
        own = self.footer.metadata.categories.get(column, ())
        known = ~np.isnan(codes)
        wrong = known & ((codes < 0) | (codes >= len(own)) | (codes % 1 != 0))
        if wrong.any():
            code = codes[np.argmax(wrong)]
            raise ValueError(f"column {column!r} holds the code {code:g} for {len(own)} labels")
        return self._look_up(column, own)[np.where(known, codes, -1).astype(np.int64)]

    def _look_up(self, column: str, labels: Sequence[Any]) -> np.ndarray:
        """The number of each label among those of all files, and NaN as the last entry."""
        code_of = {label: code for code, label in enumerate(self.catalog.labels[column])}
        for label in labels:
            if label not in code_of:
                raise ValueError(
                    f"column {column!r} holds {label!r:.60}, which is not among the labels that "
                    "the metadata list"
                )
        return np.array([*(code_of[label] for label in labels), np.nan])


def _owner(ptr: np.ndarray, place: int) -> int:
    """The graph that a vertex or an edge belongs to."""
    return int(np.searchsorted(ptr, place, side="right")) - 1
