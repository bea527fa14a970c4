"""The loop of boosting: rounds, what is watched, who may stop it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from graphtrees._progress import Progress
from graphtrees.ensembles.boosting import Boosting
from graphtrees.ensembles.monitor import Monitor
from graphtrees.trees.tree import Tree

MOMENTS = ("before_round", "after_round")


@dataclass(frozen=True)
class RoundState:
    """What a callback is told.

    Parameters
    ----------
    round : int
        The round, from 0.
    n_rounds : int
        How many there will be at most.
    evals_result : dict
        Set name -> metric name -> scores, one a round; "train" is always among the sets. After a
        round its scores are there.
    """

    round: int
    n_rounds: int
    evals_result: dict[str, dict[str, list[float]]]
    _snapshot: Callable[[], Any]

    @property
    def model(self) -> Any:
        """A fitted estimator of the trees made so far: it predicts, and can be saved."""
        return self._snapshot()


def check_callbacks(callbacks: Any) -> list[Any]:
    """A list of callbacks, each with a method of the protocol or a function."""
    listed = [] if callbacks is None else callbacks
    if not isinstance(listed, (list, tuple)):
        listed = [listed]
    for one in listed:
        if not (callable(one) or any(callable(getattr(one, m, None)) for m in MOMENTS)):
            raise TypeError(
                "callbacks must be functions, or objects with before_round(state) or "
                f"after_round(state); got {one!r}"
            )
    return list(listed)


def repeat_rounds(
    boosting: Boosting, monitor: Monitor, trees: Sequence[Tree], outputs: Sequence[int]
) -> None:
    """Go through the rounds of an earlier run again, as if they had been made just now."""
    step = boosting.trees_a_round
    for start in range(0, len(trees), step):
        boosting.repeat_round(trees[start : start + step], outputs[start : start + step])
        monitor.record(*boosting.last_round(), boosting.settings.learning_rate)


def run_rounds(
    boosting: Boosting, n_rounds: int, monitor: Monitor, callbacks: Sequence[Any],
    progress: Progress, snapshot: Callable[[], Any],
) -> int:  # fmt: skip
    """Rounds up to n_rounds, unless stopped before; returns how many there are to keep.

    Ctrl-C ends the run with the rounds that are complete, if there is any.
    """
    done = len(boosting.trees) // boosting.trees_a_round
    try:
        while done < n_rounds and not monitor.says_stop:
            state = RoundState(done, n_rounds, monitor.results, snapshot)
            if _call(callbacks, "before_round", state):
                break
            boosting.add_round()
            monitor.record(*boosting.last_round(), boosting.settings.learning_rate)
            done += 1
            progress.step(monitor.latest())
            if _call(callbacks, "after_round", state):
                break
    except KeyboardInterrupt:
        if done == 0:
            raise
        boosting.forget_after(done)
        monitor.forget_after(done)
        warnings.warn(f"interrupted: kept the {done} rounds made so far", stacklevel=2)
    progress.close()
    if monitor.patience is not None and monitor.best_round >= 0:
        return min(done, monitor.best_round + 1)
    return done


def _call(callbacks: Sequence[Any], moment: str, state: RoundState) -> bool:
    """Whether any callback asks to stop; a plain function is called after each round."""
    stop = False
    for callback in callbacks:
        method: Callable | None = getattr(callback, moment, None)
        if method is None and moment == "after_round" and callable(callback):
            method = callback
        if method is not None:
            stop = bool(method(state)) or stop
    return stop
