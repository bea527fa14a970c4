"""What each parameter may be, said once and checked whenever an estimator is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphtrees._layout import AGGREGATORS, LONGEST_WALK, MOST_ROUNDS, WALK_TYPES
from graphtrees.estimators.memory_limit import is_memory
from graphtrees.estimators.other_names import value_advice
from graphtrees.validation.targets import as_float


@dataclass(frozen=True)
class Constraint:
    """A test and the words for what passes it: in errors, and as types in docstrings."""

    wanted: str
    passes: Callable[[Any], bool]
    types: tuple[str, ...] = ()  # empty: the same words

    def __or__(self, other: Constraint) -> Constraint:
        return Constraint(
            f"{self.wanted} or {other.wanted}",
            lambda v: self.passes(v) or other.passes(v),
            tuple(dict.fromkeys((*self._listed, *other._listed))),
        )

    @property
    def type(self) -> str:
        """The types as a docstring lists them: "int, float or None"."""
        *others, last = self._listed
        return f"{', '.join(others)} or {last}" if others else last

    @property
    def _listed(self) -> tuple[str, ...]:
        return self.types or (self.wanted,)


LARGEST_INTEGER = int(np.iinfo(np.int32).max)  # what counters of kernels hold
LARGEST = {"random_state": 2**32 - 1, "memory_limit": 2**63 - 1}  # NumPy's seeds; a file's bytes


def whole(at_least: int, at_most: int | None = None) -> Constraint:
    """An integer in a range; True and False are not integers here."""
    bound = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
    return Constraint(
        f"an integer {bound}",
        lambda v: (
            isinstance(v, Integral)
            and not isinstance(v, (bool, np.bool_))
            and int(v) >= at_least
            and (at_most is None or int(v) <= at_most)
        ),
        ("int",),
    )


def number(low: float, high: float = np.inf, *, open_low: bool = False) -> Constraint:
    """A finite number in a range."""
    left = f"above {low:g}" if open_low else f"of at least {low:g}"
    words = f"a number {left}" + ("" if high == np.inf else f" and at most {high:g}")
    return Constraint(
        words, lambda v: _is_number(v) and _lies_in(as_float(v), low, high, open_low), ("float",)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _lies_in(value: float, low: float, high: float, open_low: bool) -> bool:
    above = value > low if open_low else value >= low
    return above and value <= high and value < np.inf


def one_of(*options: Any) -> Constraint:
    listed = ", ".join(repr(o) for o in options)
    return Constraint(
        f"one of {listed}" if len(options) > 1 else listed,
        lambda v: any(v is o or (isinstance(v, str) and v == o) for o in options),
        (f"{{{listed}}}" if len(options) > 1 else listed,),
    )


def some_of(options: tuple[str, ...]) -> Constraint:
    """A non-empty sequence of names without repeats."""
    listed = ", ".join(repr(o) for o in options)
    return Constraint(
        f"a tuple of one or more of {listed}",
        lambda v: (
            isinstance(v, (tuple, list))
            and len(v) > 0
            and len(set(map(str, v))) == len(v)
            and all(isinstance(o, str) and o in options for o in v)
        ),
        (f"tuple of {{{listed}}}",),
    )


nothing = Constraint("None", lambda v: v is None, ("None",))
flag = Constraint("True or False", lambda v: isinstance(v, (bool, np.bool_)), ("bool",))
labelled = Constraint(  # checked against the features, see validation/examples.py
    "anything", lambda v: True, ("'from_dtype'", "list of names or numbers", "None")
)
negative = Constraint("-1", lambda v: isinstance(v, Integral) and v < 0, ("int",))
names = Constraint(
    "the name of an operator or a tuple of such names",
    lambda v: (
        isinstance(v, str)
        or (isinstance(v, (tuple, list)) and len(v) > 0 and all(isinstance(o, str) for o in v))
    ),
    ("str", "tuple of str"),
)
names_or_numbers = Constraint(
    "'auto', or a name or number of a feature, or a list of such",
    lambda v: (
        isinstance(v, (str, Integral))
        or (
            isinstance(v, (tuple, list, np.ndarray))
            and all(isinstance(o, (str, Integral)) for o in v)
        )
    ),
    ("str", "int", "list of these"),
)
CLASS_WEIGHT = (
    Constraint("a dict", lambda v: isinstance(v, dict), ("dict",)) | one_of("balanced") | nothing
)
seed = Constraint(
    "an integer of at least 0, a RandomState or None",
    lambda v: (
        v is None
        or isinstance(v, np.random.RandomState)
        or (isinstance(v, Integral) and not isinstance(v, bool) and int(v) >= 0)
    ),
    ("int", "RandomState", "None"),
)

_steps = whole(0, LONGEST_WALK)
steps_of_features = Constraint(
    "a dict from features to such numbers or a list of one for each feature",
    lambda v: (
        all(map(_steps.passes, v.values()))
        if isinstance(v, dict)
        else isinstance(v, (list, tuple, np.ndarray))
        and getattr(v, "ndim", 1) == 1
        and all(map(_steps.passes, v))
    ),
    ("dict", "list of int"),
)

QUESTIONS = {
    "max_walk_length": _steps | steps_of_features,
    "max_ancestor_distance": whole(0),
    "walk_types": some_of(WALK_TYPES),
    "aggregators": some_of(AGGREGATORS),
    "walk_type_probability": number(0.0, 1.0),
    "operators": names,
    "add_constant": flag,
    "categorical_features": labelled,
    "colours": whole(0, MOST_ROUNDS),
    "colour_features": names_or_numbers,
}
GROWTH = {
    "max_leaf_nodes": whole(2) | one_of("auto") | nothing,
    "max_depth": whole(1) | nothing,
    "min_samples_leaf": whole(1),
    "min_gain": number(0.0),
    "ccp_alpha": number(0.0),
    "max_bins": whole(2, 255) | nothing,
}
COMMON = {
    "memory_limit": Constraint(
        "a number of bytes, text such as '2GB' or None", is_memory, ("int", "str", "None")
    ),
    "random_state": seed,
    "n_jobs": whole(1) | negative | nothing,
    "verbose": whole(0) | flag,
    "importance_type": one_of("gain", "split"),
}


def keep_parameters(estimator: Any, given: dict[str, Any]) -> None:
    """Store the arguments of a constructor under their own names, untouched."""
    for name, value in given.items():
        if name not in ("self", "__class__"):
            setattr(estimator, name, value)


def check_parameters(estimator: Any, constraints: dict[str, Constraint]) -> None:
    """Raise ValueError for the first parameter that is not what it may be."""
    for name, value in estimator.get_params(deep=False).items():
        constraint = constraints[name]
        if not constraint.passes(value):
            advice = value_advice(name, value, constraint.passes)
            raise _wrong(estimator, name, constraint.wanted, value, advice)
        most = LARGEST.get(name, LARGEST_INTEGER)
        if isinstance(value, Integral) and int(value) > most:
            raise _wrong(estimator, name, f"at most {most}", value)


def _wrong(estimator: Any, name: str, wanted: str, value: Any, advice: str = "") -> ValueError:
    kind = type(estimator).__name__
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    return ValueError(f"The {name!r} parameter of {kind} must be {wanted}; got {shown}.{advice}")
