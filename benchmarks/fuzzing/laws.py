"""What must hold of every model on every task. Each law takes a task and raises where it breaks."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.tasks import Task

TESTS = Path(__file__).parents[2] / "tests"


class BrokenLawError(Exception):
    """A law does not hold; the text says where."""


def check_law(law: str, task: Task) -> None:
    LAWS[law](task)


def said(model: Any, X: Any) -> np.ndarray:
    """Probabilities, or numbers."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


def content(model: Any) -> dict[str, Any]:
    """The model file, without the number of threads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        held = json.loads(path.read_text())
    held["parameters"].pop("n_jobs", None)
    return held


def require(holds: Any, text: str) -> None:
    if not holds:
        raise BrokenLawError(text)


def same(one: np.ndarray, other: np.ndarray, text: str) -> None:
    if not np.array_equal(one, other):
        raise BrokenLawError(f"{text}: {_first_difference(one, other)}")


def _first_difference(one: np.ndarray, other: np.ndarray) -> str:
    if np.shape(one) != np.shape(other):
        return f"shapes {np.shape(one)} and {np.shape(other)}"
    places = np.argwhere(np.asarray(one) != np.asarray(other))
    if not len(places):
        return "no difference"
    at = tuple(int(k) for k in places[0])
    return f"{one[at]!r} and {other[at]!r} at {at}"


# ---- the laws ------------------------------------------------------------------------------------


def predictions_are_finite_and_shaped(task: Task) -> None:
    model, n = task.fitted(), len(task.y)
    answers = {"predict": model.predict(task.X)}
    if task.is_classifier:
        answers["predict_proba"] = chances = model.predict_proba(task.X)
        require(chances.shape == (n, len(model.classes_)), f"predict_proba: {chances.shape}")
        require(np.allclose(chances.sum(axis=1), 1.0), "probabilities do not sum to 1")
        require(set(answers["predict"]) <= set(model.classes_), "predict: a class never seen")
    if hasattr(model, "staged_predict"):
        *_, last = model.staged_predict(task.X)
        same(last, answers["predict"], "the last of staged_predict is not predict")
    require(len(answers["predict"]) == n, f"{len(answers['predict'])} predictions for {n}")
    for name, values in answers.items():
        require(np.isfinite(values).all(), f"{name} is not finite")
    require(np.asarray(model.apply(task.X)).shape[0] == n, "apply has another length")
    require(np.isfinite(model.feature_importances_).all(), "feature_importances_ not finite")


def threads_change_no_bit(task: Task) -> None:
    one, two = task.fitted(n_jobs=1), task.fitted(n_jobs=2)
    require(content(one) == content(two), "n_jobs=1 and n_jobs=2 train different models")
    same(said(one, task.X), said(two, task.X), "predictions of n_jobs=1 and n_jobs=2 differ")


def relabelling_changes_nothing(task: Task) -> None:
    if task.given["about"] == "rows" or task.given.get("categories") or task.given.get("sparse"):
        return
    import graphtrees as gt
    from fuzzing.tasks import build_graph

    rng = np.random.default_rng(0)
    graphs, order, first = [], [], 0
    for one in task.given["graphs"]:
        shuffled, new = _relabelled(one, rng)
        graphs.append(build_graph(shuffled, task.given))
        order += [first + int(k) for k in new]
        first += one["n"]
    other_X = task.with_graphs(gt.Graphs(graphs))
    model = task.fitted()
    wanted, got = said(model, task.X), said(model, other_X)
    by_vertex = task.given["about"] == "vertices"
    same(wanted[order] if by_vertex else wanted, got, "prediction after relabelling")
    if not by_vertex:
        again = task.model().fit(other_X, task.y, sample_weight=task.weight)
        same(wanted, said(again, task.X), "training on relabelled graphs")


def _relabelled(one: dict[str, Any], rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    order = rng.permutation(one["n"])
    number = np.argsort(order)
    edges = number[np.array(one["edges"], dtype=int).reshape(-1, 2)].tolist()
    return one | {"x": [one["x"][k] for k in order], "edges": edges}, order


def saved_models_predict_the_same(task: Task) -> None:
    import graphtrees as gt

    model = task.fitted()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json.gz"
        model.save(path)
        loaded = gt.load_model(path)
    same(said(model, task.X), said(loaded, task.X), "a saved model predicts otherwise")
    require(content(model) == content(loaded), "a loaded model is written otherwise")
    for name, twin in (("copy", copy.deepcopy(model)), ("pickle", _pickled(model))):
        same(said(model, task.X), said(twin, task.X), f"a {name} predicts otherwise")


def _pickled(model: Any) -> Any:
    return pickle.loads(pickle.dumps(model))


def weight_two_is_the_example_twice(task: Task) -> None:
    drawn = {"bootstrap": False, "max_features": None} if _is(task, "Forest") else {}
    drawn |= {"subsample": 1.0, "feature_fraction": 1.0} if _is(task, "Boosting") else {}
    exact = {"max_bins": None, "min_samples_leaf": 1, "walk_type_probability": 1.0}
    if _is(task, "Forest") or not _moderate(task):
        return  # equal gains are settled by chance; large numbers round
    times = 1 + np.arange(len(task.y)) % 2
    chosen = np.repeat(np.arange(len(task.y)), times)
    weighted = task.model(**exact | drawn).fit(task.X, task.y, sample_weight=times.astype(float))
    repeated = task.model(**exact | drawn).fit(task.X[chosen], task.y[chosen])
    one, other = said(weighted, task.X), said(repeated, task.X)
    close = np.allclose(one, other, rtol=1e-6, atol=1e-9)
    require(close, f"weight two is not the example twice: {_first_difference(one, other)}")


def _is(task: Task, kind: str) -> bool:
    return kind in task.given["estimator"]


def _moderate(task: Task) -> bool:
    """Whether targets and rates keep gains apart by more than rounding."""
    return task.given["parameters"].get("learning_rate", 0.1) <= 1.0


def fitting_again_gives_the_same_model(task: Task) -> None:
    from sklearn.base import clone

    model = task.model()
    first = content(model.fit(task.X, task.y, sample_weight=task.weight))
    again = content(model.fit(task.X, task.y, sample_weight=task.weight))
    require(first == again, "the second fit of one estimator gives another model")
    cloned = clone(model).fit(task.X, task.y, sample_weight=task.weight)
    require(first == content(cloned), "a clone gives another model")


def training_and_prediction_agree(task: Task) -> None:
    """What training has scored is what the model says of the same examples."""
    if not _is(task, "Boosting"):
        return
    again = (task.X, task.y, *(() if task.weight is None else (task.weight,)))
    classes_weigh = {"class_weight": None} if task.is_classifier else {}
    model = task.model(**classes_weigh)
    model.fit(task.X, task.y, sample_weight=task.weight, eval_set={"again": again})
    one, other = (np.array(model.evals_result_[name]["loss"]) for name in ("train", "again"))
    close = np.allclose(one, other, rtol=1e-9, atol=1e-12)
    require(close, f"training scores its examples otherwise: {_first_difference(one, other)}")


def a_run_in_parts_gives_the_same_model(task: Task) -> None:
    """A warm start goes on as if the run had never stopped; trees that are there stay."""
    if not _is(task, "Boosting"):
        return
    whole, parts = task.fitted(), task.model(n_estimators=1, warm_start=True)
    parts.fit(task.X, task.y, sample_weight=task.weight)
    first = said(parts, task.X)
    n_rounds = task.given["parameters"]["n_estimators"]
    parts.set_params(n_estimators=n_rounds).fit(task.X, task.y, sample_weight=task.weight)
    require(content(parts)["trees"] == content(whole)["trees"], "a run in parts has other trees")
    same(said(parts, task.X), said(whole, task.X), "a run in parts predicts otherwise")
    parts.set_params(n_estimators=n_rounds + 1)
    half = slice(0, max(1, len(task.y) // 2))
    if task.is_classifier and len(np.unique(task.y[half])) < len(parts.classes_):
        return
    weight = None if task.weight is None else task.weight[half]
    if weight is not None and not weight.any():
        return
    parts.fit(task.X[half], task.y[half], sample_weight=weight)
    staged = "staged_predict_proba" if hasattr(parts, "staged_predict_proba") else "staged_predict"
    same(next(iter(getattr(parts, staged)(task.X))), first, "the first tree says something else")


def explanations_add_up(task: Task) -> None:
    model = task.fitted()
    few = task.X[: min(4, len(task.y))]
    import graphtrees as gt

    for e in gt.explain_many(model, few):
        change = e.raw_score - e.start
        scale = max(1.0, abs(e.raw_score), abs(e.start))
        by_vertices = float(np.sum(e.vertex_attribution)) + e.absence
        by_edges = float(np.sum(e.edge_attribution)) + e.walk_length_zero + e.absence
        require(abs(by_vertices - change) < 1e-7 * scale, f"vertices: {by_vertices} for {change}")
        require(abs(by_edges - change) < 1e-7 * scale, f"edges: {by_edges} for {change}")
        require((np.asarray(e.vertex_importance) >= 0).all(), "a negative importance")
        e.rules()
        json.dumps(e.to_dict())


def workers_give_the_model_of_one(task: Task) -> None:
    """Three workers, threads of this process, train together."""
    if task.given["about"] in ("vertices", "edges") or task.given["parameters"].get("init"):
        return
    if not len(task.y):
        return  # no model
    _find_tests()
    import communicators

    owner = np.resize([0, 1, 2, 1], len(task.y))
    owner = np.unique(owner, return_inverse=True)[1]
    models = communicators.train_together(
        task.model(), task.X, task.y, owner, sample_weight=task.weight
    )
    wanted = content(task.fitted())
    for rank, one in enumerate(models):
        require(content(one) == wanted, f"worker {rank} of {len(models)} has another model")


def parquet_files_hold_everything(task: Task) -> None:
    if find_spec("pyarrow") is None or task.given["about"] != "graphs":
        return
    import graphtrees as gt

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs"
        task.graphs.to_parquet(path, rows_per_file=3, y=task.y)
        files = gt.scan_parquet(path)
        again, y = files.read_all(), files.labels()
    same(y, task.y, "labels read from Parquet")
    wanted = content(task.fitted())
    got = content(task.model().fit(again, y, sample_weight=task.weight))
    require(wanted == got, "graphs read from Parquet give another model")


def every_split_is_the_best(task: Task) -> None:
    """Against enumeration; for `exact_task` only."""
    _find_tests()
    import oracles

    given, names = task.given, ("max_walk_length", "max_ancestor_distance", "walk_types")
    told = [oracles.dense(graph, constant=True) for graph in task.graphs]
    examples = [oracles.Example(graph) for graph in told]
    if given["about"] == "vertices":
        examples = [oracles.Example(graph, i) for graph in told for i in range(graph.n_vertices)]
    if len(examples) < 3 or len(examples) > 30:
        return
    model, asked = task.fitted(), given["parameters"]
    frame = oracles.by_column(model.trees_to_dataframe(), told[0].columns)
    offered = {name: _tupled(asked[name]) for name in (*names, "aggregators") if name in asked}
    offer = oracles.Offer(told[0].features.shape[1], **offered)
    ones = np.ones(len(examples))
    if task.is_classifier:
        criterion = oracles.Impurity(
            np.searchsorted(model.classes_, task.y), len(model.classes_), ones, "gini"
        )
    else:
        criterion = oracles.squared_error(task.y, ones)
    limits = oracles.Limits(
        max_leaf_nodes=asked.get("max_leaf_nodes"),
        min_samples_leaf=asked.get("min_samples_leaf", 1),
    )
    try:
        oracles.check_tree(
            frame, examples, criterion, offer, limits, midway=asked.get("max_bins", 255) is None
        )
        leaf = oracles.leaves(frame, examples)
    except oracles.TooCloseError:
        return
    except AssertionError as error:
        raise BrokenLawError(f"the oracle disagrees: {str(error)[:300]}") from None
    same(np.asarray(model.apply(task.X)).reshape(leaf.shape), leaf, "leaves of the oracle")


def _find_tests() -> None:
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


LAWS = {
    law.__name__: law
    for law in (
        predictions_are_finite_and_shaped,
        threads_change_no_bit,
        relabelling_changes_nothing,
        saved_models_predict_the_same,
        weight_two_is_the_example_twice,
        fitting_again_gives_the_same_model,
        training_and_prediction_agree,
        a_run_in_parts_gives_the_same_model,
        explanations_add_up,
        workers_give_the_model_of_one,
        parquet_files_hold_everything,
        every_split_is_the_best,
    )
}
