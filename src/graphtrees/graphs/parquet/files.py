"""`scan_parquet`: a folder of Parquet files of graphs, of which only the footers are read."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.joining import concatenate
from graphtrees.graphs.parquet.catalog import Catalog, make_catalog
from graphtrees.graphs.parquet.columns import LABEL, SAMPLE_WEIGHT, TEXT, wanted_of
from graphtrees.graphs.parquet.footers import (
    Footer,
    Schema,
    agree,
    faults_of,
    read_columns,
    read_footer,
)
from graphtrees.graphs.parquet.labels import join_labels, labels_from, weights_from
from graphtrees.graphs.parquet.reading import read_graphs
from graphtrees.graphs.validation.arguments import as_flag, as_path
from graphtrees.graphs.validation.keywords import suggests_keywords

ENDING = ".parquet"


class GraphFile(NamedTuple):
    """A file of graphs."""

    path: Path
    n_graphs: int


@suggests_keywords
def scan_parquet(path: Any, directed: bool | None = None) -> GraphFiles:
    """Graphs in Parquet files, a row for each, of which only the footers are read at first.

    For collections that are larger than memory, and for training on several machines. The files
    are written by `Graphs.to_parquet`, or by any other tool that writes the columns below.

    Parameters
    ----------
    path : str or path
        A folder of Parquet files, or one file. Files whose names start with a dot or an
        underscore are left out. The others are taken in the order of their names, numbers in them
        as numbers.
    directed : bool, optional
        Whether edges lead from source to target only. Default: what the files say, and False
        where they say nothing, as files of other tools do.

    Returns
    -------
    GraphFiles

    Raises
    ------
    ValueError
        There are no such files, one is damaged, or two do not agree. The message names the file.

    Notes
    -----
    Every row is a graph. `source` and `target` hold the vertex numbers, from 0, at the ends of its
    edges; these two columns must be there. All others may be: `n_vertices`, `vertex_name`, a column
    ``vertex:NAME`` for each feature of vertices, `weight`, `edge_type`, ``edge:NAME`` for each
    feature of edges, ``graph:NAME`` for each feature of graphs. Features without names are in
    `features`, a list for each vertex. Columns of other names are labels and such; see
    `GraphFiles.labels`.

    Examples
    --------
    >>> import tempfile
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=50, n_vertices=6, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = data.X.to_parquet(folder, rows_per_file=20, y=data.y)
    ...     files = gt.scan_parquet(folder)
    ...     print(files, files.read(2), files.labels().shape)
    GraphFiles(n_graphs=50, n_files=3) Graphs(n_graphs=10, n_vertices=60, ...) (50,)
    """
    if directed is not None:
        directed = as_flag(directed, "directed")
    footers = tuple(read_footer(file) for file in list_files(as_path(path)))
    return GraphFiles(
        files=tuple(GraphFile(footer.path, footer.n_graphs) for footer in footers),
        _footers=footers,
        _schema=agree(footers, directed),
    )


@dataclass(frozen=True, eq=False, repr=False)
class GraphFiles:
    """Graphs in Parquet files, which are read when asked for; made by `scan_parquet`.

    Every file is read with the feature names, categories and edge types of all files, so that the
    graphs of any of them fit those of any other.

    Attributes
    ----------
    files : tuple
        The path and the number of graphs (`path`, `n_graphs`) of each file, in order.

    Examples
    --------
    >>> import tempfile
    >>> import graphtrees as gt
    >>> graphs = gt.Graphs([gt.Graph([[k]], [], feature_names=["size"]) for k in range(5)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = graphs.to_parquet(folder, rows_per_file=2)
    ...     files = gt.scan_parquet(folder)
    ...     print([(one.path.name, one.n_graphs) for one in files.files])
    ...     print(files.read_all())
    [('part-00000.parquet', 2), ('part-00001.parquet', 2), ('part-00002.parquet', 1)]
    Graphs(n_graphs=5, n_vertices=5, n_edges=0, n_features=1)
    """

    files: tuple[GraphFile, ...]
    _footers: tuple[Footer, ...]
    _schema: Schema

    def __repr__(self) -> str:
        return f"GraphFiles(n_graphs={self.n_graphs}, n_files={self.n_files})"

    def __len__(self) -> int:
        return self.n_graphs

    def __getstate__(self) -> dict[str, Any]:
        # A copy in another process need not look through all files for their labels again.
        _ = self._catalog
        return dict(vars(self))

    @cached_property
    def _catalog(self) -> Catalog:
        return make_catalog(self._footers, self._schema)

    @property
    def n_graphs(self) -> int:
        """Number of graphs in all files; also ``len(files)``."""
        return sum(one.n_graphs for one in self.files)

    @property
    def n_files(self) -> int:
        """Number of files."""
        return len(self.files)

    @property
    def n_features(self) -> int:
        """Number of features of a vertex."""
        return self._catalog.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features of vertices, or None."""
        return self._schema.feature_names

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._schema.directed

    @property
    def label_columns(self) -> tuple[str, ...]:
        """The columns that all files have beside those of the graphs, such as `y`."""
        kinds = [footer.kinds for footer in self._footers]
        return tuple(
            column for column in kinds[0]
            if wanted_of(column) is None and all(column in other for other in kinds)
        )  # fmt: skip

    def read(self, k: int) -> Graphs:
        """The graphs of one file.

        Parameters
        ----------
        k : int
            The number of the file, from 0.

        Returns
        -------
        Graphs
        """
        return Graphs._of(read_graphs(self._footer(k), self._schema, self._catalog))

    def read_all(self) -> Graphs:
        """The graphs of all files.

        Returns
        -------
        Graphs
        """
        return Graphs._of(concatenate([self.read(k).flat for k in range(self.n_files)]))

    def labels(self, column: str = LABEL, k: int | None = None) -> np.ndarray:
        """The labels of the graphs, without reading the graphs.

        Parameters
        ----------
        column : str, default='y'
            The column that holds them: numbers, booleans, text, dates, or lists of these where
            graphs have several labels. Null is NaN among numbers, None among text.
        k : int, optional
            The number of a file, whose labels alone are read.

        Returns
        -------
        array of shape (n_graphs,) or (n_graphs, n_labels)
        """
        footers = self._footers if k is None else (self._footer(k),)
        self._check_labels(column, footers)
        parts = []
        for footer in footers:
            values = read_columns(footer, [column])[column]
            with faults_of(footer.path):
                parts.append(labels_from(values, column))
        widths = {part.shape[1:] for part in parts if len(part)}
        if len(widths) > 1:
            raise ValueError(f"column {column!r}: the files have different numbers of labels")
        return join_labels(parts, {one.metadata.label_dtypes.get(column) for one in footers})

    def weights(self, column: str = SAMPLE_WEIGHT, k: int | None = None) -> np.ndarray | None:
        """The weights of the graphs, without reading the graphs; None where there is no column.

        Parameters
        ----------
        column : str, default='sample_weight'
            The column that holds them.
        k : int, optional
            The number of a file, whose weights alone are read.

        Returns
        -------
        array of shape (n_graphs,), or None
        """
        footers = self._footers if k is None else (self._footer(k),)
        if column == SAMPLE_WEIGHT and not any(column in one.kinds for one in self._footers):
            return None
        self._check_labels(column, footers)
        parts = []
        for footer in footers:
            values = read_columns(footer, [column])[column]
            with faults_of(footer.path):
                parts.append(weights_from(values, column))
        return np.concatenate(parts)

    def _footer(self, k: int) -> Footer:
        number = operator.index(k)
        if not 0 <= number < self.n_files:
            raise IndexError(f"there is no file {number} among {self.n_files} (from 0)")
        return self._footers[number]

    def _check_labels(self, column: str, footers: Sequence[Footer]) -> None:
        """The column is there in all files, as text in all or in none."""
        for footer in footers:
            kind = footer.kinds.get(column)
            if kind is None:
                listed = ", ".join(self.label_columns) or "none"
                raise ValueError(
                    f"{footer.path}: has no column {column!r} (labels may be in: {listed})"
                )
            first = footers[0].kinds[column]
            if (kind.depth, kind.holds == TEXT) != (first.depth, first.holds == TEXT):
                raise ValueError(
                    f"{footer.path}: column {column!r} holds {kind.text}; in {footers[0].path} it "
                    f"holds {first.text}"
                )


def list_files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ValueError(f"{path}: there is no such folder or file")
    files = [one for one in path.iterdir() if one.name.endswith(ENDING) and one.is_file()]
    shown = sorted((one for one in files if one.name[0] not in "._"), key=_by_number)
    if not shown:
        raise ValueError(f"{path}: holds no Parquet files (NAME{ENDING})")
    return shown


def _by_number(path: Path) -> list[Any]:
    """Sorts part-2 before part-10."""
    pieces = re.split(r"([0-9]+)", path.name)
    return [int(piece) if k % 2 else piece for k, piece in enumerate(pieces)] + [path.name]
