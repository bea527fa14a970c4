"""Every parameter of every estimator as an option, made from what the estimators declare."""

from __future__ import annotations

import argparse
import inspect
from dataclasses import dataclass
from typing import Any

from graphtrees.cli.errors import UserError
from graphtrees.cli.meanings import COMMON, PYTHON_ONLY, WANTED

FAMILIES = {
    "boosting": ("GraphBoostingClassifier", "GraphBoostingRegressor"),
    "forest": ("GraphForestClassifier", "GraphForestRegressor"),
    "tree": ("GraphTreeClassifier", "GraphTreeRegressor"),
}
# The command has words of its own for these: -v and --resume.
OWN = ("verbose", "warm_start")
SEED = 0  # so that a run can be repeated


@dataclass(frozen=True)
class Parameter:
    """One parameter, over all estimators that have it."""

    name: str
    defaults: dict[str, Any]  # by family
    wanted: str  # what it may be, in words

    @property
    def is_flag(self) -> bool:
        return all(isinstance(default, bool) for default in self.defaults.values())

    @property
    def help(self) -> str:
        """What it is for, what it may be, and what it is unless told otherwise."""
        seed = {"random_state": SEED}
        words = {
            family: _show(seed.get(self.name, default)) for family, default in self.defaults.items()
        }
        if len(set(words.values())) == 1:
            default = next(iter(words.values()))
            only = "" if len(words) == len(FAMILIES) else f"; {' and '.join(words)} only"
        else:
            default = ", ".join(f"{family} {word}" for family, word in words.items())
            only = ""
        from graphtrees.estimators.meanings import MEANINGS

        meaning = MEANINGS.get(self.name, "")
        wanted = "" if self.is_flag else WANTED.get(self.name, _for_shells(self.wanted))
        text = ": ".join(part for part in (meaning, wanted) if part)
        return f"{text} (default: {default}{only})".replace("%", "%%")


def _for_shells(wanted: str) -> str:
    """What a parameter may be, without what only Python can pass."""
    for words in PYTHON_ONLY:
        wanted = wanted.replace(words, "")
    wanted = wanted.replace("None", "none").replace("'", "")
    return wanted.replace("a tuple of one or more of", "with commas between, of")


def estimator_class(family: str, task: str) -> type:
    """The estimator for a task."""
    from graphtrees import estimators

    return getattr(estimators, FAMILIES[family][task == "regression"])


def known_parameters() -> dict[str, Parameter]:
    """All parameters by name, in the order of the boosting classifier's and then the others'."""
    known: dict[str, Parameter] = {}
    for family in FAMILIES:
        for task in ("classification", "regression"):
            kind: Any = estimator_class(family, task)
            for name, default in _defaults(kind).items():
                old = known.get(name)
                wanted = kind._constraints[name].wanted
                if old is not None:
                    wanted = old.wanted if wanted in old.wanted else f"{old.wanted}, or {wanted}"
                defaults = {} if old is None else old.defaults
                if defaults.get(family, default) != default:  # the two tasks differ
                    default = f"{_show(defaults[family])} or {_show(default)}, by task"
                known[name] = Parameter(name, {**defaults, family: default}, wanted)
    return {name: parameter for name, parameter in known.items() if name not in OWN}


def _defaults(kind: type) -> dict[str, Any]:
    signature = inspect.signature(kind.__init__)  # type: ignore[misc]
    return {name: one.default for name, one in signature.parameters.items() if name != "self"}


def add_parameter_options(parser: argparse.ArgumentParser) -> None:
    """One option a parameter; those not given leave no trace in the result."""
    known = known_parameters()
    common = parser.add_argument_group("parameters that are changed most")
    others = parser.add_argument_group("all other parameters")
    for name in sorted(known, key=lambda name: (name not in COMMON, *_place(name))):
        parameter = known[name]
        group = common if name in COMMON else others
        word = f"--{parameter.name.replace('_', '-')}"
        given: dict[str, Any] = {"default": argparse.SUPPRESS, "help": parameter.help}
        if parameter.is_flag:
            group.add_argument(word, action=argparse.BooleanOptionalAction, **given)
        else:
            group.add_argument(word, type=str, metavar="VALUE", **given)


def _place(name: str) -> tuple[int]:
    return (COMMON.index(name) if name in COMMON else 0,)


def make_estimator(family: str, task: str, given: dict[str, Any], verbose: int) -> Any:
    """The estimator with the parameters given, text among them read as values."""
    kind: Any = estimator_class(family, task)
    defaults = _defaults(kind)
    parameters: dict[str, Any] = {"random_state": SEED, "verbose": verbose}
    for name, value in given.items():
        if name not in defaults:
            raise UserError(
                f"{_option(name)} is no parameter of {kind.__name__}; it has "
                f"{', '.join(other for other in defaults if other not in OWN)}"
            )
        parameters[name] = _value(value, defaults[name])
        constraint = kind._constraints[name]
        if not constraint.passes(parameters[name]):
            raise UserError(f"{_option(name)} must be {constraint.wanted}; got {_show(value)}")
    return kind(**parameters)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _value(given: Any, default: Any) -> Any:
    """Text as the value it means; what comes from a TOML file has its type already."""
    if isinstance(given, list):
        return tuple(given)
    if not isinstance(given, str):
        return given
    if isinstance(default, tuple):
        return tuple(part.strip() for part in given.split(",") if part.strip())
    if "=" in given:
        pairs = [part.partition("=") for part in given.split(",")]
        return {_scalar(key): _scalar(value) for key, _, value in pairs}
    if "," in given:
        return tuple(_scalar(part) for part in given.split(","))
    return _scalar(given)


def plain_value(given: Any) -> Any:
    """A number, none or a word, of text or of a TOML file."""
    return _scalar(given) if isinstance(given, str) else given


def _scalar(text: str) -> Any:
    """None, a boolean, a number, or the text itself."""
    word = text.strip()
    plain = {"none": None, "true": True, "false": False}
    if word.lower() in plain:
        return plain[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def _show(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(str, value))
    if value is None or isinstance(value, bool):
        return {None: "none", True: "on", False: "off"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)
