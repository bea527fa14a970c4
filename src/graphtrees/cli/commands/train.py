"""`graphtrees train`: read data, test a model on a part of it, write the model."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from typing import Any

from graphtrees.cli.auto import check_auto
from graphtrees.cli.cluster import check_cluster
from graphtrees.cli.console import Console, without_nan
from graphtrees.cli.data import (
    Data,
    Reading,
    add_reading_options,
    find_source,
    given_options,
    reading_of,
)
from graphtrees.cli.data.labelled import labelled
from graphtrees.cli.errors import UserError
from graphtrees.cli.output import refuse_inputs
from graphtrees.cli.parameters import FAMILIES, add_parameter_options, known_parameters
from graphtrees.cli.settings import CHOICES, TASKS, Settings, collect
from graphtrees.cli.training import Places, TrainingRun
from graphtrees.graphs.flat import spread_graph_features


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="what to learn from; see below")
    group = parser.add_argument_group("training")

    def add(*words: str, **options: Any) -> None:
        group.add_argument(*words, default=argparse.SUPPRESS, **options)

    add("-o", "--output", metavar="MODEL", help="write the model here (.json or .json.gz)")
    add("--report", metavar="FILE",
        help="write a page (.html) that shows how the held-out examples were judged")  # fmt: skip
    add("--estimator", choices=tuple(FAMILIES),
        help="boosting scores best; a forest needs no tuning; one tree can be read (default: "
        "boosting)")  # fmt: skip
    add("--auto", metavar="TIME",
        help="try several ways to learn within this time, such as 90s, 5m or 1h, and combine the "
        "best")  # fmt: skip
    add("--task", choices=CHOICES["task"],
        help="classes or numbers (default: told from the labels)")  # fmt: skip
    add("--test-size", type=float, metavar="SHARE",
        help="hold out this share to test on (default: 0.2; 0: none)")  # fmt: skip
    add("--cv", type=int, metavar="K",
        help="test by K-fold cross-validation instead; better for few examples")  # fmt: skip
    add("--split", type=int, metavar="N", help="test on published split N of a data set by name")
    add("--refit", action="store_true",
        help="after the test, train again on everything before writing")  # fmt: skip
    add("--checkpoint", metavar="FILE",
        help="save the run here (.json or .json.gz) every 10 rounds, for --resume")  # fmt: skip
    add("--resume", metavar="FILE",
        help="go on with a run that was stopped: its checkpoint, or the model it left")  # fmt: skip
    add("--cluster", metavar="ADDRESS",
        help="train on the workers of a Dask cluster, such as tcp://10.0.0.1:8786")  # fmt: skip
    add("--config", metavar="FILE", help="a TOML file with options by their long names")
    add("--summary", metavar="FILE",
        help="scores and settings as JSON (default: beside the model)")  # fmt: skip
    add_reading_options(parser)
    add_parameter_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> int:
    settings = collect(vars(arguments), set(known_parameters()))
    check_auto(settings, "estimator" in vars(arguments))
    check_cluster(settings)
    places = Places.of(settings)
    _check_parameters(settings)
    reading = reading_of(settings.reading)
    source = find_source(arguments.data, reading, given_options(settings.reading))
    for path in (places.output, places.summary, places.report, places.checkpoint):
        refuse_inputs(path, source.files)
    data = labelled(source.load(need_target=True), console)
    run = TrainingRun(data, settings, places, console)
    summary, model = run.train()
    summary |= {"data": arguments.data, "model": None if not places.output else str(places.output)}
    if places.output is not None:
        from graphtrees.cli.models import save

        save(model, places.output, settled(data.reading or reading, data))
    if places.summary is not None:
        from graphtrees.files import write_whole

        text = json.dumps(without_nan(summary), indent=1, ensure_ascii=False, default=str)
        write_whole(places.summary, text.encode())
    console.result(summary)
    written = ", ".join(map(str, places.written))
    console.say(f"{console.bold('written')}   {written or 'nothing: name a file with -o'}")
    return run.end(model, written)


def _check_parameters(settings: Settings) -> None:
    """Refuse, before data is read, parameters that suit neither task."""
    from graphtrees.cli.parameters import make_estimator

    if settings.auto is not None:
        return
    problems = []
    for task in [settings.task] if settings.task else TASKS:
        try:
            make_estimator(settings.estimator, task, settings.parameters, 0)
            return
        except UserError as problem:
            problems.append(problem)
    raise problems[0]


def settled(reading: Reading, data: Data) -> Reading:
    """The reading with all that training settled, for `predict` to read alike."""
    graphs = data.X.graphs if hasattr(data.X, "graphs") else data.X
    flat = spread_graph_features(graphs.flat)
    names = flat.feature_names
    listed = tuple(map(str, names)) if names is not None else ()
    return replace(
        reading,
        examples=type(data.X).__name__.lower(),
        features=listed if names is not None else reading.features,
        as_text=tuple(listed[column] for column in sorted(flat.categories)) if listed else (),
        exact=True,
        on_error="raise",  # what to do with faults, and how files are written, is asked anew
        encoding=None,
    )
