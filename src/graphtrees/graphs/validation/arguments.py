"""Check small arguments: paths, names, lists of names, choices, flags."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.graphs.frames import is_frame
from graphtrees.graphs.validation.where import kind_of


def as_path(path: Any, what: str = "path") -> Path:
    """A path, given as text or as a path."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a path, as text or as a Path; got {kind_of(path)}")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(f"{what} holds letters that no path can have: {path!a}") from None
    if "\0" in os.fsdecode(path):
        raise ValueError(f"{what} holds a zero byte: {path!a}")
    return Path(os.fsdecode(path))


def as_name(name: Any, what: str) -> Any:
    """The name of a column or an attribute, or None."""
    if name is None or isinstance(name, (str, int)):
        return name
    raise TypeError(f"{what} must be a name, such as a string, or None; got {kind_of(name)}")


def as_names(names: Any, what: str, of: str = "names") -> list | None:
    """Several names, or None; one alone is pointed out."""
    if names is None:
        return None
    if isinstance(names, str):
        raise TypeError(
            f"{what} must be a list of {of}; got the string {names!r}. Use [{names!r}]."
        )
    listed = as_list(names, what, f"a list of {of}")
    for name in listed:
        if not isinstance(name, (str, int)):
            raise TypeError(f"{what} must hold names, such as strings; got {kind_of(name)}")
    return listed


def as_list(items: Any, what: str, wanted: str) -> list:
    """The items of any iterable, but for tables and mappings: these would give their names."""
    is_many = isinstance(items, Iterable) and getattr(items, "ndim", 1) != 0
    is_named = isinstance(items, Mapping) or is_frame(items)
    if not is_many or is_named or sparse.issparse(items):
        raise TypeError(f"{what} must be {wanted}; got {kind_of(items)}")
    return list(items)


def as_word(word: Any, what: str, known: Sequence[str]) -> str:
    """One of the known strings."""
    if not isinstance(word, str) or word not in known:
        came = repr(word) if isinstance(word, str) else kind_of(word)
        raise ValueError(f"{what} must be one of {', '.join(known)}; got {came}")
    return word


def as_count(value: Any, what: str, least: int = 1, most: int | None = None) -> int:
    """An integer between `least` and `most`."""
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer or value < least:
        raise ValueError(f"{what} must be an integer of at least {least}; got {value!r}")
    if most is not None and value > most:
        raise ValueError(f"{what} must be at most {most}; got {value!r}")
    return int(value)


def as_generator(random_state: Any) -> Any:
    """The generator of random numbers that scikit-learn makes of `random_state`."""
    from sklearn.utils import check_random_state

    try:
        return check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be None, an integer from 0 to 4294967295, or a RandomState; got "
            f"{random_state!r}"
        ) from None


def as_depth(value: Any) -> int | None:
    """`max_depth` of a tree that is shown; None is no limit."""
    if value is not None and (not isinstance(value, (int, np.integer)) or value < 0):
        raise ValueError(f"max_depth must be None or an integer of at least 0; got {value!r}")
    return None if value is None else int(value)


def as_flag(flag: Any, what: str) -> bool:
    if not isinstance(flag, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False; got {flag!r:.200}")
    return bool(flag)
