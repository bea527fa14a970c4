"""`graphtrees predict`: apply a model, a piece of the data at a time."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphtrees.cli.console import Console
from graphtrees.cli.data import (
    Data,
    add_reading_options,
    find_source,
    given_options,
    reading_of,
)
from graphtrees.cli.data.reading import AS_TRAINED
from graphtrees.cli.errors import UserError
from graphtrees.cli.output import as_text, check_place, refuse_inputs, writing

PIECE = 1000
DIGITS = 6


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that `train` wrote")
    parser.add_argument("data", metavar="DATA", help="what to predict for; see below")
    parser.add_argument(
        "-o", "--output", metavar="FILE",
        help="the .csv to write: ids (of a table of molecules every column), predictions and, for "
        "classes, their probabilities (default: print)",
    )  # fmt: skip
    parser.add_argument(
        "--precision", type=int, default=DIGITS, metavar="N",
        help=f"significant digits of numbers, 17 for all there are (default: {DIGITS})",
    )  # fmt: skip
    parser.add_argument(
        "--chunk-size", type=int, default=PIECE, metavar="N",
        help=f"graphs that are held at a time; fewer need less memory (default: {PIECE})",
    )  # fmt: skip
    add_reading_options(parser, ("target", "features"), AS_TRAINED)


def run(arguments: argparse.Namespace, console: Console) -> None:
    from graphtrees.cli.data.source import NotInPieces, load_small
    from graphtrees.cli.models import load

    output = None if arguments.output in (None, "-") else Path(arguments.output)
    if output is not None:
        check_place(output, (".csv",))
    elif console.json:
        raise UserError("predict --json tells about a file of predictions; name it with -o")
    size, digits = arguments.chunk_size, arguments.precision
    if size < 1:
        raise UserError(f"--chunk-size must be at least 1; got {size}")
    if not 1 <= digits <= 17:
        raise UserError(f"--precision must be from 1 to 17; got {digits}")
    model, stored = load(Path(arguments.model))
    given = vars(arguments)
    source = find_source(arguments.data, reading_of(given, stored), given_options(given))
    refuse_inputs(output, [Path(arguments.model), *source.files])
    try:
        count = write(model, source.stream(size), output, console, digits)
    except NotInPieces:
        count = write(model, load_small(source).pieces(size), output, console, digits)
    console.note(f"{count:,} predictions: {'printed' if output is None else output}")
    console.result({"predictions": count, "output": arguments.output, "model": arguments.model})


def write(
    model: Any, pieces: Iterable[Data], output: Path | None, console: Console, digits: int
) -> int:
    """One row an example: what it is called, the prediction and, for classes, their chances."""
    count = changed = 0
    with writing(output) as stream:
        rows = csv.writer(stream, lineterminator="\n")
        for data in pieces:
            answers = _columns(model, data, digits)
            kept = {name: column for name, column in data.ids.items() if name not in answers}
            if count == 0:
                for name in sorted(set(data.ids) & set(answers)):
                    console.note(f"note: the column {name!r} of {data.name} is replaced")
                rows.writerow(as_text(name) for name in (*kept, *answers))
            columns = [list(column) for column in (*kept.values(), *answers.values())]
            texts = [[as_text(cell) for cell in column] for column in columns]
            rows.writerows(zip(*texts, strict=True))
            changed += sum(map(_count_changes, texts, columns))
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


def _columns(model: Any, data: Data, digits: int) -> dict[str, list]:
    """Predictions by name, empty where there was nothing to predict for."""
    columns = {}
    for name, values in _predictions(model, data.X).items():
        texts = [f"{v:.{digits}g}" if isinstance(v, float) else v for v in values.tolist()]
        if data.unreadable is not None:
            texts = ["" if bad else t for t, bad in zip(texts, data.unreadable, strict=True)]
        columns[name] = texts
    return columns


def _predictions(model: Any, X: Any) -> dict[str, Any]:
    if not hasattr(model, "classes_"):
        values = model.predict(X)
        if values.ndim == 2:
            return {f"prediction_{k}": values[:, k] for k in range(values.shape[1])}
        return {"prediction": values}
    chances = model.predict_proba(X)
    named = {f"probability_{name}": chances[:, k] for k, name in enumerate(model.classes_)}
    return {"prediction": model.classes_[chances.argmax(axis=1)]} | named
