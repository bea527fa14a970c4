"""The labels of all files together, so that each file is read with the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.labels import in_order, unite
from graphtrees.graphs.parquet.arrow import as_codes, as_integers, refuse_nulls, split_lists
from graphtrees.graphs.parquet.columns import (
    FEATURE_INDEX,
    FEATURES,
    OF_VERTEX,
    names_of,
    wanted_of,
)
from graphtrees.graphs.parquet.footers import Footer, Schema, faults_of, read_columns


@dataclass(frozen=True)
class Catalog:
    """What is common to all graphs of all files."""

    labels: dict[str, tuple]  # column -> labels, in order
    n_features: int


def make_catalog(footers: Sequence[Footer], schema: Schema) -> Catalog:
    """Unite what the files say; columns of labels that they do not list are read."""
    listed: dict[str, list[tuple]] = {column: [] for column in sorted(schema.categorical)}
    widths = []
    for footer in footers:
        own, width = _own_labels(footer, schema)
        for column, labels in own.items():
            listed.setdefault(column, []).append(labels)
        widths.append((footer, width))
    united = {column: unite(lists)[0] for column, lists in listed.items()}
    return Catalog(united, _n_features(widths, schema))


def _own_labels(footer: Footer, schema: Schema) -> tuple[dict[str, tuple], int | None]:
    """The labels of one file, and the number of its features; None: not known."""
    metadata = footer.metadata
    labels = {c: v for c, v in metadata.categories.items() if c in schema.categorical}
    labels |= {c: v for c, v in metadata.categories.items() if c.startswith(f"{FEATURES}:")}
    unknown = sorted(schema.categorical - set(metadata.categories))
    width = metadata.n_features
    wide = [c for c in (FEATURES, FEATURE_INDEX) if c in schema.columns and width is None]
    if not unknown and not wide:
        return labels, width
    columns = read_columns(footer, unknown + wide)
    with faults_of(footer.path):
        labels |= {column: _distinct(columns[column], column) for column in unknown}
        for column in wide:
            width = _width(columns[column], column)
    return labels, width


def _distinct(column: Any, name: str) -> tuple:
    wanted = wanted_of(name)
    if wanted is not None and wanted.depth:
        _, items = split_lists(column, name)
    else:
        items = column.combine_chunks()
    return in_order(as_codes(items)[1])


def _width(column: Any, name: str) -> int | None:
    """The number of features, by the lists of the vertices; None where there are no vertices."""
    _, vertices = split_lists(column, name)
    counts, items = split_lists(vertices, name, "vertex (of all)")
    if name == FEATURES:
        return int(counts[0]) if len(counts) else None
    refuse_nulls(items, name, "the number of a feature is wanted", "entry (of all)")
    last = int(as_integers(items).max(initial=-1))
    if last >= np.iinfo(np.int32).max:
        raise ValueError(f"column {FEATURE_INDEX!r}: {last} is no number of a feature")
    return last + 1


def _n_features(widths: Sequence[tuple[Footer, int | None]], schema: Schema) -> int:
    named = len(names_of(schema.columns, OF_VERTEX))
    if named:
        return named
    if FEATURE_INDEX in schema.columns:
        at_least = len(schema.feature_names or ())
        return max([at_least, *(width or 0 for _, width in widths)])
    if FEATURES not in schema.columns:
        return 0
    known = [(footer, width) for footer, width in widths if width is not None]
    for footer, width in known:
        if width != known[0][1]:
            raise ValueError(
                f"{footer.path}: column {FEATURES!r} has {width} numbers for each vertex; in "
                f"{known[0][0].path} it has {known[0][1]}"
            )
    return int(known[0][1] or 0) if known else 0
