"""Would DART (dropping earlier trees while a new one is fitted) help? Scores on inner parts.

python benchmarks/dart.py --data MUTAG,PROTEINS,Cora

A study, not a feature: boosting with dropout as Rashmi and Gilad-Bachrach (2015) describe it, with
the scaling of XGBoost's `normalize_type="tree"`. Results are in docs/defaults.md.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np
from defaults import judge
from inner_parts import inner_parts

import graphtrees as gt
from graphtrees.ensembles.boosting import Boosting
from graphtrees.estimators import boosted

RATES = (0.0, 0.05, 0.1, 0.2)


class DartBoosting(Boosting):
    """Each round some earlier rounds are forgotten; then they and the new one share their place."""

    rate = 0.1
    steps: list[np.ndarray]  # what each round adds to raw, before its factor

    def add_round(self) -> None:
        if not self.trees:
            self.steps = []
        dropped = np.flatnonzero(self.rng.random(len(self.steps)) < self.rate).tolist()
        for number in dropped:
            self.raw -= self.steps[number]
        before = self.raw.copy()
        super().add_round()
        self.steps.append(self.raw - before)
        self._rescale(len(self.steps) - 1, 1 / (len(dropped) + 1))
        for number in dropped:
            self._rescale(number, len(dropped) / (len(dropped) + 1))
        self.raw[:] = before + self.steps[-1]
        for number in dropped:
            self.raw += self.steps[number]

    def _rescale(self, number: int, factor: float) -> None:
        self.steps[number] *= factor
        start = number * self.trees_a_round
        for k in range(start, start + self.trees_a_round):
            self.trees[k] = replace(self.trees[k], value=self.trees[k].value * factor)


def measure(name: str, rate: float, n_rounds: int) -> np.ndarray:
    """Mean score and log loss over the parts and three seeds."""
    DartBoosting.rate = rate
    told = []
    for X, y, X_score, y_score in inner_parts(name):
        for seed in range(3 if rate else 1):
            model = gt.GraphBoostingClassifier(n_rounds, random_state=seed).fit(X, y)
            told.append(judge(name, model.classes_, y_score, model.predict_proba(X_score)))
    return np.mean(told, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="MUTAG,PROTEINS,Cora")
    parser.add_argument("--rounds", type=int, default=100)
    given = parser.parse_args()
    boosted.Boosting = DartBoosting  # type: ignore[misc]
    for name in given.data.split(","):
        for rate in RATES:
            score, loss = measure(name, rate, given.rounds)
            print(f"{name}, dropout {rate}: {score:.3f} ({loss:.3f})", flush=True)


if __name__ == "__main__":
    main()
