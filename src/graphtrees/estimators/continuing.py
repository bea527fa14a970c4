"""Going on with an earlier run: `warm_start` and `resume_from`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphtrees._communicator import ALONE, Communicator
from graphtrees.ensembles.fitted import FIXED_PARAMETERS, FittedTrees, Run
from graphtrees.ensembles.losses import UnsavedLoss, function_name, is_function_loss
from graphtrees.estimators.saving import load_model
from graphtrees.graphs.validation.arguments import as_path

if TYPE_CHECKING:
    from graphtrees.estimators.boosted import BoostedTrees

# What may differ when a run is resumed: how far it goes and how it is done, not what it gives.
FREE = ("n_estimators", "n_jobs", "verbose", "warm_start", "memory_limit")


@dataclass(frozen=True, eq=False)
class Beginning:
    """Where a fit starts: from nothing, or from the trees of an earlier run."""

    seed: int
    reason: str = ""
    earlier: FittedTrees | None = None
    same_examples: bool = False  # whether it must have been made on the same examples

    @property
    def run(self) -> Run | None:
        return None if self.earlier is None else self.earlier.training.run

    def carry_over(self, fitted: FittedTrees) -> FittedTrees:
        """What trees made earlier refer to: their thresholds to offsets, their columns to colours.

        Raises ValueError where they were made on something else than what is trained on now.
        """
        if self.earlier is None:
            return fitted
        old, new = self.earlier.features, fitted.features
        self._compare(_made_on(self.earlier), _made_on(fitted))
        if old.colours is not None or new.colours is not None:
            self._compare(_coloured_by(self.earlier), _coloured_by(fitted))
        return replace(fitted, features=replace(new, offsets=old.offsets, colours=old.colours))

    def _compare(self, earlier: dict[str, Any], now: dict[str, Any]) -> None:
        for name, old in earlier.items():
            if not _equal(_tuples(old), _tuples(now[name])):
                raise ValueError(f"{self.reason}: {name} was {old}; got {now[name]}")

    def check(
        self, model: BoostedTrees, fitted: FittedTrees, examples: str, n_outputs: int
    ) -> None:
        """Raise ValueError where trees made earlier do not fit the labels and parameters of now."""
        earlier, run = self.earlier, self.run
        if earlier is None or earlier.init is None:
            return
        if earlier.classes is not None:
            self._compare({"classes of y": earlier.classes}, {"classes of y": fitted.classes})
        if len(earlier.init) != n_outputs:
            raise ValueError(f"{self.reason}: y had {len(earlier.init)} outputs; got {n_outputs}")
        if run is None:
            return
        fixed = describe_fixed(model)
        for name in dict.fromkeys([*run.fixed, *(["init"] if "init" in fixed else [])]):
            if run.fixed.get(name) != fixed.get(name):
                raise ValueError(
                    f"{self.reason}: {name} was {run.fixed.get(name)!r}; got {fixed.get(name)!r}"
                )
        if self.same_examples and run.examples != examples:
            raise ValueError(
                f"{self.reason}: the run was made on other examples, labels or weights"
            )


def begin(model: BoostedTrees, resume_from: Any, communicator: Communicator = ALONE) -> Beginning:
    """Where the fit of `model` starts."""
    if resume_from is not None:
        path = as_path(resume_from, "resume_from")
        reason = f"resume_from={str(path)!r}"
        return _after(_saved_run(model, path, reason), model, reason, same_examples=True)
    if model.warm_start and hasattr(model, "_fitted"):
        return _after(model, model, "warm_start=True", same_examples=False)
    return Beginning(model._seed(communicator))


def _after(old: BoostedTrees, model: BoostedTrees, reason: str, same_examples: bool) -> Beginning:
    if old.n_iter_ > model.n_estimators:
        raise ValueError(
            f"n_estimators={model.n_estimators} must be at least the {old.n_iter_} rounds already "
            f"made when {reason}"
        )
    earlier: FittedTrees = old._fitted
    run = earlier.training.run
    return Beginning(model._seed() if run is None else run.seed, reason, earlier, same_examples)


def _saved_run(model: BoostedTrees, path: Path, reason: str) -> Any:
    saved = load_model(path)
    if type(saved) is not type(model):
        kinds = type(saved).__name__, type(model).__name__
        raise ValueError(f"{reason} holds a {kinds[0]}; a {kinds[1]} is wanted")
    old, new = saved.get_params(deep=False), model.get_params(deep=False)
    for name in new:
        if name not in FREE and not _same_parameter(name, old[name], new[name]):
            raise ValueError(f"{reason}: {name} was {old[name]!r} there; got {new[name]!r}")
    return saved


def _same_parameter(name: str, old: BoostedTrees, new: Any) -> bool:
    if name == "random_state":  # the file holds the generator; a seed is only compared with a seed
        return old == new or not (isinstance(old, Integral) and isinstance(new, Integral))
    if name == "scoring" and (old is None or new is None):
        return True  # functions are not written to the file
    if isinstance(old, UnsavedLoss):
        return True  # the name of the function is among what the run holds fixed
    return _equal(_tuples(old), _tuples(new))


def _tuples(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def _equal(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def _made_on(fitted: FittedTrees) -> dict[str, Any]:
    """What the numbers in a tree refer to."""
    features = fitted.features
    return {
        "the kind of X": fitted.kind,
        "the number of features": features.n_features,
        "the names of features": features.names,
        "the graph features": features.graph_feature_names,
        "the categories": features.categories,
        "add_constant": features.has_constant,
        "operators": fitted.questions.operators,
    }


def _coloured_by(fitted: FittedTrees) -> dict[str, Any]:
    """What colours tell apart, but for types of edges, which are known by their names."""
    colours = fitted.features.colours
    if colours is None:
        return {"colours": 0, "colour_features": [], "directed": None}
    asked = fitted.training.parameters.get("colour_features", "auto")
    is_auto = isinstance(asked, str) and asked == "auto"
    return {
        "colours": colours.rounds,
        "colour_features": "auto" if is_auto else list(colours.features),
        "directed": any(way.startswith(("in", "out")) for way in colours.ways),
    }


def describe_fixed(model: BoostedTrees) -> dict[str, Any]:
    """Those parameters that must not change from one run to the next, as plain values."""

    def plain(value: Any) -> Any:
        if is_function_loss(value):
            return f"the function {function_name(value)}"
        return value if isinstance(value, (str, int, float)) else type(value).__name__

    given = {name: getattr(model, name) for name in FIXED_PARAMETERS if hasattr(model, name)}
    return {name: plain(value) for name, value in given.items() if value is not None}
