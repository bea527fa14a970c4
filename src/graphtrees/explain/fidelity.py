"""Are explanations faithful? Take away what they call important, and look at the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphtrees._threads import Workers
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.prediction import predictions, probabilities, raw_values
from graphtrees.explain.counting import METHODS, Counted, count
from graphtrees.explain.judgement import ACTIONS, RANKINGS, Fidelity
from graphtrees.explain.removal import keep_edges, keep_vertices
from graphtrees.graphs import Edges, Graphs, Vertices
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.graphs.validation.arguments import as_count, as_generator, as_list
from graphtrees.validation.examples import read_examples
from graphtrees.validation.models import fitted_trees, workers_of

# Graphs are copied once for every example; at most about this many vertices at a time.
VERTICES_AT_ONCE = 2_000_000

# A random order takes a prediction of all graphs: more would take days, and seeds need room.
MOST_RANDOM = 1_000_000


def fidelity(
    model: Any,
    X: Any,
    fractions: Sequence[float] = (0.1, 0.2, 0.3, 0.5),
    top: Sequence[int] | None = None,
    n_random: int = 5,
    class_: Any = None,
    random_state: Any = None,
    method: str = METHODS[0],
) -> Fidelity:
    """Measure how predictions change without, and with only, the most important vertices.

    If explanations are faithful, taking the most important vertices away changes the prediction
    much more than taking away as many at random, and keeping them alone changes it less.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    X : Graphs, Vertices, Edges, or list of Graph
        For vertex examples the vertex asked about always stays. For edge examples edges are taken
        away, not vertices.
    fractions : sequence of float, default=(0.1, 0.2, 0.3, 0.5)
        Shares of each graph's vertices to remove or keep; at least one vertex.
    top : sequence of int, optional
        Numbers of vertices, in place of `fractions`.
    n_random : int, default=5
        Random rankings to average.
    class_ : label, optional
        The class to explain; default: the predicted one of each example.
    random_state : int, RandomState or None
        Draws the random rankings, and the order of equally important vertices.
    method : {"attribution", "paper"}, default="attribution"
        Which importances to judge; see `explain_many`.

    Returns
    -------
    Fidelity
        Prints as a table. `flipped` is the share of examples whose predicted class changes: after
        removing the most important it is what PyTorch Geometric calls fidelity+, after keeping
        them alone fidelity-. `change` is by how much the probability of the explained class falls
        (for numbers: the mean size of the change).

    Examples
    --------
    >>> import graphtrees as gt
    >>> from graphtrees.explain import fidelity
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=200, n_vertices=10, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> result = fidelity(model, data.X, top=[1], random_state=0)
    >>> ours = result.row("removed", "most important", 1)
    >>> ours["change"] > result.row("removed", "random", 1)["change"]
    True
    """
    sizes = _check_sizes(fractions, top)
    n_random = as_count(n_random, "n_random", most=MOST_RANDOM)
    fitted = fitted_trees(model)
    if fitted.kind == "rows":
        raise ValueError("rows of a table have no vertices to remove: fidelity needs graphs")
    with workers_of(model) as workers:
        counted = count(fitted, X, class_, workers, method, with_edges=False)
        judge = _Judge(fitted, counted, workers)
        return _measure(judge, sizes, n_random, random_state)


def _measure(
    judge: _Judge, sizes: tuple[float | int, ...], n_random: int, random_state: Any
) -> Fidelity:
    counted = judge.counted
    rng = as_generator(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=n_random)
    sums: dict[tuple, np.ndarray] = {}
    for part in _parts(counted):
        for size in sizes:
            for ranking in RANKINGS:
                turns = seeds if ranking == "random" else seeds[:1]
                for seed in turns:
                    rank = part.ranks(ranking, np.random.default_rng([int(seed), part.first]))
                    for action in ACTIONS:
                        changes = judge.changes(part, rank, action, size) / len(turns)
                        key = (action, size, ranking)
                        sums[key] = sums.get(key, np.zeros(2)) + changes
    n = counted.examples.n
    rows = tuple(
        {"action": action, "size": size, "ranking": ranking}
        | {"flipped": float(total[0]) / n, "change": float(total[1]) / n}
        for (action, size, ranking), total in sums.items()
    )
    return Fidelity(rows, n, of_classes=counted.target.labels is not None,
                    unit="edges" if counted.examples.kind == "edges" else "vertices")  # fmt: skip


def _check_sizes(fractions: Sequence[float], top: Sequence[int] | None) -> tuple[float | int, ...]:
    if top is not None:
        for size in as_list(top, "top", "a list of whole numbers"):
            if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
                raise ValueError(f"top must hold whole numbers of at least 1; got {size!r}")
        return tuple(int(size) for size in top)
    for share in as_list(fractions, "fractions", "a list of numbers"):
        if not isinstance(share, Real) or not 0 < float(share) < 1:
            raise ValueError(f"fractions must lie between 0 and 1; got {share!r}")
    return tuple(float(share) for share in fractions)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some examples, each with a copy of its graph: items ptr[e]:ptr[e + 1] can be taken away."""

    first: int
    stop: int
    flat: FlatGraphs
    ptr: np.ndarray
    importance: np.ndarray
    asked: np.ndarray  # the items that examples are about, which stay

    def ranks(self, ranking: str, rng: np.random.Generator) -> np.ndarray:
        """The place of every item in its example, 0 for the first to go; asked ones go last."""
        noise = rng.random(len(self.importance))
        example = np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))
        value = {"most important": -self.importance, "least important": self.importance}
        last = np.zeros(len(noise), bool)
        last[self.asked] = True
        order = np.lexsort((noise, value.get(ranking, noise), last, example))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order)) - self.ptr[example]
        return rank

    def keep(self, rank: np.ndarray, action: str, size: float | int) -> np.ndarray:
        """Which items are left after an action on the first so many by rank."""
        n_items = np.diff(self.ptr) - (len(self.asked) > 0)
        chosen = np.full(len(n_items), size) if isinstance(size, int) else np.maximum(
            np.rint(n_items * size), 1
        )  # fmt: skip
        inside = rank < np.repeat(np.minimum(chosen, n_items), np.diff(self.ptr))
        keep = inside if action == "kept alone" else ~inside
        keep[self.asked] = True
        return keep


