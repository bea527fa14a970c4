"""One thing or a list of things, and which of a list was at fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from graphtrees.graphs.graph import Graph


def each_named(things: Iterable[Any], convert: Callable[[Any], Graph]) -> list[Graph]:
    """Convert each thing; an error says the number of the graph it is about."""
    graphs = []
    for number, thing in enumerate(things):
        try:
            graphs.append(convert(thing))
        except (TypeError, ValueError) as error:
            raise type(error)(f"graph {number}: {error}") from error
    return graphs
