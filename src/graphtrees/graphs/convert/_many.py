"""Arguments that are one object or many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from graphtrees.graphs.frames import column_names, column_values, is_frame
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.where import kind_of


def one_or_many(things: Any, kinds: type | tuple[type, ...], wanted: str) -> tuple[list, bool]:
    """A list of the things, and whether it was a single one.

    Many may come as any iterable: a list, an array, a Series, a generator, a data loader, or a
    table with one column. `wanted` starts the message for what is neither: "from_x reads y".
    """
    if isinstance(things, kinds):
        return [things], True
    if is_frame(things):
        columns = column_names(things)
        if len(columns) != 1:
            raise TypeError(
                f"{wanted}; got {kind_of(things)} with {len(columns)} columns: give one of them, "
                "such as df['name']"
            )
        return column_values(things, 0), False
    if isinstance(things, np.ndarray) and things.ndim == 2 and things.shape[1] == 1:
        return list(things[:, 0]), False
    alone = isinstance(things, (str, bytes, Mapping)) or getattr(things, "ndim", 1) == 0
    if alone or not isinstance(things, Iterable):
        raise TypeError(f"{wanted}; got {kind_of(things)}")
    return list(things), False


def objects_of(things: Any, kind: type, wanted: str) -> tuple[list, bool]:
    """`one_or_many` objects of one class."""
    items, single = one_or_many(things, kind, wanted)
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(f"{wanted}; got {kind_of(item)}")
    return items, single


def convert_each(things: Iterable[Any], convert: Callable[[Any], Graph]) -> list[Graph]:
    """Convert each thing; errors name the number of the graph."""
    graphs = []
    for number, thing in enumerate(things):
        try:
            graphs.append(convert(thing))
        except (TypeError, ValueError) as error:
            raise type(error)(f"graph {number}: {error}") from error
    return graphs
