"""Docstrings of the estimators: what they share is written once, in `meanings.py`."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from graphtrees.estimators.meanings import ARGUMENTS, ATTRIBUTES, MEANINGS, MORE

Kind = TypeVar("Kind", bound=type)
Method = TypeVar("Method", bound=Callable[..., Any])

OF_ALL = (
    "n_features_in_", "feature_names_in_", "feature_importances_", "constant_importance_",
    "colour_importance_",
)  # fmt: skip


def fill_parameters(*attributes: str) -> Callable[[Kind], Kind]:
    """Replace "{parameters}" and "{attributes}" in the docstring of an estimator.

    Types come from its constraints, defaults from its signature. `attributes` are those that not
    every estimator has.
    """

    def fill(kind: Kind) -> Kind:
        text = inspect.cleandoc(kind.__doc__ or "")  # empty when Python runs with -OO
        text = text.replace("{parameters}", _parameters(kind))
        listed = [_entry(name, *ATTRIBUTES[name]) for name in (*attributes, *OF_ALL)]
        kind.__doc__ = text.replace("{attributes}", "\n".join(listed))
        return kind

    return fill


def _parameters(kind: Any) -> str:
    entries = []
    for name, parameter in inspect.signature(kind.__init__).parameters.items():
        if name != "self":
            types = f"{kind._constraints[name].type}, default={parameter.default!r}"
            entries.append(_entry(name, types, meaning(name)))
    return "\n".join(entries)


def meaning(name: str) -> str:
    """What a parameter means, as a docstring says it.

    >>> meaning("max_features")[:60]
    'How many questions each node of a forest may ask. Questions '
    """
    short = MEANINGS.get(name, "")  # tests find what has no words; imports go on
    first = f"{short[:1].upper()}{short[1:]}." if short else ""
    return f"{first} {MORE.get(name, '')}".strip()


def _entry(name: str, types: str, text: str) -> str:
    indent = "    "
    body = textwrap.fill(text, 96, initial_indent=indent, subsequent_indent=indent,
                         break_on_hyphens=False)  # fmt: skip
    return f"{name} : {types}\n{body}"


def describe_arguments(method: Method) -> Method:
    """Put a section "Parameters" for arguments that methods share below a docstring's summary."""
    text = inspect.cleandoc(method.__doc__ or "")
    head, _, rest = text.partition("\n\nReturns\n")
    names = [name for name in inspect.signature(method).parameters if name != "self"]
    section = "\n".join(_entry(name, *ARGUMENTS[name]) for name in names)
    parts = [head, f"Parameters\n----------\n{section}"] + [f"Returns\n{rest}"] * bool(rest)
    method.__doc__ = "\n\n".join(parts)
    return method
