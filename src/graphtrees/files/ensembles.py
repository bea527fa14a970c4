"""Ensembles of models in one file: each member is a model file of its own inside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from graphtrees._layout import MOST_CLASSES, MOST_COLUMNS
from graphtrees.files.layout import ENSEMBLE, MOST_ITEMS, VERSION
from graphtrees.files.text import Text
from graphtrees.files.want import want, want_members

MOST_MEMBERS = 1000
SMALL = ("format", "version", "estimator", "best_recipe", "best_score")
PARTS = {
    **dict.fromkeys(SMALL, 1), "parameters": MOST_ITEMS, "leaderboard": MOST_ITEMS,
    "reading": MOST_ITEMS, "attributes": MOST_ITEMS + MOST_CLASSES + MOST_COLUMNS,
}  # fmt: skip
ReadModel = Callable[[Text], dict[str, Any]]


def ensemble_text(parts: dict[str, Any], members: list[tuple[str, float, bytes]]) -> bytes:
    """The file of an ensemble, of its parts and the files of its members."""
    head = json.dumps({"format": ENSEMBLE, "version": VERSION} | parts, indent=1).encode()
    listed = b",\n".join(
        b'{"name": %s, "weight": %s, "model": %s}'
        % (json.dumps(name).encode(), json.dumps(weight).encode(), text)
        for name, weight, text in members
    )
    return head[:-2] + b',\n "members": [\n%s\n ]\n}\n' % listed


def read_ensemble(text: Text, read_model: ReadModel) -> dict[str, Any]:
    """The parts of an ensemble; of its members the name, the weight and the parts."""
    content: dict[str, Any] = {}
    for name in text.members():
        if name == "members":
            content[name] = [_read_member(text, read_model) for _ in _few(text)]
        else:
            want(name in PARTS, f"unknown part {name[:40]!r}")
            content[name] = text.value(PARTS[name])
    text.end()
    given = {name: part for name, part in content.items() if name != "reading"}
    want_members(given, {*PARTS, "members"} - {"reading"}, "an ensemble")
    return content


def _few(text: Text) -> Iterator[int]:
    for number in text.items():
        want(number < MOST_MEMBERS, f"more than {MOST_MEMBERS} members")
        yield number


def _read_member(text: Text, read_model: ReadModel) -> tuple[str, float, Any]:
    parts: dict[str, Any] = {}
    for name in text.members():
        want(name in ("name", "weight", "model"), f"unknown part {name[:40]!r} of a member")
        parts[name] = read_model(text) if name == "model" else text.value(1)
    want_members(parts, {"name", "weight", "model"}, "a member")
    weight = parts["weight"]
    want(type(parts["name"]) is str, "the name of a member is a string")
    want(type(weight) in (int, float) and 0 < weight <= 1, "the weight of a member is no share")
    return parts["name"], float(weight), parts["model"]
