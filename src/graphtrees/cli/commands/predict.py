"""`graphtrees predict`: apply a model, a piece of the data at a time."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphtrees.cli.console import Console
from graphtrees.cli.data import Data, add_reading_options, find_source, reading_of
from graphtrees.cli.errors import UserError
from graphtrees.cli.output import as_text, check_place, writing

PIECE = 1000


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that `train` wrote")
    parser.add_argument("data", metavar="DATA", help="what to predict for; see below")
    parser.add_argument("-o", "--output", metavar="FILE", help="the .csv to write (default: print)")
    parser.add_argument(
        "--chunk-size", type=int, default=PIECE, metavar="N",
        help=f"graphs that are held at a time (default: {PIECE})",
    )  # fmt: skip
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    from graphtrees.cli.data.source import NotInPieces, load_small
    from graphtrees.cli.models import load

    output = None if arguments.output in (None, "-") else Path(arguments.output)
    if output is not None:
        check_place(output, (".csv",))
    elif console.json:
        raise UserError("predict --json tells about a file of predictions; name it with -o")
    if arguments.chunk_size < 1:
        raise UserError(f"--chunk-size must be at least 1; got {arguments.chunk_size}")
    model, stored = load(Path(arguments.model))
    source = find_source(arguments.data, reading_of(vars(arguments), stored))
    size = arguments.chunk_size
    try:
        count = write(model, source.stream(size), output, console)
    except NotInPieces:
        count = write(model, load_small(source).pieces(size), output, console)
    console.note(f"{count:,} predictions: {'printed' if output is None else output}")
    console.result({"predictions": count, "output": arguments.output, "model": arguments.model})


def write(model: Any, pieces: Iterable[Data], output: Path | None, console: Console) -> int:
    """One row an example: what it is called, the prediction and, for classes, their chances."""
    count = changed = 0
    with writing(output) as stream:
        rows = csv.writer(stream, lineterminator="\n")
        for data in pieces:
            columns = data.ids | _columns(model, data.X)
            if count == 0:
                rows.writerow(as_text(name) for name in columns)
            texts = [[as_text(cell) for cell in column] for column in columns.values()]
            rows.writerows(zip(*texts, strict=True))
            changed += sum(map(_count_changes, texts, columns.values()))
            count += len(data)
            if console.verbose:
                console.note(f"{count:,} done")
        if count == 0:
            raise UserError("DATA holds no examples")
    if changed:
        console.note(f"note: {changed:,} cells that begin like a formula got a ' in front")
    return count


def _count_changes(texts: list, cells: list) -> int:
    return sum(text is not cell for text, cell in zip(texts, cells, strict=True))


def _columns(model: Any, X: Any) -> dict[str, list]:
    """Predictions by name; numbers as short as they can be read back."""
    if not hasattr(model, "classes_"):
        values = model.predict(X)
        if values.ndim == 2:
            return {f"prediction_{k}": values[:, k].tolist() for k in range(values.shape[1])}
        return {"prediction": values.tolist()}
    chances = model.predict_proba(X)
    found = {"prediction": model.classes_[chances.argmax(axis=1)].tolist()}
    for place, name in enumerate(model.classes_):
        found[f"probability_{name}"] = chances[:, place].tolist()
    return found
