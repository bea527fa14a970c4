"""The loop of boosting: rounds, what is watched, who may stop it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from graphtrees._progress import Progress
from graphtrees.ensembles.boosting import Boosting
from graphtrees.ensembles.monitor import EvalSet, Monitor


@dataclass(frozen=True)
class RoundState:
    """What a callback sees: the round (from 0), how many there will be, scores so far.

    `evals_result` maps set name -> metric name -> list of scores, one a round. `boosting` is the
    run itself, with its `trees`.
    """

    round: int
    n_rounds: int
    evals_result: dict[str, dict[str, list[float]]]
    boosting: Boosting


def run_rounds(
    boosting: Boosting, first: int, n_rounds: int, monitor: Monitor, eval_sets: list[EvalSet],
    callbacks: Iterable[Any], progress: Progress,
) -> int:  # fmt: skip
    """Rounds first..n_rounds, unless stopped before; returns how many there are to keep.

    Ctrl-C ends the run with the rounds that are complete.
    """
    done = first
    try:
        for number in range(first, n_rounds):
            state = RoundState(number, n_rounds, monitor.results, boosting)
            if _call(callbacks, "before_round", state):
                break
            _one_round(boosting, monitor, eval_sets)
            done = number + 1
            progress.step(monitor.latest())
            watched = eval_sets[-1].name if eval_sets else "train"
            if monitor.should_stop(watched, number) or _call(callbacks, "after_round", state):
                break
    except KeyboardInterrupt:
        if done == 0:
            raise
        per_round = len(boosting.trees) // done
        del boosting.trees[done * per_round :], boosting.outputs[done * per_round :]
        warnings.warn(f"interrupted: kept the {done} rounds made so far", stacklevel=2)
    progress.close()
    if monitor.patience is not None and monitor.best_round >= 0:
        return monitor.best_round + 1
    return done


def _one_round(boosting: Boosting, monitor: Monitor, eval_sets: list[EvalSet]) -> None:
    trees = boosting.add_round()
    outputs = boosting.outputs[-len(trees) :]
    monitor.record("train", boosting.y, boosting.raw, boosting.weight)
    for one in eval_sets:
        one.advance(trees, outputs, boosting.settings.learning_rate)
        monitor.record(one.name, one.y, one.raw, one.weight)


def _call(callbacks: Iterable[Any], moment: str, state: RoundState) -> bool:
    """Whether any callback asks to stop; a plain function is called after each round."""
    stop = False
    for callback in callbacks:
        method: Callable | None = getattr(callback, moment, None)
        if method is None and moment == "after_round" and callable(callback):
            method = callback
        if method is not None:
            stop = bool(method(state)) or stop
    return stop
