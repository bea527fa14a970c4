"""Read one file of graphs. All that is read goes through the checks that `Graph` makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET
from graphtrees.graphs.flat import FlatGraphs, GraphFeatures, starts_of
from graphtrees.graphs.parquet.arrow import as_integers, as_numbers, refuse_nulls
from graphtrees.graphs.parquet.catalog import Catalog
from graphtrees.graphs.parquet.columns import (
    EDGE_TYPE,
    FEATURE_INDEX,
    FEATURE_VALUE,
    FEATURES,
    OF_EDGE,
    OF_GRAPH,
    OF_VERTEX,
    SOURCE,
    TARGET,
    VERTEX_NAME,
    WEIGHT,
    names_of,
)
from graphtrees.graphs.parquet.footers import Footer, Schema, faults_of, read_columns
from graphtrees.graphs.parquet.names import JSON, PLAIN, names_from
from graphtrees.graphs.parquet.tables import GraphTable
from graphtrees.graphs.validation import Attributes, build_graphs
from graphtrees.graphs.validation.features import check_graph_features


def read_graphs(footer: Footer, schema: Schema, catalog: Catalog) -> FlatGraphs:
    """The graphs of a file, with the labels of all files; a ValueError names the file."""
    columns = read_columns(footer, schema.columns)
    with faults_of(footer.path):
        return _build(GraphTable(footer, catalog, columns), schema)


def _build(table: GraphTable, schema: Schema) -> FlatGraphs:
    edges = np.array([table.ends(SOURCE), table.ends(TARGET)], dtype=OFFSET)
    names = names_of(schema.columns, OF_EDGE)
    given = Attributes(
        features=_features(table, schema),
        feature_names=schema.feature_names,
        categories=_categories(table, schema),
        edge_weights=as_numbers(table.edge_items(WEIGHT)) if WEIGHT in table else None,
        edge_features=_edge_features(table, names) if names else None,
        edge_feature_names=names or None,
        vertex_names=_vertex_names(table) if VERTEX_NAME in table else None,
    )
    flat = build_graphs(table.vertex_ptr, table.edge_ptr, edges, schema.directed, given)
    if EDGE_TYPE in table:
        labels = table.catalog.labels[EDGE_TYPE]
        flat = replace(flat, edge_types=_edge_types(table), edge_type_names=labels)
    return replace(flat, graph_features=_graph_features(table, schema))


def _features(table: GraphTable, schema: Schema) -> np.ndarray | sp.csr_array:
    if FEATURE_INDEX in table:
        return _sparse_features(table, schema)
    if FEATURES in table:
        return _unnamed_features(table, schema)
    columns = [OF_VERTEX + name for name in names_of(schema.columns, OF_VERTEX)]
    values = np.zeros((int(table.vertex_ptr[-1]), len(columns)), schema.dtype)
    for k, column in enumerate(columns):
        items = table.vertex_items(column)
        is_categorical = column in schema.categorical
        values[:, k] = table.codes(column, items) if is_categorical else as_numbers(items)
    return values


def _unnamed_features(table: GraphTable, schema: Schema) -> np.ndarray:
    counts, items = table.vertex_lists(FEATURES)
    n_features = table.catalog.n_features
    if (counts != n_features).any():
        at = int(np.argmax(counts != n_features))
        raise ValueError(
            f"{table.name_vertex(at)}: column {FEATURES!r} has {counts[at]} numbers; other "
            f"vertices have {n_features}"
        )
    values = as_numbers(items).astype(schema.dtype).reshape(len(counts), n_features)
    for column, k in _unnamed_categories(table).items():
        values[:, k] = table.recode(column, values[:, k].astype(np.float64))
    return values


def _sparse_features(table: GraphTable, schema: Schema) -> sp.csr_array:
    counts, index = table.vertex_lists(FEATURE_INDEX)
    n_values, values = table.vertex_lists(FEATURE_VALUE)
    if (counts != n_values).any():
        at = int(np.argmax(counts != n_values))
        raise ValueError(
            f"{table.name_vertex(at)}: column {FEATURE_INDEX!r} has {counts[at]} entries, "
            f"{FEATURE_VALUE!r} has {n_values[at]}"
        )
    refuse_nulls(index, FEATURE_INDEX, "the number of a feature is wanted", "entry (of all)")
    places, n_features = as_integers(index), table.catalog.n_features
    outside = (places < 0) | (places >= n_features)
    if outside.any():
        at = int(np.argmax(outside))
        vertex = table.name_vertex(int(np.searchsorted(starts_of(counts), at, side="right")) - 1)
        raise ValueError(
            f"{vertex}: column {FEATURE_INDEX!r} holds {places[at]} for {n_features} features"
        )
    data = as_numbers(values).astype(schema.dtype)
    return sp.csr_array((data, places, starts_of(counts)), shape=(len(counts), n_features))


def _categories(table: GraphTable, schema: Schema) -> dict[int, tuple]:
    columns = {OF_VERTEX + name: k for k, name in enumerate(schema.feature_names or ())}
    columns |= _unnamed_categories(table)
    labels = table.catalog.labels
    return {k: labels[column] for column, k in columns.items() if column in labels}


def _unnamed_categories(table: GraphTable) -> dict[str, int]:
    """The features without columns of their own that hold labels."""
    columns = {}
    for column in table.catalog.labels:
        if column.startswith(f"{FEATURES}:"):
            number = column.removeprefix(f"{FEATURES}:")
            is_number = number.isascii() and number.isdigit() and len(number) <= 10
            if not is_number or int(number) >= table.catalog.n_features or FEATURES not in table:
                raise ValueError(f"the metadata have categories of {column!r}, which is not there")
            columns[column] = int(number)
    return columns


def _vertex_names(table: GraphTable) -> list:
    is_json = VERTEX_NAME in table.footer.metadata.json_columns
    return names_from(table.vertex_items(VERTEX_NAME), JSON if is_json else PLAIN)


def _edge_features(table: GraphTable, names: tuple[str, ...]) -> np.ndarray:
    return np.column_stack([as_numbers(table.edge_items(OF_EDGE + name)) for name in names])


def _edge_types(table: GraphTable) -> np.ndarray:
    codes = table.codes(EDGE_TYPE, table.edge_items(EDGE_TYPE))
    if np.isnan(codes).any():
        graph = table.name_graph_of_edge(int(np.argmax(np.isnan(codes))))
        raise ValueError(f"{graph}: column {EDGE_TYPE!r} holds null; every edge needs a type")
    return codes.astype(np.int32)


def _graph_features(table: GraphTable, schema: Schema) -> GraphFeatures | None:
    names = names_of(schema.columns, OF_GRAPH)
    values, categories = np.zeros((table.footer.n_graphs, len(names))), {}
    for k, name in enumerate(names):
        column, items = OF_GRAPH + name, table.graph_items(OF_GRAPH + name)
        if column in schema.categorical:
            values[:, k], categories[k] = table.codes(column, items), table.catalog.labels[column]
        else:
            values[:, k] = as_numbers(items)
    return check_graph_features(values, names, categories)