@dataclass(frozen=True, eq=False)
class _Judge:
    """Asks the trees again about examples of which something was taken away."""

    fitted: FittedTrees
    counted: Counted
    workers: Workers

    def changes(self, part: _Part, rank: np.ndarray, action: str, size: float | int) -> np.ndarray:
        """(how many predictions flip, by how much the scores fall in all)."""
        target, here = self.counted.target, slice(part.first, part.stop)
        raw = self._raw(part, part.keep(rank, action, size))
        if target.labels is None:
            values = predictions(self.fitted, raw).reshape(len(raw), -1)
            column = values[:, min(int(target.output[0]), values.shape[1] - 1)]
            return np.array([0.0, np.abs(target.scores[here] - column).sum()])
        chances, classes = probabilities(self.fitted, raw), self.fitted.classes
        assert classes is not None
        flipped = classes[chances.argmax(axis=1)] != target.predictions[here]
        explained = np.searchsorted(classes, target.labels[here])
        now = chances[np.arange(len(explained)), explained]
        return np.array([flipped.sum(), (target.scores[here] - now).sum()])

    def _raw(self, part: _Part, keep: np.ndarray) -> np.ndarray:
        examples = read_examples(self.fitted, self._examples(part, keep))
        return raw_values(self.fitted, examples, self.workers)

    def _examples(self, part: _Part, keep: np.ndarray) -> Graphs | Vertices | Edges:
        if self.fitted.kind == "graphs":
            return Graphs._of(keep_vertices(part.flat, keep))
        before = starts_of(keep)
        places = before[part.asked] - before[part.ptr[:-1]]
        numbers = np.arange(len(places))
        if self.fitted.kind == "edges":
            return Edges(Graphs._of(keep_edges(part.flat, keep)), numbers, places)
        return Vertices(Graphs._of(keep_vertices(part.flat, keep)), numbers, places)


def _parts(counted: Counted) -> Iterator[_Part]:
    """The examples in stretches whose copied graphs fit in memory."""
    examples = counted.examples
    of_edges = examples.kind == "edges"
    owner = examples.owner.flat
    sizes = np.diff(owner.vertex_ptr)[examples.graph_of]
    stretch = np.cumsum(sizes) // VERTICES_AT_ONCE
    starts = np.r_[np.flatnonzero(np.r_[True, np.diff(stretch) > 0][: len(sizes)]), len(sizes)]
    for first, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        flat = owner.take(examples.graph_of[first:stop])
        ptr = flat.edge_ptr if of_edges else flat.vertex_ptr
        places = examples.vertex_of[first:stop]
        asked = ptr[:-1] + places if examples.kind != "graphs" else np.empty(0, np.int64)
        held = counted.vertex[counted.vertex_ptr[first] : counted.vertex_ptr[stop]]
        yield _Part(first, stop, flat, ptr, held, asked)
