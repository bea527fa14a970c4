"""`graphtrees datasets`: what can be used by name."""

from __future__ import annotations

import argparse

from graphtrees.cli.console import Console


def configure(parser: argparse.ArgumentParser) -> None:
    """Nothing beyond what all commands take."""


def run(arguments: argparse.Namespace, console: Console) -> None:
    from graphtrees.datasets import available

    table = available()
    console.result(
        [
            {
                "name": entry.name,
                "task": entry.task,
                "loader": f"graphtrees.datasets.{entry.loader}",
                "found": None if entry.found is None else str(entry.found),
                "how_to_get": entry.how_to_get,
            }
            for entry in table
        ]
    )
    console.say(str(table))
