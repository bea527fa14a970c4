"""The columns of a Parquet file of graphs, and what each may hold.

n_vertices   source     target     vertex:size      edge_type            y
3            [0, 1]     [1, 2]     [5.0, 1.5, 2]    ["near", "far"]      1
1            []         []         [0.5]            []                   0
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from graphtrees._optional import require
from graphtrees.graphs.dates import advice_on_dates

N_VERTICES, VERTEX_NAME = "n_vertices", "vertex_name"
FEATURES = "features"  # without names, a list for each vertex
FEATURE_INDEX, FEATURE_VALUE = "feature_index", "feature_value"  # sparse, a list for each vertex
SOURCE, TARGET, WEIGHT, EDGE_TYPE = "source", "target", "weight", "edge_type"
OF_VERTEX, OF_EDGE, OF_GRAPH = "vertex:", "edge:", "graph:"  # before the name of a feature
LABEL, SAMPLE_WEIGHT = "y", "sample_weight"

INTEGER, FLOAT32, NUMBER, BOOLEAN, TEXT, NULL, DATE, OTHER = (
    "integer", "float32", "number", "boolean", "text", "null", "date", "other",
)  # fmt: skip
NUMBERS = frozenset({INTEGER, FLOAT32, NUMBER, BOOLEAN, NULL})
LABELS = frozenset({TEXT, INTEGER, BOOLEAN, NULL})
INTEGERS = frozenset({INTEGER, NULL})


@dataclass(frozen=True)
class Kind:
    """What a column holds: items of one kind, in lists that are nested `depth` deep."""

    depth: int
    holds: str
    text: str = field(compare=False)  # the type as Arrow calls it, for messages


@dataclass(frozen=True)
class Wanted:
    """What a column must hold."""

    depth: int
    holds: frozenset[str]
    text: str


_WANTED = {
    N_VERTICES: Wanted(0, INTEGERS, "integers"),
    VERTEX_NAME: Wanted(1, NUMBERS | {TEXT, DATE}, "lists of names"),
    FEATURES: Wanted(2, NUMBERS, "a list of lists of numbers"),
    FEATURE_INDEX: Wanted(2, INTEGERS, "a list of lists of integers"),
    FEATURE_VALUE: Wanted(2, NUMBERS, "a list of lists of numbers"),
    SOURCE: Wanted(1, INTEGERS, "lists of integers, the numbers of vertices"),
    TARGET: Wanted(1, INTEGERS, "lists of integers, the numbers of vertices"),
    WEIGHT: Wanted(1, NUMBERS, "lists of numbers, the weights of edges"),
    EDGE_TYPE: Wanted(1, LABELS, "lists of text or integers, the types of edges"),
}
_WANTED_OF = {
    OF_VERTEX: Wanted(1, NUMBERS | {TEXT}, "lists of numbers or text"),
    OF_EDGE: Wanted(1, NUMBERS, "lists of numbers"),
    OF_GRAPH: Wanted(0, NUMBERS | {TEXT}, "numbers or text"),
}


def wanted_of(column: str) -> Wanted | None:
    """What a column must hold; None for columns that are no part of the graphs."""
    prefixes = [prefix for prefix in _WANTED_OF if column.startswith(prefix)]
    return _WANTED_OF[prefixes[0]] if prefixes else _WANTED.get(column)


def names_of(columns: Iterable[str], prefix: str) -> tuple[str, ...]:
    """The names of the features whose columns have this prefix."""
    return tuple(name.removeprefix(prefix) for name in columns if name.startswith(prefix))


def check_kind(column: str, kind: Kind) -> None:
    """Refuse a column of the graphs that holds something else than it must."""
    wanted = wanted_of(column)
    if wanted is None or (kind.depth == wanted.depth and kind.holds in wanted.holds):
        return
    inner = kind.text.split("element: ")[-1].split("item: ")[-1].rstrip(">")
    advice = advice_on_dates("pyarrow", inner)
    raise ValueError(
        f"column {column!r} must hold {wanted.text}; got {kind.text}{'; ' * bool(advice)}{advice}"
    )


def kind_of_type(dtype: Any) -> Kind:
    """The kind of an Arrow type."""
    types = require("pyarrow", extra="arrow", purpose="Parquet").types
    text, depth = str(dtype), 0
    while types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype):
        dtype, depth = dtype.value_type, depth + 1
    if types.is_dictionary(dtype):
        dtype = dtype.value_type
    for holds, names in _ARROW_TYPES.items():
        if any(getattr(types, f"is_{name}", _never)(dtype) for name in names):
            return Kind(depth, holds, text)
    return Kind(depth, OTHER, text)


# Kind -> functions of pyarrow.types that recognise it; some are new.
_ARROW_TYPES = {
    INTEGER: ("integer",),
    FLOAT32: ("float32",),
    NUMBER: ("floating", "decimal"),
    BOOLEAN: ("boolean",),
    TEXT: ("string", "large_string", "string_view"),
    NULL: ("null",),
    DATE: ("date", "timestamp"),
}


def _never(dtype: Any) -> bool:
    return False
