"""`graphtrees train`: read data, test a model on a part of it, write the model."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.cli.console import Console, without_nan
from graphtrees.cli.data import Data, Reading, add_reading_options, find_source, reading_of
from graphtrees.cli.data.labelled import labelled
from graphtrees.cli.errors import UserError
from graphtrees.cli.output import check_place
from graphtrees.cli.parameters import FAMILIES, add_parameter_options, known_parameters
from graphtrees.cli.settings import CHOICES, DEFAULT_TEST_SIZE, Settings, collect


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", help="what to learn from; see below")
    group = parser.add_argument_group("training")
    absent = {"default": argparse.SUPPRESS}
    add: Any = group.add_argument
    add(
        "-o", "--output", metavar="MODEL", help="write the model here (.json or .json.gz)", **absent
    )
    add(
        "--summary",
        metavar="FILE",
        help="the summary (default: beside the model)",
        **absent,
    )
    add("--config", metavar="FILE", help="a TOML file with options by their long names", **absent)
    add("--estimator", choices=tuple(FAMILIES), help="(default: boosting)", **absent)
    add("--task", choices=CHOICES["task"], help="default: told from the labels", **absent)
    add("--test-size", type=float, metavar="SHARE",
        help="keep this share for the test (default: 0.2; 0: none)", **absent)  # fmt: skip
    add("--cv", type=int, metavar="K", help="cross-validate in K folds instead", **absent)
    add(
        "--split",
        type=int,
        metavar="N",
        help="use published split N of a data set",
        **absent,
    )
    add("--refit", action="store_true",
        help="after the test, train again on everything before writing", **absent)  # fmt: skip
    add_reading_options(parser)
    add_parameter_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    settings = collect(vars(arguments), set(known_parameters()))
    output = None if settings.output is None else Path(settings.output)
    summary_path = _summary_path(settings, output)
    for path, endings in ((output, (".json", ".json.gz")), (summary_path, (".json",))):
        if path is not None:
            check_place(path, endings)
    _check_parameters(settings)
    reading = reading_of(settings.reading)
    data = labelled(find_source(arguments.data, reading).load(need_target=True), console)
    summary, model = train(data, settings, console)
    summary |= {"data": arguments.data, "model": None if output is None else str(output)}
    if output is not None:
        from graphtrees.cli.models import save

        save(model, output, settled(reading, data))
    if summary_path is not None:
        from graphtrees.files import write_whole

        text = json.dumps(without_nan(summary), indent=1, ensure_ascii=False, default=str)
        write_whole(summary_path, text.encode())
    console.result(summary)
    written = [str(path) for path in (output, summary_path) if path is not None]
    console.say(
        f"{console.bold('written')}   {', '.join(written) or 'nothing: name a file with -o'}"
    )


def _check_parameters(settings: Settings) -> None:
    """Refuse, before data is read, parameters that suit neither task."""
    from graphtrees.cli.parameters import make_estimator

    problems = []
    for task in [settings.task] if settings.task else CHOICES["task"]:
        try:
            make_estimator(settings.estimator, task, settings.parameters, 0)
            return
        except UserError as problem:
            problems.append(problem)
    raise problems[0]


def train(data: Data, settings: Settings, console: Console) -> tuple[dict[str, Any], Any]:
    """Test as asked, fit, and tell both."""
    from graphtrees import __version__
    from graphtrees.cli.parameters import make_estimator
    from graphtrees.inspection import task_of

    task = settings.task or task_of(data.y)
    if task == "regression" and np.asarray(data.y).dtype.kind not in "iufb":
        raise UserError(f"{data.name}: the labels are text; --task regression needs numbers")
    model = make_estimator(settings.estimator, task, settings.parameters, min(console.verbose, 1))
    test = _plan(model, data, task, settings)
    _announce(data, task, settings, model, console)
    start = time.monotonic()
    evaluation = None if test is None else test(console)
    on_everything = test is None or settings.cv is not None or settings.refit
    if on_everything:
        model.fit(data.X, data.y)
    seconds = time.monotonic() - start
    if evaluation is not None:
        _tell(evaluation, console)
    console.say(f"{console.bold('time')}      {seconds:.1f} s")
    return {
        "graphtrees": __version__,
        "task": task,
        "estimator": type(model).__name__,
        "parameters": model.get_params(deep=False),
        "examples": type(data.X).__name__.lower(),
        "n_examples": len(data),
        "classes": list(model.classes_) if hasattr(model, "classes_") else None,
        "features": list(getattr(model, "feature_names_in_", [])) or None,
        "n_features": int(model.n_features_in_),
        "n_trees": len(model._trees),
        "evaluation": None if evaluation is None else asdict(evaluation),
        "fitted_on": "everything" if on_everything else "the training part",
        "seconds": round(seconds, 3),
    }, model


def _plan(model: Any, data: Data, task: str, settings: Settings) -> Callable | None:
    """How the model will be tested: a function that does it, or None for not at all."""
    from graphtrees.cli import evaluation as ev

    seed = _seed(model)
    if settings.cv is not None:
        folds = ev.folds_of(data, task, settings.cv, seed)
        return lambda console: ev.cross_validate(model, data, folds, task, console)
    options: dict[str, Any] = {}
    if settings.split is not None:
        part, options = _published(data, settings.split, model)
    else:
        share = DEFAULT_TEST_SIZE if settings.test_size is None else settings.test_size
        if share == 0:
            return None
        part = ev.hold_out(data, task, share, seed)
    return lambda console: ev.evaluate_once(model, data, part, task, options)


def _seed(model: Any) -> int:
    return model.random_state if isinstance(model.random_state, int) else 0


def _published(data: Data, number: int, model: Any) -> tuple[tuple, dict[str, Any]]:
    """The parts of a published split; its validation part serves early stopping."""
    if not 0 <= number < len(data.splits):
        have = f"splits 0 to {len(data.splits) - 1}" if data.splits else "no published splits"
        raise UserError(f"--split {number}: {data.name} has {have}")
    split = data.splits[number]
    options = {}
    if getattr(model, "early_stopping", False) and len(split.get("validation", ())):
        held = data.take(split["validation"])
        options["eval_set"] = (held.X, held.y)
    return (split["train"], split["test"]), options


def settled(reading: Reading, data: Data) -> Reading:
    """The reading with all that training settled, for `predict` to read alike."""
    flat = (data.X.graphs if hasattr(data.X, "graphs") else data.X).flat
    names = flat.feature_names
    listed = tuple(map(str, names)) if names is not None else ()
    return replace(
        reading,
        examples=type(data.X).__name__.lower(),
        features=listed if names is not None else reading.features,
        as_text=tuple(listed[column] for column in sorted(flat.categories)) if listed else (),
        exact=True,
    )


def _summary_path(settings: Settings, output: Path | None) -> Path | None:
    if settings.summary is not None:
        return Path(settings.summary)
    if output is None:
        return None
    stem = output.name.removesuffix(".gz").removesuffix(".json")
    return output.with_name(f"{stem}.summary.json")


def _announce(data: Data, task: str, settings: Settings, model: Any, console: Console) -> None:
    kind = type(data.X).__name__.lower()
    classes = len(np.unique(np.asarray(data.y)))
    labels = "numbers" if task == "regression" else f"{classes} classes"
    how = "" if settings.task else ", told from the labels"
    console.say(f"{console.bold('data')}      {data.name}: {len(data):,} {kind}, {labels}")
    console.say(f"{console.bold('task')}      {task}{how}")
    console.say(f"{console.bold('model')}     {type(model).__name__}")


def _tell(evaluation: Any, console: Console) -> None:
    parts = f"{evaluation.method}: {evaluation.n_train:,} train, {evaluation.n_test:,} test"
    console.say(f"{console.bold('test')}      {parts}")
    for name, score in evaluation.scores.items():
        alone = evaluation.baseline.get(name)
        beside = "" if alone is None else f"   (one answer for all: {alone:.4f})"
        console.say(f"          {name:<10}{score}{beside}")
