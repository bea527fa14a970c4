"""The examples that have a label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphtrees.cli.console import Console
from graphtrees.cli.data.source import Data
from graphtrees.cli.errors import UserError
from graphtrees.graphs.labels import is_missing


def labelled(data: Data, console: Console) -> Data:
    """The examples that have a label; graphs stay whole around them."""
    y = np.asarray(data.y)
    known = np.array([not is_missing(value) for value in y.tolist()], dtype=bool)
    if not known.any():
        raise UserError(f"{data.name}: there are no labels to learn from")
    chosen = data
    if not known.all():
        console.note(f"{(~known).sum():,} of {len(data):,} examples have no label: left out")
        splits = [_renumbered(split, known) for split in data.splits]
        chosen = replace(data.take(np.flatnonzero(known)), splits=splits)
    labels = np.asarray(chosen.y)
    if labels.dtype.kind == "O":
        labels = np.array(labels.tolist())
    elif labels.dtype.kind == "f" and (labels == np.trunc(labels)).all():
        labels = labels.astype(np.int64)
    return replace(chosen, y=labels)


def _renumbered(split: dict[str, np.ndarray], known: np.ndarray) -> dict[str, np.ndarray]:
    place = np.cumsum(known) - 1
    return {part: place[rows[known[rows]]] for part, rows in split.items()}
