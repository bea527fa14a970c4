"""Write graphs to a folder of Parquet files, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._disk import new_folder, sync
from graphtrees._optional import require
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.parquet.arrow import list_array, natural_type, pyarrow
from graphtrees.graphs.parquet.columns import (
    EDGE_TYPE,
    FEATURE_INDEX,
    FEATURE_VALUE,
    FEATURES,
    LABEL,
    N_VERTICES,
    OF_EDGE,
    OF_GRAPH,
    OF_VERTEX,
    SAMPLE_WEIGHT,
    SOURCE,
    TARGET,
    VERTEX_NAME,
    WEIGHT,
)
from graphtrees.graphs.parquet.labels import label_array, weight_array
from graphtrees.graphs.parquet.metadata import KEY, MOST_BYTES, Metadata
from graphtrees.graphs.parquet.names import JSON, name_array
from graphtrees.graphs.stored_labels import is_carried
from graphtrees.graphs.validation.arguments import as_count, as_path

PURPOSE = "to_parquet"


def write_parquet(flat: FlatGraphs, folder: Any, rows_per_file: Any, y: Any, weights: Any) -> Path:
    """The folder that was written; see `Graphs.to_parquet`."""
    parquet = require("pyarrow.parquet", extra="arrow", purpose=PURPOSE)
    path = as_path(folder, "folder")
    size = as_count(rows_per_file, "rows_per_file")
    _refuse_used(path)
    parts = _Parts(flat, y, weights)
    path.absolute().parent.mkdir(parents=True, exist_ok=True)
    n_files = max(1, -(-flat.n_graphs // size))
    digits = max(5, len(str(n_files - 1)))
    with new_folder(path) as draft:
        for k in range(n_files):
            part = draft / f"part-{k:0{digits}}.parquet"
            table = parts.table(k * size, min((k + 1) * size, flat.n_graphs))
            parquet.write_table(table, part, write_page_checksum=True)
            sync(part)
    return path


def _refuse_used(path: Path) -> None:
    if path.is_dir() and not any(path.iterdir()):
        return
    if path.exists():
        raise FileExistsError(
            f"{path}: is there already; a new or an empty folder is wanted, because files of two "
            "collections would be read as one"
        )


class _Parts:
    """All graphs, from which the table of some neighbouring ones is made."""

    def __init__(self, flat: FlatGraphs, y: Any, weights: Any) -> None:
        self.flat = flat
        metadata, labels = _metadata(flat), {}
        if y is not None:
            labels[LABEL], dtype = label_array(y, flat.n_graphs)
            metadata = replace(metadata, label_dtypes={LABEL: dtype} if dtype else {})
        if weights is not None:
            labels[SAMPLE_WEIGHT] = weight_array(weights, flat.n_graphs)
        self.names = None
        if flat.vertex_names is not None:
            self.names, form = name_array(flat.vertex_names)
            metadata = replace(metadata, json_columns=frozenset([VERTEX_NAME] * (form == JSON)))
        self.labels, self.metadata = labels, metadata
        self.text = metadata.to_json()
        if len(self.text) > MOST_BYTES:
            raise ValueError("the categories have too many labels to be written to every file")

    def table(self, first: int, last: int) -> Any:
        """The table of the graphs `first` to `last`, the latter left out."""
        pa, flat = pyarrow(PURPOSE), self.flat
        columns = {N_VERTICES: pa.array(np.diff(flat.vertex_ptr[first : last + 1]))}
        columns |= dict(self._vertex_columns(flat.vertex_ptr[first : last + 1]))
        columns |= dict(self._edge_columns(flat.edge_ptr[first : last + 1]))
        columns |= dict(self._graph_columns(first, last))
        columns |= {name: array.slice(first, last - first) for name, array in self.labels.items()}
        try:
            return pa.table(columns).replace_schema_metadata({KEY: self.text})
        except UnicodeEncodeError as error:
            raise ValueError(f"a feature has a name that is no valid text: {error}") from None

    def _vertex_columns(self, ptr: np.ndarray) -> Iterator[tuple[str, Any]]:
        flat, rows = self.flat, slice(int(ptr[0]), int(ptr[-1]))
        values: Any = flat.features[rows]
        ptr = ptr - ptr[0]
        if self.names is not None:
            yield VERTEX_NAME, list_array(ptr, self.names[rows])
        if sp.issparse(values):
            indptr, data = values.indptr.astype(np.int64), pyarrow().array(values.data)
            index = pyarrow().array(values.indices)
            yield FEATURE_INDEX, list_array(ptr, list_array(indptr, index))
            yield FEATURE_VALUE, list_array(ptr, list_array(indptr, data))
        elif flat.feature_names is None and flat.n_features:
            ends = np.arange(len(values) + 1, dtype=np.int64) * flat.n_features
            yield FEATURES, list_array(ptr, list_array(ends, _numbers(values.ravel())))
        else:
            for k, name in enumerate(flat.feature_names or ()):
                column = OF_VERTEX + name
                yield column, list_array(ptr, self._values(column, values[:, k]))

    def _edge_columns(self, ptr: np.ndarray) -> Iterator[tuple[str, Any]]:
        flat, rows = self.flat, slice(int(ptr[0]), int(ptr[-1]))
        ptr = ptr - ptr[0]
        for column, ends in zip((SOURCE, TARGET), flat.edges, strict=True):
            yield column, list_array(ptr, pyarrow().array(ends[rows]))
        if flat.edge_weights is not None:
            yield WEIGHT, list_array(ptr, _numbers(flat.edge_weights[rows]))
        if flat.edge_types is not None:
            yield EDGE_TYPE, list_array(ptr, self._values(EDGE_TYPE, flat.edge_types[rows]))
        if flat.edge_features is not None:
            for name, values in zip(flat.edge_feature_names, flat.edge_features.T, strict=True):
                yield OF_EDGE + name, list_array(ptr, _numbers(values[rows]))

    def _graph_columns(self, first: int, last: int) -> Iterator[tuple[str, Any]]:
        given = self.flat.graph_features
        if given is not None:
            for name, values in zip(given.names, given.values.T, strict=True):
                yield OF_GRAPH + name, self._values(OF_GRAPH + name, values[first:last])

    def _values(self, column: str, values: np.ndarray) -> Any:
        """Numbers as they are; codes as the labels that they stand for, where a type has them."""
        pa, labels = pyarrow(), self.metadata.categories.get(column)
        if labels is None:
            return _numbers(values)
        missing = np.isnan(values)
        codes = pa.array(np.where(missing, 0, values).astype(np.int32), mask=missing)
        if column in self.metadata.codes:
            return codes
        return pa.array(labels, natural_type(labels)).take(codes)


def _numbers(values: np.ndarray) -> Any:
    """Numbers in which NaN stays NaN."""
    return pyarrow().array(np.ascontiguousarray(values), from_pandas=False)


def _metadata(flat: FlatGraphs) -> Metadata:
    """What applies to all of the graphs."""
    by_column = flat.feature_names is not None and not sp.issparse(flat.features)
    categories = {}
    for k, labels in flat.categories.items():
        named = flat.feature_names is not None
        column = OF_VERTEX + flat.feature_names[k] if named else f"{FEATURES}:{k}"  # type: ignore[index]
        categories[column] = _checked(labels, f"feature {column.partition(':')[2]!r}")
    if flat.edge_types is not None:
        categories[EDGE_TYPE] = _checked(flat.edge_type_names, "the edge types")
    if flat.graph_features is not None:
        for k, labels in flat.graph_features.categories.items():
            name = flat.graph_features.names[k]
            categories[OF_GRAPH + name] = _checked(labels, f"graph feature {name!r}")
    return Metadata(
        directed=flat.directed,
        dtype=str(flat.features.dtype),
        n_features=None if by_column else flat.n_features,
        feature_names=flat.feature_names,
        categories=categories,
        codes=frozenset(c for c, labels in categories.items() if natural_type(labels) is None),
    )


def _checked(labels: Sequence[Any], what: str) -> tuple:
    """Labels that can be read back as they are."""
    for label in labels:
        if not is_carried(label):
            raise TypeError(
                f"{what}: the label {label!r:.60} of type {type(label).__name__} cannot be written "
                "to a file; give labels as text or numbers"
            )
    return tuple(labels)
