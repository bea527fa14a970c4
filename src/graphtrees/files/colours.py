"""Colours in a model file: how each is made up; their numbers are made again from that."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphtrees._layout import MOST_COLUMNS, MOST_ROUNDS
from graphtrees.files.want import want, want_members
from graphtrees.graphs.flat import starts_of
from graphtrees.questions.colours import ColourTable, Level, colours_of_level

MOST_NEIGHBOURS = 2**24  # of a colour


def write_colours(colours: ColourTable) -> dict[str, Any]:
    """Lists of whole numbers, round by round; round 0 has values."""
    return {
        "features": list(colours.features),
        "by_type": colours.by_type,
        "ways": list(colours.ways),
        "values": [
            [None if math.isnan(value) else value for value in row]
            for row in colours.levels[0].values.tolist()
        ],
        "rounds": [
            {
                "is_feature": level.is_feature.astype(int).tolist(),
                "own": level.own.tolist(),
                "n_neighbours": np.diff(level.ptr).tolist(),
                "way": level.way.tolist(),
                "near": level.near.tolist(),
            }
            for level in colours.levels[1:]
        ],
    }


def read_colours(stored: Any, n_features: int) -> ColourTable:
    """The same back; every number is checked before it is used."""
    want_members(stored, {"features", "by_type", "ways", "values", "rounds"}, "colours")
    features = _numbers(stored["features"], n_features, "the features of colours")
    want(len(set(features.tolist())) == len(features), "a feature of colours is there twice")
    want(type(stored["by_type"]) is bool, "by_type is true or false")
    ways = stored["ways"]
    named = isinstance(ways, list) and all(type(way) is str for way in ways)
    want(named and len(set(ways)) == len(ways), "ways are different names")
    levels = [_first_level(stored["values"], len(features))]
    want(isinstance(stored["rounds"], list), "rounds is no list")
    want(1 <= len(stored["rounds"]) <= MOST_ROUNDS, f"there are 1 to {MOST_ROUNDS} rounds")
    for part in stored["rounds"]:
        levels.append(_read_level(part, levels[-1], tuple(ways)))
    table = ColourTable(tuple(features.tolist()), stored["by_type"], tuple(ways), tuple(levels))
    want(len(table) <= MOST_COLUMNS, "too many colours")
    return table


def _first_level(stored: Any, width: int) -> Level:
    want(isinstance(stored, list), "values is no list")
    for row in stored:
        want(isinstance(row, list) and len(row) == width, "values are one per feature")
        want(all(v is None or type(v) in (int, float) for v in row), "a value is no number")
    rows = [[math.nan if v is None else float(v) for v in row] for row in stored]
    values = np.array(rows, np.float64).reshape(len(rows), width)
    want(not np.isinf(values).any(), "a value is infinite")
    none = np.zeros(0, np.int64)
    level = Level(
        none.astype(np.uint64), np.zeros(len(rows), bool), none, starts_of(none), none, none, values
    )
    return _with_numbers(level, None, ())


def _read_level(part: Any, before: Level, ways: tuple[str, ...]) -> Level:
    want_members(part, {"is_feature", "own", "n_neighbours", "way", "near"}, "a round of colours")
    is_feature = _numbers(part["is_feature"], 2, "is_feature").astype(bool)
    n = len(is_feature)
    own = _numbers(part["own"], len(before.numbers), "own")
    counts = _numbers(part["n_neighbours"], MOST_NEIGHBOURS, "n_neighbours")
    way = _numbers(part["way"], len(ways), "way")
    near = _numbers(part["near"], len(before.numbers), "near")
    want(len(own) == n and len(counts) == n, "a round of colours has lists of other lengths")
    want(len(way) == len(near) == int(counts.sum()), "neighbours of colours do not add up")
    level = Level(
        np.zeros(0, np.uint64), is_feature, own, starts_of(counts), way, near,
        np.empty((n, 0)),
    )  # fmt: skip
    return _with_numbers(level, before, ways)


def _with_numbers(level: Level, before: Level | None, ways: tuple[str, ...]) -> Level:
    numbers = colours_of_level(level, before, ways)
    want(len(np.unique(numbers)) == len(numbers), "a colour is there twice")
    return Level(
        numbers, level.is_feature, level.own, level.ptr, level.way, level.near, level.values
    )


def _numbers(stored: Any, below: int, name: str) -> np.ndarray:
    want(isinstance(stored, list), f"{name} is no list")
    want(all(type(v) is int and 0 <= v < below for v in stored), f"{name} holds a wrong number")
    return np.array(stored, np.int64)
