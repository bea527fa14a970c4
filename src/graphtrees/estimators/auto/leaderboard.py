"""How the recipes compare, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.estimators.auto.recipes import Recipe

Row = dict[str, Any]


class Leaderboard(Sequence[Row]):
    """Rows, one for each recipe, the best first and those without a score last.

    `score` is the mean over folds, more is better, and `error` its standard error; `weight` is the
    share in the ensemble, `note` why there is no score. `metric` is the name of the score.
    """

    metric = ""

    def __init__(self, rows: Sequence[Row], metric: str = "") -> None:
        self._rows, self.metric = [dict(row) for row in rows], metric

    @classmethod
    def of(
        cls, recipes: Sequence[Recipe], scores: Mapping[str, np.ndarray],
        seconds: Mapping[str, float], weights: Mapping[str, float], notes: Mapping[str, str],
        metric: str,
    ) -> Leaderboard:  # fmt: skip
        rows: list[Row] = []
        for recipe in recipes:
            each = scores.get(recipe.name, np.array([np.nan]))
            error = each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.nan
            rows.append(
                {
                    "recipe": recipe.name,
                    "score": float(each.mean()),
                    "error": float(error),
                    "seconds": float(seconds.get(recipe.name, np.nan)),
                    "weight": float(weights.get(recipe.name, 0.0)),
                    "note": notes.get(recipe.name, ""),
                }
            )
        in_order = sorted(rows, key=lambda row: -np.nan_to_num(row["score"], nan=-np.inf))
        return cls(in_order, metric)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        return self._rows[key]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each recipe."""
        pandas = require("pandas", extra="pandas", purpose="leaderboard_.to_pandas()")
        return pandas.DataFrame(self._rows)

    def __repr__(self) -> str:
        lines = [f"{'recipe':<16}{'score':>12}{'error':>10}{'seconds':>10}{'weight':>8}"]
        for row in self._rows:
            numbers = f"{row['score']:>12.5g}{row['error']:>10.2g}{row['seconds']:>10.1f}"
            numbers = f"  {row['note'][:60]}" if np.isnan(row["score"]) else numbers
            weight = "" if np.isnan(row["score"]) else f"{row['weight']:>8.2f}"
            lines.append(f"{row['recipe']:<16}{numbers}{weight}")
        if self.metric:
            lines.append(f"score: {self.metric}, the mean over the folds; more is better")
        return "\n".join(lines)
