"""`graphtrees explain`: one page of HTML about a model and how it sees some data."""

from __future__ import annotations

import argparse
from pathlib import Path

from graphtrees.cli.console import Console
from graphtrees.cli.data import add_reading_options, find_source, reading_of
from graphtrees.cli.data.labelled import labelled
from graphtrees.cli.output import check_place


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a file that `train` wrote")
    parser.add_argument("data", metavar="DATA", help="examples to explain it by; see below")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the .html to write")
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    from graphtrees.cli.models import load

    output = Path(arguments.output)
    check_place(output, (".html", ".htm"))
    model, stored = load(Path(arguments.model))
    reading = reading_of(vars(arguments), stored)
    data = find_source(arguments.data, reading).load(need_target=False)
    if data.y is not None:
        data = labelled(data, console)
    model.report(data.X, data.y, path=output)
    console.say(f"{console.bold('report')}    {output}")
    console.result({"report": str(output), "examples": len(data), "model": arguments.model})
