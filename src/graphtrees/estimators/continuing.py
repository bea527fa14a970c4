"""Going on with an earlier run: `warm_start` and `resume_from`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.ensembles.losses import UnsavedLoss, function_name, is_function_loss
from graphtrees.estimators.reading import Examples
from graphtrees.files import load_model
from graphtrees.graphs.validation.arguments import as_path
from graphtrees.trees.tree import Tree

# What a tree's values depend on: trees made under other settings cannot be added to.
FIXED = ("learning_rate", "loss", "multi_strategy", "init")
# What may differ when a run is resumed: how far it goes and how it is done, not what it gives.
FREE = ("n_estimators", "n_jobs", "verbose", "warm_start", "memory_limit")


@dataclass(frozen=True)
class Run:
    """What it takes to go on with a run where it stopped, beside the trees themselves."""

    seed: int
    generator: Mapping[str, Any]  # the state of the random generator after the last round
    examples: str  # a fingerprint of the training examples, labels and weights
    fixed: dict[str, Any]


@dataclass(frozen=True)
class Beginning:
    """Where a fit starts: from nothing, or from the trees of an earlier run."""

    seed: int
    why: str = ""
    run: Run | None = None
    init: np.ndarray | None = None
    trees: list[Tree] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    made_on: dict[str, Any] = field(default_factory=dict)
    same_examples: bool = False
    start: Any = None  # the model that the trees start from
    raw: np.ndarray | None = None  # where it put the training examples, if that was kept
    offsets: dict[int, float] | None = None  # of the features, as the trees know them

    def check(self, model: Any, examples: str, n_outputs: int) -> None:
        """Raise ValueError where trees made earlier do not fit what is trained on now."""
        if self.init is None:
            return
        for name, old in self.made_on.items():
            new = _made_on(model)[name]
            if not _equal(old, new):
                raise ValueError(f"{self.why}: {name} was {old}; got {new}")
        if len(self.init) != n_outputs:
            raise ValueError(f"{self.why}: y had {len(self.init)} outputs; got {n_outputs}")
        if self.run is None:
            return
        fixed = describe_fixed(model)
        for name in dict.fromkeys([*self.run.fixed, *(["init"] if "init" in fixed else [])]):
            old = self.run.fixed.get(name)
            new = fixed.get(name)
            if old != new:
                raise ValueError(f"{self.why}: {name} was {old!r}; got {new!r}")
        if self.same_examples and self.run.examples != examples:
            raise ValueError(f"{self.why}: the run was made on other examples, labels or weights")


def begin(model: Any, resume_from: Any) -> Beginning:
    """Where the fit of `model` starts."""
    if resume_from is not None:
        path = as_path(resume_from, "resume_from")
        why = f"resume_from={str(path)!r}"
        return _after(_saved_run(model, path, why), model, why, same_examples=True)
    if model.warm_start and hasattr(model, "_trees"):
        return _after(model, model, "warm_start=True", same_examples=False)
    return Beginning(model._seed())


def _after(old: Any, model: Any, why: str, same_examples: bool) -> Beginning:
    run = getattr(old, "_run", None)
    if old.n_iter_ > model.n_estimators:
        raise ValueError(
            f"n_estimators={model.n_estimators} must be at least the {old.n_iter_} rounds already "
            f"made when {why}"
        )
    seed = model._seed() if run is None else run.seed
    return Beginning(
        seed, why, run, old.init_, list(old._trees), list(old._outputs), _made_on(old),
        same_examples, old._start, getattr(old, "_start_raw", None),
        old._table.offsets,
    )  # fmt: skip


def _saved_run(model: Any, path: Path, why: str) -> Any:
    saved = load_model(path)
    if type(saved) is not type(model):
        kinds = type(saved).__name__, type(model).__name__
        raise ValueError(f"{why} holds a {kinds[0]}; a {kinds[1]} is wanted")
    old, new = saved.get_params(deep=False), model.get_params(deep=False)
    for name in new:
        if name not in FREE and not _same_parameter(name, old[name], new[name]):
            raise ValueError(f"{why}: {name} was {old[name]!r} there; got {new[name]!r}")
    return saved


def _same_parameter(name: str, old: Any, new: Any) -> bool:
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


def _made_on(model: Any) -> dict[str, Any]:
    """What the numbers in a tree refer to."""
    table = model._table
    known: dict[str, Any] = {
        "the kind of X": model._kind,
        "the number of features": table.n_features,
        "the names of features": table.names,
        "the graph features": table.graph_feature_names,
        "the categories": table.categories,
        "add_constant": table.has_constant,
        "operators": model._space.operators,
    }
    return known | ({"classes of y": model.classes_} if hasattr(model, "classes_") else {})


def describe_fixed(model: Any) -> dict[str, Any]:
    """Those parameters that must not change from one run to the next, as plain values."""

    def plain(value: Any) -> Any:
        if is_function_loss(value):
            return f"the function {function_name(value)}"
        return value if isinstance(value, (str, int, float)) else type(value).__name__

    given = {name: getattr(model, name) for name in FIXED if hasattr(model, name)}
    return {name: plain(value) for name, value in given.items() if value is not None}


def fingerprint(examples: Examples, y: np.ndarray, weight: np.ndarray) -> str:
    """A hash of everything that is trained on."""
    digest = hashlib.blake2b(digest_size=16)
    names = [one.name for one in fields(examples.flat) if one.name != "graph_features"]
    parts = [getattr(examples.flat, name) for name in names]  # graph features are among `features`
    for part in (examples.kind, examples.vertices, *parts, y, weight):
        if sparse.issparse(part):
            arrays = [part.data, part.indices, part.indptr]
        else:
            arrays = [part] if isinstance(part, np.ndarray) and part.dtype != object else []
        for array in arrays:
            digest.update(f"{array.dtype}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        if not arrays:
            digest.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
    return digest.hexdigest()
