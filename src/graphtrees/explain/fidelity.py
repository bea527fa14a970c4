"""Are explanations faithful? Take away what they call important, and look at the prediction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from graphtrees.explain.counting import METHODS, Counted, count
from graphtrees.explain.judgement import ACTIONS, RANKINGS, Fidelity
from graphtrees.explain.removal import keep_edges, keep_vertices
from graphtrees.graphs import Edges, Graphs, Vertices
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.graphs.validation.arguments import as_list

# Graphs are copied once for every example; at most about this many vertices at a time.
VERTICES_AT_ONCE = 2_000_000


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
    if not isinstance(n_random, Integral) or n_random < 1:
        raise ValueError(f"n_random must be an integer of at least 1; got {n_random!r}")
    counted = count(model, X, class_, with_edges=False, method=method)
    if counted.examples.kind == "rows":
        raise ValueError("rows of a table have no vertices to remove: fidelity needs graphs")
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=int(n_random))
    sums: dict[tuple, np.ndarray] = {}
    for part in _parts(counted):
        for size in sizes:
            for ranking in RANKINGS:
                turns = seeds if ranking == "random" else seeds[:1]
                for seed in turns:
                    rank = part.ranks(ranking, np.random.default_rng([int(seed), part.first]))
                    for action in ACTIONS:
                        found = part.judge(model, rank, action, size) / len(turns)
                        key = (action, size, ranking)
                        sums[key] = sums.get(key, np.zeros(2)) + found
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

    counted: Counted
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

    def judge(self, model: Any, rank: np.ndarray, action: str, size: float | int) -> np.ndarray:
        """(how many predictions flip, by how much the scores fall in all)."""
        n_items = np.diff(self.ptr) - (len(self.asked) > 0)
        chosen = np.full(len(n_items), size) if isinstance(size, int) else np.maximum(
            np.rint(n_items * size), 1
        )  # fmt: skip
        inside = rank < np.repeat(np.minimum(chosen, n_items), np.diff(self.ptr))
        keep = inside if action == "kept alone" else ~inside
        keep[self.asked] = True
        return self._compare(model, self._examples(keep))

    def _examples(self, keep: np.ndarray) -> Any:
        kind = self.counted.examples.kind
        if kind == "graphs":
            return Graphs._of(keep_vertices(self.flat, keep))
        places = starts_of(keep)[self.asked] - starts_of(keep)[self.ptr[:-1]]
        numbers = np.arange(len(places))
        if kind == "edges":
            return Edges(Graphs._of(keep_edges(self.flat, keep)), numbers, places)
        return Vertices(Graphs._of(keep_vertices(self.flat, keep)), numbers, places)

    def _compare(self, model: Any, X: Any) -> np.ndarray:
        target = self.counted.target
        here = slice(self.first, self.stop)
        if target.labels is None:
            said = np.asarray(model.predict(X), float).reshape(self.stop - self.first, -1)
            column = said[:, min(int(target.output[0]), said.shape[1] - 1)]
            return np.array([0.0, np.abs(target.scores[here] - column).sum()])
        chances = model.predict_proba(X)
        flipped = model.classes_[chances.argmax(axis=1)] != target.predictions[here]
        explained = np.searchsorted(model.classes_, target.labels[here])
        now = chances[np.arange(len(explained)), explained]
        return np.array([flipped.sum(), (target.scores[here] - now).sum()])


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
        yield _Part(counted, first, stop, flat, ptr, held, asked)
