"""What must hold in a model as a whole, so that no number leads a kernel out of its arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphtrees._layout import AGGREGATORS, LONGEST_WALK, WALK_TYPES
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.files.trees import check_trees
from graphtrees.files.want import want
from graphtrees.questions.operator_name import EVERY_RELATION, PLAIN, OperatorName
from graphtrees.questions.operators import listed
from graphtrees.questions.plan import QuestionSpace

SUM_TOLERANCE = 1e-6  # shares of classes add up to 1 but for rounding


def check_questions(space: QuestionSpace, kind: str, operators: Any) -> None:
    """The question space: numbers in range, operators that the parameter asks for."""
    for name, most in (("max_walk_length", LONGEST_WALK), ("max_ancestor_distance", math.inf)):
        value = getattr(space, name)
        want(type(value) is int and 0 <= value <= most, f"{name} is {str(value)[:40]}")
    for name, known in (("walk_types", WALK_TYPES), ("aggregators", AGGREGATORS)):
        codes = getattr(space, name)
        sound = isinstance(codes, tuple) and all(type(code) is int for code in codes)
        sound = sound and list(codes) == sorted(set(codes) & set(range(len(known))))
        want(sound, f"unknown {name}")
    chance = space.walk_type_probability
    want(type(chance) in (int, float) and 0 <= chance <= 1, "walk_type_probability is none")
    want(space.of_graphs is (kind == "graphs"), "questions for another kind of example")
    sound = space.directed is None or type(space.directed) is bool
    want(sound, "directed is neither true nor false nor null")
    names = () if space.edge_features is None else space.edge_features
    sound = isinstance(names, tuple) and all(type(name) is str for name in names)
    want(sound, "edge_features are neither a list of names nor null")
    _check_operators(space.operators, operators)


def _check_operators(operators: Any, asked: Any) -> None:
    want(isinstance(operators, tuple) and len(operators) > 0, "operators are a list of names")
    want(all(type(name) is str for name in operators), "operators are a list of names")
    want(len(set(operators)) == len(operators), "an operator is there twice")
    named = set(listed(asked))
    any_relation = any(name in EVERY_RELATION for name in named)
    # Of an undirected graph, backwards is forwards: the form may differ, the relation may not.
    relations = {OperatorName.parse(name).relation for name in named}
    for name in operators:
        known = name in PLAIN or OperatorName.parse(name).relation in relations or any_relation
        want(known, f"unknown operator {name[:40]!r}")


def check_model(fitted: FittedTrees, attributes: dict[str, Any], of_classes: bool) -> None:
    """Trees, outputs, classes and features that fit each other."""
    _check_features(fitted, attributes)
    want(len(fitted.trees) == len(fitted.outputs), "as many outputs as trees are wanted")
    n_classes = _check_classes(fitted.classes) if of_classes else None
    if fitted.trees:
        check_trees(fitted)
    if fitted.loss is not None:
        _check_boosting(fitted, attributes, n_classes)
    else:
        _check_average(fitted, n_classes)


def _check_features(fitted: FittedTrees, attributes: dict[str, Any]) -> None:
    n_features, names = fitted.features.n_features, fitted.features.names
    given = attributes.get("n_features_in_")
    want(type(given) is int and given == n_features, "features that do not fit each other")
    listed = attributes.get("feature_names_in_")
    same = listed is None if names is None else listed is not None and tuple(listed) == names
    want(same, "feature_names_in_ are not the names of the features")


def _check_classes(classes: Any) -> int:
    """Sorted and without repeats, as `np.unique` gives them."""
    want(isinstance(classes, np.ndarray) and len(classes) > 0, "classes_ is no list of classes")
    if classes.dtype.kind == "f":
        want(np.isfinite(classes).all(), "classes_ that are not finite")
    if classes.dtype.kind in "mM":
        want(not np.isnat(classes).any(), "classes_ that are no time")
    want((classes[:-1] < classes[1:]).all(), "classes_ are not in order")
    return len(classes)


def _check_boosting(fitted: FittedTrees, attributes: dict[str, Any], n_classes: int | None) -> None:
    init: Any = fitted.init
    assert fitted.loss is not None
    numbers = isinstance(init, np.ndarray) and init.dtype == np.float64 and np.isfinite(init).all()
    want(numbers and len(init) > 0, "init_ is no list of numbers")
    if n_classes is not None:
        n_outputs = 1 if n_classes <= 2 else n_classes
        want(len(init) == n_outputs, "init_ does not fit the classes")
    several = {"one_vs_rest", "softmax"} if len(init) > 1 else {"logistic"}
    links = {"identity", "exp"} if n_classes is None else several
    want(fitted.loss.link_name in links, "the link does not fit what is predicted")
    farthest = float(np.abs(init).max())
    for tree, output in zip(fitted.trees, fitted.outputs, strict=True):
        want(-1 <= output < len(init), f"a tree speaks for output {output}")
        width = len(init) if output < 0 else 1
        want(tree.value.shape[1] == width, "a tree with values for other outputs")
        farthest += fitted.scale * float(np.abs(tree.value).max())
    want(math.isfinite(farthest), "values that add up to infinity")
    _check_rounds(fitted, attributes)


def _check_rounds(fitted: FittedTrees, attributes: dict[str, Any]) -> None:
    n_rounds, best = attributes.get("n_iter_"), attributes.get("best_iteration_")
    n_trees = len(fitted.trees)
    if type(n_rounds) is not int or n_trees not in (n_rounds, n_rounds * fitted.n_outputs):
        raise ValueError("n_iter_ does not fit the trees")
    want(type(best) is int and -1 <= best < max(1, n_rounds), "best_iteration_ is no round")
    want(isinstance(attributes.get("evals_result_"), dict), "there is no evals_result_")


def _check_average(fitted: FittedTrees, n_classes: int | None) -> None:
    want(len(fitted.trees) > 0, "there is no tree")
    width = fitted.trees[0].value.shape[1] if n_classes is None else n_classes
    farthest = 0.0
    for tree, output in zip(fitted.trees, fitted.outputs, strict=True):
        want(tree.value.shape[1] == width, "trees with values for other outputs")
        want(output == (-1 if width > 1 else 0), f"a tree speaks for output {output}")
        farthest += float(np.abs(tree.value).max())
        if n_classes is not None:
            shares = (tree.value >= 0).all() and (tree.value <= 1).all()
            whole = np.abs(tree.value.sum(axis=1) - 1) <= SUM_TOLERANCE
            want(shares and whole.all(), "values of a classifier that are no shares of classes")
    want(math.isfinite(farthest), "values that add up to infinity")
