"""What a model knows of its features: their names, their categories, and the constant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import HERE, Totals
from graphtrees._layout import CONSTANT_NAME, OFFSET, VALUE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.graphs.flat import FlatGraphs, column_of, dense, starts_of
from graphtrees.kernels import lanes
from graphtrees.questions.colour_text import colour_text
from graphtrees.questions.colour_values import colour_values
from graphtrees.questions.colours import ColourTable
from graphtrees.questions.fitted_labels import fitted_places
from graphtrees.questions.sparse_columns import Labels, joined_columns, rows_of

COLOUR_NAME = "neighbourhood"

# Waking a thread, and waiting for Python's lock between the steps, takes as long as encoding so
# many vertices.
VERTICES_A_THREAD = 2**15

# More threads than this, each with many small steps of NumPy, would only wait for Python's lock.
MOST_STRETCHES = 8


@dataclass(frozen=True)
class FeatureTable:
    """The features as fitted, and the columns they become.

    A number is one column; a category is one column per label (1 at the vertices that carry it);
    then comes the constant, when there is one, and one column per colour. The constant counts as
    feature n_features, colours as the features after it. The last n_graph_features of the features
    belong to whole graphs: all vertices of a graph have the same value. From some numbers, by
    feature, an offset is subtracted before they are rounded to float32; see `offset_of`.
    """

    n_features: int
    names: tuple[str, ...] | None
    categories: dict[int, tuple]
    has_constant: bool
    colours: ColourTable | None = None
    n_graph_features: int = 0
    offsets: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, flat: FlatGraphs, add_constant: bool, categories: dict[int, tuple] | None = None,
        n_graph_features: int = 0,
    ) -> FeatureTable:  # fmt: skip
        chosen = dict(flat.categories) if categories is None else categories
        return cls(
            flat.n_features, flat.feature_names, chosen, add_constant,
            n_graph_features=n_graph_features,
        )  # fmt: skip

    @property
    def n_vertex_features(self) -> int:
        return self.n_features - self.n_graph_features

    @property
    def graph_feature_names(self) -> tuple[str, ...]:
        return tuple(self.name(f) for f in range(self.n_vertex_features, self.n_features))

    def is_of_graphs(self, feature: Any) -> Any:
        """Whether a feature belongs to whole graphs; of an array of features, for each."""
        return (feature >= self.n_vertex_features) & (feature < self.n_features)

    @property
    def columns(self) -> list[tuple[int, int]]:
        """(feature, place of the label) of every column; the place is -1 for plain numbers."""
        listed = []
        for feature in range(self.n_features):
            if feature in self.categories:
                listed += [(feature, k) for k in range(len(self.categories[feature]))]
            else:
                listed.append((feature, -1))
        constant = [(self.n_features, -1)] if self.has_constant else []
        return listed + constant + [(self.n_features + 1 + k, -1) for k in range(self.n_colours)]

    @property
    def n_columns(self) -> int:
        """How many columns there are; nothing is made that grows with them."""
        labels = sum(map(len, self.categories.values()))
        plain = self.n_features - len(self.categories)
        return plain + labels + self.has_constant + self.n_colours

    @property
    def n_colours(self) -> int:
        return 0 if self.colours is None else len(self.colours)

    def feature_of(self) -> np.ndarray:
        """The feature of every column."""
        widths = np.ones(self.n_features + 1 + self.n_colours, np.int64)
        widths[self.n_features] = self.has_constant
        for feature, labels in self.categories.items():
            widths[feature] = len(labels)
        return np.repeat(np.arange(len(widths)), widths)

    def name(self, feature: int) -> str:
        if feature == self.n_features:
            return CONSTANT_NAME
        if feature > self.n_features:
            return COLOUR_NAME
        return self.names[feature] if self.names is not None else f"x{feature}"

    def category(self, feature: int, place: int) -> Any:
        """The label that a column asks about: of a category, or of a colour; else None."""
        if feature > self.n_features:
            return colour_text(self, feature - self.n_features - 1)
        labels = self.categories.get(feature)
        return None if labels is None else labels[place]

    def encode(
        self, flat: FlatGraphs, colours: np.ndarray | None = None, in_full: bool | None = None
    ) -> np.ndarray | sparse.csr_array:
        """Values of every column at every vertex, as float32; `in_full`: with zeros written out.

        Unless that is given, `keeps_zeros` tells it. Of the colours those given by their numbers,
        or all; the columns of others are 0.
        """
        values = self._encode_given(flat, self.keeps_zeros(flat) if in_full is None else in_full)
        if not self.n_colours:
            return values
        parts = [sparse.csr_array(values), self._colour_indicators(flat, colours)]
        return sparse.csr_array(sparse.hstack(parts, format="csr", dtype=VALUE))

    def colour_numbers(self, flat: FlatGraphs) -> np.ndarray:
        """The colour of every vertex in each round from 1 on; -1: none that is a column."""
        if self.colours is None:
            return np.empty((0, flat.n_vertices), np.int64)
        values = colour_values(flat, self.colours.features, self.categories)
        return self.colours.number(flat, values)

    def _colour_indicators(self, flat: FlatGraphs, chosen: np.ndarray | None) -> sparse.csr_array:
        numbers = self.colour_numbers(flat)
        wanted = np.ones(self.n_colours + 1, bool)
        if chosen is not None:
            wanted[:] = False
            wanted[chosen] = True
        wanted[-1] = False  # -1 is no colour
        _, vertex = np.nonzero(wanted[numbers])
        listed = numbers[wanted[numbers]]
        shape = flat.n_vertices, self.n_colours
        return sparse.csr_array((np.ones(len(listed), VALUE), (vertex, listed)), shape=shape)

    def keeps_zeros(
        self, flat: FlatGraphs, totals: Totals = HERE, workers: Workers = ONE_THREAD
    ) -> bool:
        """Whether values are to be written out in full: most are not 0, or there is one graph."""
        if self._is_sparse(flat):
            return False
        sizes = np.diff(flat.vertex_ptr)
        n_vertices, n_graphs = totals.add_up(sizes, np.ones_like(sizes))
        if n_graphs <= 1 or totals.of_one_graph:
            return True
        counts = np.zeros(flat.n_vertices, OFFSET)
        workers.each(
            lambda start, stop: lanes.count_filled(
                self._numbers(flat, start, stop), counts[start:stop]
            ),
            workers.spans(flat.n_vertices, at_least=VERTICES_A_THREAD),
        )
        row_ptr = starts_of(counts)
        (n_filled,) = totals.add_up(np.diff(row_ptr[flat.vertex_ptr]))
        n_columns = self.n_features + self.has_constant
        n_filled += n_vertices * self.has_constant
        return n_filled > 0.3 * max(1, n_vertices * n_columns)

    def _is_sparse(self, flat: FlatGraphs) -> bool:
        """Whether values are a sparse matrix anyway."""
        return bool(self.categories) or (sparse.issparse(flat.features) and not self.offsets)

    def _numbers(self, flat: FlatGraphs, start: int, stop: int) -> np.ndarray:
        """The features, none of them categorical, of some vertices."""
        return np.ascontiguousarray(self._less_offsets(flat.features[start:stop]), dtype=VALUE)

    def _encode_given(self, flat: FlatGraphs, in_full: bool) -> np.ndarray | sparse.csr_array:
        """The same without colours."""
        if self._is_sparse(flat):
            return self._encode_sparse(flat, self._less_offsets(flat.features))
        given = self._numbers(flat, 0, flat.n_vertices)
        shape = flat.n_vertices, self.n_features + self.has_constant
        if in_full:
            values = np.ones(shape, VALUE)  # a copy: the store is read-only
            values[:, : self.n_features] = given
            return values
        counts = np.zeros(flat.n_vertices, OFFSET)
        lanes.count_filled(given, counts)
        row_ptr = starts_of(counts + self.has_constant)
        columns, filled = np.zeros(row_ptr[-1] + 1, np.int32), np.zeros(row_ptr[-1] + 1, VALUE)
        lanes.list_filled(given, row_ptr, int(self.has_constant), columns, filled)
        return rows_of(filled[:-1], columns[:-1], row_ptr, shape)

    def _less_offsets(self, features: Any) -> Any:
        if not self.offsets:
            return features
        offset = np.zeros(self.n_features)
        offset[list(self.offsets)] = list(self.offsets.values())
        return dense(features) - offset

    def _encode_sparse(self, flat: FlatGraphs, given: Any) -> sparse.csr_array:
        by_column = given.tocsc() if sparse.issparse(given) else given
        pieces: list[Any] = []  # labels, or sparse columns
        run: list[int] = []
        for feature in range(self.n_features + 1):
            if feature < self.n_features and feature not in self.categories:
                run.append(feature)
                continue
            if run:
                pieces.append(sparse.csr_array(by_column[:, run], dtype=VALUE))
                run = []
            if feature < self.n_features:
                pieces.append(self._labels(flat, feature, column_of(by_column, feature)))
        if self.has_constant:
            pieces.append(Labels(np.zeros(flat.n_vertices, np.int32), 1))
        return joined_columns(pieces, flat.n_vertices)

    def _labels(self, flat: FlatGraphs, feature: int, codes: np.ndarray) -> Labels:
        """The fitted label of every vertex; a missing or unseen one is none of them."""
        labels = self.categories[feature]
        place = fitted_places(codes, flat.categories.get(feature), labels)
        return Labels(np.nan_to_num(place, nan=-1.0).astype(np.int32), len(labels))
