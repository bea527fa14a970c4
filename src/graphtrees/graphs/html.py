"""The HTML that a notebook shows for graphs; everything from the data is escaped."""

from __future__ import annotations

from html import escape

import numpy as np

from graphtrees.graphs.flat import FlatGraphs

SHOWN_NAMES = 12


def summary(title: str, flat: FlatGraphs) -> str:
    """A small table: sizes, features, what edges carry."""
    sizes = np.diff(flat.vertex_ptr)
    facts = [("vertices", _count(sizes)), ("edges", _count(np.diff(flat.edge_ptr)))]
    facts.append(("directed", "yes" if flat.directed else "no"))
    facts.append(("features", _names(flat)))
    if flat.edge_weights is not None:
        facts.append(("edge weights", "yes"))
    if flat.edge_type_names:
        facts.append(("edge types", _listed(flat.edge_type_names)))
    if flat.edge_feature_names:
        facts.append(("edge features", _listed(flat.edge_feature_names)))
    if flat.graph_feature_names:
        facts.append(("graph features", _listed(flat.graph_feature_names)))
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in facts
    )
    return f"<div><strong>{escape(title)}</strong><table>{rows}</table></div>"


def _count(sizes: np.ndarray) -> str:
    if len(sizes) == 1:
        return f"{sizes[0]:,}"
    if not len(sizes):
        return "0"
    return f"{sizes.sum():,} ({sizes.min():,} to {sizes.max():,}, {sizes.mean():.1f} on average)"


def _names(flat: FlatGraphs) -> str:
    if flat.feature_names is None or not flat.n_features:
        return f"{flat.n_features}"
    return f"{flat.n_features}: {_listed(flat.feature_names)}"


def _listed(names: tuple) -> str:
    shown = ", ".join(str(name) for name in names[:SHOWN_NAMES])
    return shown + (", …" if len(names) > SHOWN_NAMES else "")
