"""`graphtrees explain`: one page of HTML about a model and how it sees some data."""

from __future__ import annotations

import argparse
from pathlib import Path

from graphtrees.cli.console import Console
from graphtrees.cli.data import add_reading_options, find_source, given_options, reading_of
from graphtrees.cli.data.labelled import labelled
from graphtrees.cli.data.reading import AS_TRAINED
from graphtrees.cli.lines import report_ids
from graphtrees.cli.output import check_place


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that `train` wrote")
    parser.add_argument("data", metavar="DATA", help="examples to explain it by; see below")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the .html to write")
    add_reading_options(parser, ("features",), AS_TRAINED)


def run(arguments: argparse.Namespace, console: Console) -> None:
    import numpy as np

    from graphtrees.cli.models import load
    from graphtrees.validation.fingerprints import seen_in_training

    output = Path(arguments.output)
    check_place(output, (".html", ".htm"))
    model, stored = load(Path(arguments.model))
    given = vars(arguments)
    source = find_source(arguments.data, reading_of(given, stored), given_options(given))
    data = source.load(need_target="target" in given)
    if data.y is not None:
        data = labelled(data, console)
    elif data.unreadable is not None:
        data = data.take(np.flatnonzero(~data.unreadable))
    names, ids = report_ids(data)
    n_seen = int(seen_in_training(model, data.X).sum())
    model.report(data.X, data.y, path=output, names=names, ids=ids)
    console.say(f"{console.bold('report')}    {output}")
    if n_seen:
        console.say(f"          {n_seen:,} of {len(data):,} examples were seen in training")
    console.result(
        {
            "report": str(output),
            "examples": len(data),
            "seen_in_training": n_seen,
            "model": arguments.model,
        }
    )
