"""What must hold in a model file, so that no number in it leads a kernel out of its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import AGGREGATORS, LONGEST_WALK, WALK_TYPES
from graphtrees.candidates.operator_name import EVERY_RELATION, PLAIN, OperatorName
from graphtrees.candidates.operators import listed


def want(holds: Any, otherwise: str) -> None:
    """Raise ValueError unless it holds."""
    if not holds:
        raise ValueError(otherwise)


def check_questions(model: Any) -> None:
    """The question space: numbers in range, operators that the parameters ask for."""
    space = model._space
    for name, most in (("max_walk_length", LONGEST_WALK), ("max_ancestor_distance", None)):
        value = getattr(space, name)
        in_range = type(value) is int and value >= 0 and (most is None or value <= most)
        want(in_range, f"{name} is {value!r}")
    for name, known in (("walk_types", WALK_TYPES), ("aggregators", AGGREGATORS)):
        codes = getattr(space, name)
        sound = all(type(code) is int and 0 <= code < len(known) for code in codes)
        want(isinstance(codes, tuple) and sound, f"{name} are {codes!r}")
    want(0.0 <= space.walk_type_probability <= 1.0, "walk_type_probability is no probability")
    want(space.of_graphs is (model._kind == "graphs"), "questions for another kind of example")
    want(space.directed in (None, True, False), "directed is neither true nor false")
    names = space.edge_features
    sound = names is None or (
        isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    )
    want(sound, f"edge_features are {names!r}")
    _check_operators(space.operators, model.operators)


def _check_operators(operators: Any, asked: Any) -> None:
    want(isinstance(operators, tuple) and len(operators) > 0, f"operators are {operators!r}")
    named = listed(asked)
    any_relation = any(name in EVERY_RELATION for name in named)
    # Of an undirected graph, backwards is forwards: the form may differ, the relation may not.
    relations = {OperatorName.parse(name).relation for name in named}
    for name in operators:
        want(isinstance(name, str), f"unknown operator {name!r}")
        known = name in PLAIN or OperatorName.parse(name).relation in relations or any_relation
        want(known, f"unknown operator {name!r}")


def check_model(model: Any) -> None:
    """Trees, outputs, classes and features that fit each other."""
    want(model.n_features_in_ == model._table.n_features, "features that do not fit each other")
    want(len(model._trees) == len(model._outputs), "as many outputs as trees are wanted")
    n_classes = None
    if hasattr(model, "predict_proba"):
        n_classes = len(model.classes_)
        want(np.ndim(model.classes_) == 1 and n_classes > 0, "classes_ is no list of classes")
    if hasattr(model, "learning_rate"):
        _check_boosting(model, n_classes)
    else:
        _check_average(model, n_classes)


def _check_boosting(model: Any, n_classes: int | None) -> None:
    init = model.init_
    numbers = isinstance(init, np.ndarray) and init.ndim == 1 and np.isfinite(init).all()
    want(numbers and len(init) > 0, "init_ is no list of numbers")
    if n_classes is not None:
        n_outputs = 1 if n_classes <= 2 else n_classes
        want(len(init) == n_outputs, "init_ does not fit the classes")
    for tree, output in zip(model._trees, model._outputs, strict=True):
        want(-1 <= output < len(init), f"a tree speaks for output {output}")
        width = len(init) if output < 0 else 1
        want(tree.value.shape[1] == width, "a tree with values for other outputs")
    n_rounds = model.n_iter_
    sound = type(n_rounds) is int and (
        len(model._trees) in (n_rounds, n_rounds * len(init)) and n_rounds >= 0
    )
    want(sound, "n_iter_ does not fit the trees")


def _check_average(model: Any, n_classes: int | None) -> None:
    want(len(model._trees) > 0, "there is no tree")
    width = model._trees[0].value.shape[1] if n_classes is None else n_classes
    want(width > 0, "trees without values")
    for tree, output in zip(model._trees, model._outputs, strict=True):
        want(tree.value.shape[1] == width, "trees with values for other outputs")
        want(output == (-1 if width > 1 else 0), f"a tree speaks for output {output}")
