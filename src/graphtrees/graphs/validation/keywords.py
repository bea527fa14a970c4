"""Unknown keyword arguments are refused with the right name, also for those of other libraries."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_WEIGHT, _TYPE = ("weight", "edge_weights"), ("edge_type", "edge_types")
# Name in other libraries -> candidates here; the one that the function has is suggested.
SYNONYMS = {
    "edge_weight": _WEIGHT, "edge_weights": _WEIGHT, "weight": _WEIGHT, "weights": _WEIGHT,
    "edge_type": _TYPE, "edge_types": _TYPE, "relation": _TYPE, "relations": _TYPE,
    "edge_attr": ("edge_features",), "edge_attrs": ("edge_features",),
    "edge_attributes": ("edge_features",),
    "x": ("features",), "X": ("features",), "node_features": ("features",),
    "vertex_features": ("features",), "node_attrs": ("features",),
    "group_node_attrs": ("features",),
    "edge_index": ("edges",), "edge_list": ("edges",),
    "vertices": ("vertices_df",), "nodes": ("vertices_df",), "edges": ("edges_df",),
    "graphs": ("graphs_df",),
    "node_id": ("vertex_id",), "id": ("vertex_id",), "src": ("source",), "dst": ("target",),
    "node_names": ("vertex_names",), "names": ("vertex_names",),
    "n_nodes": ("n_vertices",), "num_nodes": ("n_vertices",),
}  # fmt: skip
CLOSE = 0.75  # least similarity of names to suggest one as a typo


def suggests_keywords(function: Function) -> Function:
    """Make a function refuse unknown keywords with a suggestion."""
    known = [name for name in inspect.signature(function).parameters if name != "self"]
    called = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def wrapper(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise TypeError(
                    f"{called}() got an unexpected keyword argument {name!r}{_advice(name, known)}"
                )
        return function(*args, **given)

    return wrapper  # type: ignore[return-value]


def _advice(name: str, known: list[str]) -> str:
    synonyms = [here for here in SYNONYMS.get(name, ()) if here in known]
    if synonyms:
        return f"; here: {synonyms[0]}"
    close = difflib.get_close_matches(name, known, n=1, cutoff=CLOSE)
    return f"; did you mean {close[0]!r}?" if close else f"; it has: {', '.join(known)}"
