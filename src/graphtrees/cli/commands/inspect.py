"""`graphtrees inspect`: look at data before training, or into a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from graphtrees.cli.console import Console
from graphtrees.cli.data import (
    Data,
    Reading,
    add_reading_options,
    find_source,
    given_options,
    reading_of,
)
from graphtrees.cli.lines import column_lines, leaderboard_lines
from graphtrees.cli.models import ENDINGS

SHOWN = 12  # features whose importance is shown


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="MODEL_OR_DATA", help="a model (.json) or data; see below")
    parser.add_argument("--test", metavar="DATA", help="data kept for testing, to be compared")
    add_reading_options(parser)


def run(arguments: argparse.Namespace, console: Console) -> None:
    if arguments.what.endswith(ENDINGS):
        inspect_model(Path(arguments.what), console)
    else:
        inspect_data(arguments, console)


def inspect_data(arguments: argparse.Namespace, console: Console) -> None:
    from graphtrees.inspection import inspect
    from graphtrees.inspection.text import as_text, write_sections

    given = vars(arguments)
    reading = reading_of(given)
    data = _load(arguments.what, reading, given)
    test = None
    if arguments.test is not None:
        held = _load(arguments.test, reading, given)
        test = (held.X, held.y)
    described = inspect(data.X, data.y, test)
    console.result(described.to_dict() | {"columns": data.columns})
    for line in column_lines(data, console):
        console.say(line)
    console.say(as_text(write_sections(described), console.bold))


def _load(what: str, reading: Reading, given: dict[str, Any]) -> Data:
    source = find_source(what, reading, given_options(given))
    return source.load(need_target=reading.target is not None)


def inspect_model(path: Path, console: Console) -> None:
    from graphtrees.cli.models import load

    model, reading = load(path)
    if hasattr(model, "members_"):
        _inspect_ensemble(model, console)
        return
    described = describe_model(model, reading)
    console.result(described)
    for line in _model_lines(described, console):
        console.say(line)


def _inspect_ensemble(model: Any, console: Console) -> None:
    from graphtrees.inspection.text import count
    from graphtrees.validation.models import trees_of_members

    members = trees_of_members(model)
    kind, n_trees = members[0].kind, sum(len(one.trees) for one in members)
    console.result(
        {"estimator": type(model).__name__, "examples": kind, "n_trees": n_trees}
        | {"leaderboard": [*model.leaderboard_], "leaderboard_metric": model.leaderboard_.metric}
    )
    size = f"{count(len(members), 'model')}, {n_trees:,} trees"
    console.say(f"{console.bold('model')}     {type(model).__name__} of {kind}: {size}")
    for line in leaderboard_lines(model, console):
        console.say(line)


def describe_model(model: Any, reading: Reading | None) -> dict[str, Any]:
    """What a model is, in plain numbers and names."""
    from graphtrees.explain.global_importance import shares
    from graphtrees.questions.text import constant_name
    from graphtrees.validation.models import changed_parameters, fitted_trees

    fitted = fitted_trees(model)
    trees, features = fitted.trees, fitted.features
    importance = {features.name(f): 0.0 for f in range(features.n_features)}
    if features.has_constant:
        importance[constant_name(fitted.nouns())] = 0.0
    importance |= shares(fitted, model.importance_type)
    walks = shares(fitted, by="walk_length")
    return {
        "estimator": fitted.estimator,
        "examples": fitted.kind,
        "classes": None if fitted.classes is None else fitted.classes.tolist(),
        "n_features": features.n_features,
        "features": list(features.names or ()) or None,
        "n_trees": len(trees),
        "start": None if fitted.start is None else fitted.start.text,
        "n_nodes": int(sum(tree.n_nodes for tree in trees)),
        "deepest": model.get_depth(),
        "parameters": model.get_params(deep=False),
        "changed": changed_parameters(model),
        "importances": dict(sorted(importance.items(), key=lambda pair: -pair[1])),
        "walk_lengths": dict(sorted(walks.items(), key=lambda pair: int(pair[0]))),
        "reading": None if reading is None else reading.to_dict(),
    }


def _model_lines(described: dict[str, Any], console: Console) -> list[str]:
    def line(title: str, text: str) -> str:
        return console.bold(f"{title:<13}") + text

    from graphtrees.inspection.text import count, listed, percent

    lines = [line("model", f"{described['estimator']} of {described['examples']}")]
    if described["classes"] is not None:
        lines.append(line("classes", listed(described["classes"])))
    named = f": {listed(described['features'])}" if described["features"] else ""
    lines.append(line("features", count(described["n_features"], "feature") + named))
    lines.append(
        line("trees", f"{described['n_trees']:,} with {described['n_nodes']:,} nodes, at most "
             f"{described['deepest']} deep")
    )  # fmt: skip
    if described["start"] is not None:
        lines.append(line("start", f"the trees start from {described['start']}"))
    changed = ", ".join(f"{name}={value!r}" for name, value in described["changed"].items())
    lines.append(line("parameters", changed or "all as by default"))
    for place, (name, share) in enumerate(list(described["importances"].items())[:SHOWN]):
        if share > 0:
            title = "importance" if place == 0 else ""
            lines.append(line(title, f"{percent(share):>7}  {name}"))
    walks = [f"length {k} {percent(v)}" for k, v in described["walk_lengths"].items()]
    lines.append(line("walks", " · ".join(walks) or "no splits"))
    return lines
