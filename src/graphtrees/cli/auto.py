"""`train --auto`: several ways to learn within a time, combined."""

from __future__ import annotations

import re
from typing import Any

from graphtrees.cli.errors import UserError
from graphtrees.cli.parameters import SEED
from graphtrees.cli.settings import Settings

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
OWN_PARAMETERS = ("random_state", "n_jobs")


def read_seconds(text: Any) -> float:
    """Seconds of a duration such as 90, 90s, 5m or 1.5h."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)\s*([smh]?)", str(text).strip())
    seconds = float(match[1]) * UNITS[match[2]] if match else 0.0
    if seconds <= 0:
        raise UserError(f"--auto must be a time such as 90s, 5m or 1h; got {text}")
    return seconds


def check_auto(settings: Settings, estimator_given: bool) -> None:
    """Refuse, before data is read, what does not go with --auto."""
    if settings.auto is None:
        return
    read_seconds(settings.auto)
    for name in ("checkpoint", "resume"):
        if getattr(settings, name) is not None:
            raise UserError(f"--{name} is for one model; --auto makes several: leave one out")
    if estimator_given:
        raise UserError("--auto tries several estimators: leave --estimator out")
    for name in settings.parameters:
        if name not in OWN_PARAMETERS:
            word = name.replace("_", "-")
            raise UserError(f"--auto chooses the parameters itself: leave --{word} out")


def make_auto(settings: Settings, task: str, kind: str, verbose: int) -> Any:
    """The estimator for a task on a kind of examples."""
    from graphtrees import estimators
    from graphtrees.cli.parameters import plain_value
    from graphtrees.estimators.auto.recipes import recipes_for

    name = "AutoGraphRegressor" if task == "regression" else "AutoGraphClassifier"
    given = {k: plain_value(v) for k, v in settings.parameters.items()}
    # Labels of the training data are no part of a model file, so predictions could not use them.
    names = [one.name for one in recipes_for(kind, None) if not one.label_folds]
    return getattr(estimators, name)(
        read_seconds(settings.auto), recipes=tuple(names), verbose=verbose,
        **{"random_state": SEED} | given,
    )  # fmt: skip
