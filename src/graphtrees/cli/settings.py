"""What `train` is asked for: defaults, then a TOML file, then the command line."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphtrees.cli.data.reading import OPTIONS as READING_OPTIONS
from graphtrees.cli.errors import UserError, did_you_mean

# Option, its default, and what a TOML file may give for it.
TRAINING: dict[str, tuple[Any, tuple[type, ...]]] = {
    "output": (None, (str,)),
    "summary": (None, (str,)),
    "report": (None, (str,)),
    "checkpoint": (None, (str,)),
    "resume": (None, (str,)),
    "auto": (None, (str, int, float)),
    "estimator": ("boosting", (str,)),
    "task": (None, (str,)),
    "test_size": (None, (int, float)),
    "cv": (None, (int,)),
    "split": (None, (int,)),
    "cluster": (None, (str,)),
    "refit": (False, (bool,)),
}
CHOICES = {
    "estimator": ("boosting", "forest", "tree"),
    "task": ("classification", "regression", "classify", "regress"),
    "examples": ("graphs", "vertices", "edges"),
}
TASKS = ("classification", "regression")
SHORT_TASKS = {"classify": "classification", "regress": "regression"}
DEFAULT_TEST_SIZE = 0.2


@dataclass(frozen=True)
class Settings:
    """Everything asked for, sorted by whom it concerns."""

    training: dict[str, Any]
    reading: dict[str, Any]
    parameters: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name in TRAINING:
            return self.training[name]
        raise AttributeError(name)


def collect(given: dict[str, Any], known_parameters: set[str]) -> Settings:
    """Sort the options given; what the command line says wins over what the file says."""
    config = given.get("config")
    asked = read_config(Path(config), known_parameters) if config else {}
    asked |= {name: value for name, value in given.items() if value is not None}
    training = {name: asked.get(name, default) for name, (default, _) in TRAINING.items()}
    training["task"] = SHORT_TASKS.get(training["task"], training["task"])
    settings = Settings(
        training,
        {name: asked[name] for name in READING_OPTIONS if name in asked},
        {name: asked[name] for name in known_parameters if name in asked},
    )
    _check(settings)
    return settings


def read_config(path: Path, known_parameters: set[str]) -> dict[str, Any]:
    """The keys of a TOML file: options of `train` by their long names, with - or _."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: is not TOML: {error}") from error
    known = set(TRAINING) | set(READING_OPTIONS) | known_parameters
    asked = {}
    for key, value in content.items():
        name = key.replace("-", "_")
        if name not in known:
            guess = did_you_mean(name, known)
            raise UserError(f"{path}: {key!r} is no option of train{guess}")
        _check_type(path, key, name, value)
        asked[name] = value
    return asked


def _check_type(path: Path, key: str, name: str, value: Any) -> None:
    kind = READING_OPTIONS[name][0] if name in READING_OPTIONS else ""
    choices = CHOICES.get(name) or (kind.split("|") if "|" in kind else None)
    if choices and value not in choices:
        named = [one for one in choices if one not in SHORT_TASKS]
        raise UserError(f"{path}: {key!r} must be {' or '.join(named)}; got {value!r}")
    if name in TRAINING:
        wanted = TRAINING[name][1]
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            words = " or ".join(kind.__name__ for kind in wanted)
            raise UserError(f"{path}: {key!r} must be {words}; got {value!r}")
    elif name in READING_OPTIONS:
        expected = {"list": list, "flag": bool}.get(kind, str)
        if not isinstance(value, expected):
            raise UserError(f"{path}: {key!r} must be {expected.__name__}; got {value!r}")


def _check(settings: Settings) -> None:
    size, folds = settings.test_size, settings.cv
    if sum(value is not None for value in (size, folds, settings.split)) > 1:
        raise UserError("give one of --test-size, --cv and --split")
    if size is not None and not 0 <= size < 1:
        raise UserError(f"--test-size must be a share of at least 0 and below 1; got {size}")
    if folds is not None and folds < 2:
        raise UserError(f"--cv must be at least 2; got {folds}")
    if settings.report is not None and (folds is not None or size == 0):
        raise UserError(
            "--report shows examples that were held out: leave out --cv and --test-size 0, or use "
            "`graphtrees explain` on other data"
        )
    for name in ("checkpoint", "resume"):
        if getattr(settings, name) is not None and settings.estimator != "boosting":
            raise UserError(f"--{name} is for --estimator boosting; got {settings.estimator}")
