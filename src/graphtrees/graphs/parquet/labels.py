"""Labels and weights of graphs: plain columns beside those of the graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtrees.graphs.labels import as_labels, object_array
from graphtrees.graphs.parquet.arrow import (
    as_numbers,
    list_array,
    pyarrow,
    refuse_nulls,
    split_lists,
    without_dictionary,
)
from graphtrees.graphs.parquet.columns import (
    BOOLEAN,
    DATE,
    FLOAT32,
    INTEGER,
    NULL,
    NUMBER,
    OTHER,
    TEXT,
    kind_of_type,
)
from graphtrees.graphs.parquet.metadata import LABEL_DTYPES
from graphtrees.graphs.validation import numbers

WIDEST = 1 << 28  # characters of a NumPy array of strings, padding included


def label_array(y: Any, n_graphs: int) -> tuple[Any, str | None]:
    """Labels as an Arrow array, several of one graph as a list; and their dtype, if it is lost."""
    array = np.asarray(as_labels(y))
    if array.ndim not in (1, 2) or len(array) != n_graphs:
        raise ValueError(f"y must have a label, or a row, for each of the {n_graphs} graphs; "
                         f"got shape {array.shape}")  # fmt: skip
    items = _items(array.ravel())
    if array.ndim == 2:
        items = list_array(np.arange(n_graphs + 1) * array.shape[1], items)
    dtype = "str" if array.dtype.kind == "U" else str(array.dtype)
    return items, dtype if dtype in LABEL_DTYPES else None


def _items(array: np.ndarray) -> Any:
    pa = pyarrow()
    try:
        if array.dtype.kind in "UO":
            items = pa.array(array.tolist(), from_pandas=True)
        else:
            items = pa.array(array.astype(np.float32) if array.dtype == np.float16 else array)
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise TypeError(
            f"y must be numbers, booleans, text or dates, all of one kind: {error}"
        ) from None
    kind = kind_of_type(items.type)
    if kind.depth or kind.holds == OTHER:
        raise TypeError(f"y must be numbers, booleans, text or dates; got {kind.text}")
    return items.cast(pa.float64()) if kind.holds == NULL else items


def weight_array(weights: Any, n_graphs: int) -> Any:
    """Weights of graphs as an Arrow array."""
    array = numbers.as_numbers(weights, "sample_weight")
    if array.shape != (n_graphs,):
        raise ValueError(f"sample_weight must have a number for each of the {n_graphs} graphs; "
                         f"got shape {array.shape}")  # fmt: skip
    numbers.check_range(array, "graph {}: its weight".format, missing_ok=False)
    return pyarrow().array(array.astype(np.float64))


def labels_from(column: Any, name: str) -> np.ndarray:
    """A column of labels; lists of one length become the rows of a matrix."""
    kind = kind_of_type(column.type)
    if kind.depth > 1 or kind.holds == OTHER:
        raise ValueError(f"column {name!r} must hold numbers, booleans, text or dates; "
                         f"got {kind.text}")  # fmt: skip
    if not kind.depth:
        return _flat_labels(column.combine_chunks(), kind.holds)
    counts, items = split_lists(column, name)
    if len(counts) and (counts != counts[0]).any():
        row = int(np.argmax(counts != counts[0]))
        raise ValueError(f"graph {row}: column {name!r} has {counts[row]} labels; "
                         f"the graphs before have {counts[0]}")  # fmt: skip
    width = int(counts[0]) if len(counts) else 0
    return _flat_labels(items, kind.holds).reshape(len(counts), width)


def _flat_labels(array: Any, holds: str) -> np.ndarray:
    array = without_dictionary(array)
    if holds == TEXT or (holds == BOOLEAN and array.null_count):
        return object_array(array.to_pylist())
    if holds in (INTEGER, FLOAT32, BOOLEAN, DATE):
        return array.to_numpy(zero_copy_only=False)
    return as_numbers(array)


def weights_from(column: Any, name: str) -> np.ndarray:
    """A column of weights, of which none is missing."""
    kind = kind_of_type(column.type)
    if kind.depth or kind.holds not in (INTEGER, FLOAT32, NUMBER, BOOLEAN):
        raise ValueError(f"column {name!r} must hold numbers; got {kind.text}")
    array = column.combine_chunks()
    refuse_nulls(array, name, "every graph needs a weight")
    weights = as_numbers(array).astype(np.float64)
    numbers.check_range(weights, lambda row: f"graph {row}: column {name!r}", missing_ok=False)
    return weights


def join_labels(parts: Sequence[np.ndarray], dtypes: set[str | None]) -> np.ndarray:
    """The labels of several files, of the dtype that all of them name, if any."""
    # A file without graphs has no say: its column may be of no type.
    known = [part for part in parts if len(part)] or list(parts[:1])
    labels = np.concatenate(known)
    if dtypes == {"datetime64[s]"} and labels.dtype.kind == "M":
        return labels.astype("datetime64[s]")
    if dtypes == {"str"} and labels.dtype == object and labels.size:
        texts = labels.ravel().tolist()
        are_texts = all(type(text) is str for text in texts)
        # Strings of fixed width are as long as the longest.
        if are_texts and max(map(len, texts)) * len(texts) <= WIDEST:
            return labels.astype(str)
    return labels
