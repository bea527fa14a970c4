"""The examples that have a label."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from graphtrees.cli.console import Console
from graphtrees.cli.data.columns import as_target
from graphtrees.cli.data.source import Data
from graphtrees.cli.errors import UserError
from graphtrees.graphs.labels import is_missing

FEWEST_CLASSES = 6  # below, classes are not warning_of_sign
# A quantity with something around it: 0,641 or 1.234,5 or < 5 or 12 % or 3 mg/l.
GONE_WRONG = re.compile(
    r"[<>~=≤≥±+-]*\s*[\d.,' ]*\d[\d.,' ]*(?:[eE][+-]?\d+)?\s*[%€$£µ°]?[a-zA-Zµ/]{0,5}"
)


def labelled(data: Data, console: Console) -> Data:
    """The examples that have a label; graphs stay whole around them."""
    y = np.asarray(data.y)
    known = np.array([not is_missing(value) for value in y.tolist()], dtype=bool)
    if not known.any():
        raise UserError(f"{data.name}: there are no labels to learn from")
    if not known.all():
        console.note(f"{(~known).sum():,} of {len(data):,} examples have no label: left out")
    if data.unreadable is not None:
        known &= ~data.unreadable
    chosen = data
    if not known.all():
        splits = [_renumbered(split, known) for split in data.splits]
        chosen = replace(data.take(np.flatnonzero(known)), splits=splits)
    labels = np.asarray(chosen.y)
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    return replace(chosen, y=as_target(labels))


def check_classes(y: np.ndarray, target: str) -> None:
    """Stop where labels are numbers gone wrong, or nearly every example has a class of its own."""
    if y.dtype.kind not in "OU":
        return
    texts = [str(label) for label in y.tolist()]
    distinct = set(texts)
    if len(distinct) < FEWEST_CLASSES:
        return
    insist = "--task classify insists on classes"
    like_numbers = [text for text in distinct if GONE_WRONG.fullmatch(text)]
    if len(like_numbers) >= 0.9 * len(distinct):
        hint = " (--decimal , reads decimal commas)" if "," in like_numbers[0] else ""
        raise UserError(
            f"{target} looks like numbers, but {like_numbers[0]!r} is none{hint}: write them as "
            f"0.5 or 12; {insist}"
        )
    if 2 * len(distinct) > len(texts):
        raise UserError(
            f"{target} has {len(distinct):,} classes among {len(texts):,} examples, such as "
            f"{texts[0]!r}: it looks like a name and not like a label; {insist}"
        )


def _renumbered(split: dict[str, np.ndarray], known: np.ndarray) -> dict[str, np.ndarray]:
    place = np.cumsum(known) - 1
    return {part: place[rows[known[rows]]] for part, rows in split.items()}
