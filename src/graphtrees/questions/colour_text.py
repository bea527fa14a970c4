"""Colours in words: a vertex, and in brackets its neighbours."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from graphtrees.questions.features import FeatureTable

LONGEST = 120  # characters; what is longer is cut in the middle


def colour_text(table: FeatureTable, number: int) -> str:
    """What the vertices of a colour look like.

    C(C, 2 O) is a C with one C and two O as neighbours, by bonds of types C(double O, single C); in
    round 2 every neighbour has brackets of its own.
    """
    assert table.colours is not None
    r, place = table.colours.places[number].tolist()
    text = _root(table, r, place) + _around(table, r, place, {})
    return text if len(text) <= LONGEST else f"{_cut(text)} (colour {number})"


def _cut(text: str) -> str:
    return f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}"


Texts = dict[tuple[int, int], str]


def _describe(table: FeatureTable, r: int, place: int, texts: Texts) -> str:
    """The colour at one place of a round, cut where it is long.

    In full, a text would grow by a factor with every round.
    """
    if (r, place) not in texts:
        text = _root(table, r, place) + _around(table, r, place, texts)
        texts[r, place] = text if len(text) <= LONGEST else _cut(text)
    return texts[r, place]


def _around(table: FeatureTable, r: int, place: int, texts: Texts) -> str:
    """The neighbours in brackets, each as it looks in the round before."""
    colours = table.colours
    assert colours is not None
    if r == 0:
        return ""
    level = colours.levels[r]
    span = slice(level.ptr[place], level.ptr[place + 1])
    counted: Counter[tuple[str, str]] = Counter()
    for way, near in zip(level.way[span].tolist(), level.near[span].tolist(), strict=True):
        counted[colours.ways[way], _describe(table, r - 1, near, texts)] += 1
    listed = [
        f"{_way_text(way)}{f'{n} ' if n > 1 else ''}{text}"
        for (way, text), n in sorted(counted.items())
    ]
    return f"({', '.join(listed)})"


def _way_text(way: str) -> str:
    """A direction, an edge type, or both."""
    return f"{way.removeprefix('by ').replace(' by ', ' ', 1)} " if way else ""


def _root(table: FeatureTable, r: int, place: int) -> str:
    """What the vertex itself is."""
    colours = table.colours
    assert colours is not None
    for level in colours.levels[r:0:-1]:
        place = int(level.own[place])
    values = colours.levels[0].values
    is_flag = [bool(np.isin(column, [0.0, 1.0]).all()) for column in values.T]
    parts = [
        text
        for feature, value, flag in zip(colours.features, values[place], is_flag, strict=True)
        if (text := _value_text(table, feature, float(value), flag))
    ]
    text = ", ".join(parts) or "vertex"
    return f"[{text}]" if len(parts) > 1 else text


def _value_text(table: FeatureTable, feature: int, value: float, is_flag: bool) -> str:
    """Nothing for a number that is 0, the name alone for a 1 where all are 0 or 1."""
    name = table.name(feature)
    if np.isnan(value):
        return f"{name}=?"
    if feature in table.categories:
        labels = table.categories[feature]
        return str(labels[int(value)]) if 0 <= int(value) < len(labels) else f"{name}=?"
    if value == 0.0:
        return ""
    return name if is_flag else f"{name}={value:g}"
