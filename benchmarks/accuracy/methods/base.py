"""What a method is: a recipe for an estimator with `fit(X, y)` and `predict(X)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Setting:
    """What an estimator is made for."""

    kind: str  # "graphs" or "vertices"
    classifies: bool
    seed: int
    metric: str = "accuracy"


@dataclass(frozen=True)
class Method:
    """How to make an estimator, where it applies, and what it needs.

    `make(setting)` returns the estimator; `warm(setting)` a small one of its kind that loads the
    same compiled code. `cost` compares methods, on graphs and on vertices, to start cheap tasks
    first. `missing()` says what is not there, or nothing. `tunes` says that it chooses settings.
    """

    make: Callable[[Setting], Any]
    family: str = "peer"  # or "ours"
    kinds: tuple[str, ...] = ("graphs", "vertices")
    regresses: bool = True
    cost: float = 1.0
    vertex_cost: float | None = None  # None: as on graphs
    needs: tuple[str, ...] = ()  # modules
    warm: Callable[[Setting], Any] | None = None
    lacks: Callable[[], str] = lambda: ""
    threads: int = 1
    tunes: bool = False  # an estimator of `tuning.Tuned`: takes validation parts and settings

    def missing(self) -> str:
        absent = [name for name in self.needs if find_spec(name) is None]
        return f"{', '.join(absent)} is not installed" if absent else self.lacks()

    def cost_on(self, kind: str) -> float:
        return self.cost if kind == "graphs" or self.vertex_cost is None else self.vertex_cost

    def applies(self, kind: str, classifies: bool) -> bool:
        return kind in self.kinds and (classifies or self.regresses)
