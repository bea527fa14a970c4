"""Predictions of fitted trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphtrees._communicator import HERE, Totals
from graphtrees._threads import Workers
from graphtrees.columns.batch import Batch
from graphtrees.columns.making import make_batch
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.trees.part_routing import router_of
from graphtrees.trees.routing import Router, sum_values


def batch_of(fitted: FittedTrees, examples: Examples, workers: Workers) -> Batch:
    """Examples laid out for prediction; of the colours, those that the trees ask about.

    Before there are trees, all colours: not lane by lane, so that they may be kept as lists. Each
    vertex of a large graph may have colours of its own.
    """
    features, questions, colours = fitted.features, fitted.questions, None
    lane_major = questions.of_graphs
    if features.n_colours and fitted.trees:
        first = features.n_columns - features.n_colours
        used = np.array(fitted.packed.every_column(), np.int64)
        colours = used[used >= first] - first
    elif features.n_colours:
        lane_major = False
    return make_batch(
        examples.flat, features, questions.operators, lane_major, questions.adds_up,
        colours=colours, totals=Totals(examples.communicator, halo=examples.halo)
        if examples.halo is not None else HERE, workers=workers,
    )  # fmt: skip


def route(fitted: FittedTrees, examples: Examples, workers: Workers) -> Router:
    """Examples that are ready to go through trees."""
    return router_of(
        batch_of(fitted, examples, workers), examples.vertices, workers, examples.share
    )


def start_values(fitted: FittedTrees, examples: Examples) -> np.ndarray:
    """Where each example stands before any tree, (n_examples, n_outputs)."""
    if fitted.init is None:
        return np.zeros((examples.n, fitted.n_outputs))
    raw = np.tile(fitted.init, (examples.n, 1)).astype(np.float64)
    if fitted.start is not None:
        raw += fitted.start.raw(fitted.features, examples)
    return raw


def raw_values(fitted: FittedTrees, examples: Examples, workers: Workers) -> np.ndarray:
    """The decision function of boosting, or the mean of the trees; (n_examples, n_outputs)."""
    return with_trees(fitted, route(fitted, examples, workers), start_values(fitted, examples))


def with_trees(fitted: FittedTrees, router: Router, start: np.ndarray) -> np.ndarray:
    """Where examples stand after all trees, from where they stand before them."""
    raw = start.copy()
    if fitted.trees:
        sum_values(router, fitted.packed, fitted.outputs, fitted.scale, raw)
    return raw if fitted.is_boosted else raw / len(fitted.trees)


def staged_values(
    fitted: FittedTrees, examples: Examples, workers: Workers, n_rounds: int
) -> Iterator[np.ndarray]:
    """The decision function of boosting after each round."""
    raw, router = start_values(fitted, examples), route(fitted, examples, workers)
    step = max(1, len(fitted.trees) // max(1, n_rounds))
    for start in range(0, len(fitted.trees), step):
        part = slice(start, start + step)
        sum_values(router, fitted.packed[part], fitted.outputs[part], fitted.scale, raw)
        yield raw.copy()


def leaves_of(fitted: FittedTrees, examples: Examples, workers: Workers) -> np.ndarray:
    """The leaf of every example in every tree, (n_examples, n_trees)."""
    leaves = route(fitted, examples, workers).leaves(fitted.packed)
    return leaves if examples.share is None else examples.share.in_order(leaves)


def probabilities(fitted: FittedTrees, raw: np.ndarray) -> np.ndarray:
    """The probability of each class, (n_examples, n_classes)."""
    assert fitted.classes is not None
    if fitted.loss is None:
        return raw
    return np.ones((len(raw), 1)) if len(fitted.classes) == 1 else fitted.loss.link(raw)


def predictions(fitted: FittedTrees, raw: np.ndarray) -> np.ndarray:
    """The most probable classes; or numbers, (n_examples,) or (n_examples, n_outputs)."""
    if fitted.classes is not None:
        return fitted.classes[probabilities(fitted, raw).argmax(axis=1)]
    values = raw if fitted.loss is None else fitted.loss.link(raw)
    return one_column(values)


def one_column(values: np.ndarray) -> np.ndarray:
    """(n_examples,) where there is one output, else (n_examples, n_outputs)."""
    return values[:, 0] if values.shape[1] == 1 else values
