"""What applies to all graphs of a file: JSON in the metadata of its footer, all of it optional."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.stored_labels import read_label, write_label

KEY = b"graphtrees"
VERSION = 1
LABEL_DTYPES = ("str", "datetime64[s]")  # strings of fixed width, and a unit that Parquet lacks
MOST_BYTES = 1 << 26  # readers of Parquet refuse footers of more than some hundred megabytes


@dataclass(frozen=True)
class Metadata:
    """What a file says of its graphs beside its columns; None: it does not say."""

    directed: bool | None = None
    dtype: str | None = None  # of vertex features, for files in which no column holds numbers
    n_features: int | None = None  # of features that have no columns of their own
    feature_names: tuple[str, ...] | None = None
    # column -> its labels; "features:3" for a feature without a column of its own
    categories: dict[str, tuple] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()  # columns that hold the numbers of labels
    json_columns: frozenset[str] = frozenset()  # columns whose items are JSON
    # column of labels -> its NumPy dtype, where the type of the column does not tell
    label_dtypes: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """The text for the footer; what is not said is left out."""
        content: dict[str, Any] = {"version": VERSION, "directed": self.directed}
        content |= {"dtype": self.dtype, "n_features": self.n_features}
        content["feature_names"] = self.feature_names
        content["categories"] = {
            column: [write_label(label) for label in labels]
            for column, labels in self.categories.items()
        }
        content |= {"codes": sorted(self.codes), "json_columns": sorted(self.json_columns)}
        content["label_dtypes"] = self.label_dtypes
        members = {name: value for name, value in content.items() if value not in (None, [], {})}
        return json.dumps(members).encode()


@lru_cache(maxsize=4)  # the files of one folder say the same, and then share it
def read_metadata(stored: bytes | None) -> Metadata:
    """The inverse of `to_json`, with every member checked; members of other names are ignored."""
    if stored is None:
        return Metadata()
    try:
        content = json.loads(stored)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the metadata 'graphtrees' are no JSON: {error}") from None
    _want(isinstance(content, dict), "be an object")
    version = content.get("version", VERSION)
    _want(type(version) is int and version >= 1, "have a version of at least 1")
    if version > VERSION:
        raise ValueError(f"was written by a newer version of graphtrees (format {version})")
    given = {name: read(content[name], name) for name, read in _READERS.items() if name in content}
    return Metadata(**given)


def _want(is_met: bool, wanted: str) -> None:
    if not is_met:
        raise ValueError(f"the metadata 'graphtrees' must {wanted}")


def _flag(value: Any, name: str) -> bool:
    _want(type(value) is bool, f"have true or false as {name!r}")
    return value


def _dtype(value: Any, name: str) -> str:
    _want(value == "float32" or value == "float64", f"have 'float32' or 'float64' as {name!r}")
    return value


def _count(value: Any, name: str) -> int:
    _want(type(value) is int and 0 <= value < 2**31, f"have a count as {name!r}")
    return value


def _names(value: Any, name: str) -> tuple[str, ...]:
    texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    _want(texts, f"have a list of texts as {name!r}")
    return tuple(value)


def _feature_names(value: Any, name: str) -> tuple[str, ...]:
    names = _names(value, name)
    _want(len(set(names)) == len(names), f"have each of the {name!r} once")
    return names


def _set(value: Any, name: str) -> frozenset[str]:
    return frozenset(_names(value, name))


def _label_dtypes(value: Any, name: str) -> dict[str, str]:
    known = isinstance(value, dict) and all(one in LABEL_DTYPES for one in value.values())
    _want(known, f"have {' or '.join(LABEL_DTYPES)} as {name!r}")
    return value


def _categories(value: Any, name: str) -> dict[str, tuple]:
    lists = isinstance(value, dict) and all(isinstance(one, list) for one in value.values())
    _want(lists, f"have lists of labels as {name!r}")
    return {column: _labels(stored, column) for column, stored in value.items()}


def _labels(stored: list, column: str) -> tuple:
    try:
        labels = tuple(read_label(one) for one in stored)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"the categories of {column!r} in the metadata: {error}") from None
    _want(not any(map(is_missing, labels)), f"have no missing label for {column!r}")
    _want(len(set(labels)) == len(labels), f"have each label of {column!r} once")
    return labels


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "directed": _flag,
    "dtype": _dtype,
    "n_features": _count,
    "feature_names": _feature_names,
    "categories": _categories,
    "codes": _set,
    "json_columns": _set,
    "label_dtypes": _label_dtypes,
}
