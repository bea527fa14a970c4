"""The list of recipes, from cheap to dear. A new one is a line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import graphtrees.estimators.boosting as boosting
import graphtrees.estimators.forest as forest
from graphtrees.estimators.labels import WithLabels

GRAPHS = ("graphs", "vertices", "edges")
EVERYWHERE = (*GRAPHS, "rows")
IN_GRAPHS = ("vertices", "edges")

FAMILIES = {
    ("boosting", True): boosting.GraphBoostingClassifier,
    ("boosting", False): boosting.GraphBoostingRegressor,
    ("forest", True): forest.GraphForestClassifier,
    ("forest", False): forest.GraphForestRegressor,
}


@dataclass(frozen=True)
class Recipe:
    """A way to learn: an estimator and its parameters.

    `cost` is about how long a fit takes, in fits of the first recipe; it only serves to guess
    what there is time for. `kinds` are the kinds of examples that it is for.
    """

    name: str
    family: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cost: float = 1.0
    kinds: tuple[str, ...] = EVERYWHERE
    label_folds: int = 0  # of `WithLabels` around the estimator; 0: without

    def make(self, classifies: bool, random_state: int, n_jobs: Any) -> Any:
        """The estimator, not fitted."""
        kind: Any = FAMILIES[self.family, classifies]
        model = kind(**self.parameters, random_state=random_state, n_jobs=n_jobs)
        if not self.label_folds:
            return model
        return WithLabels(model, self.label_folds, random_state=random_state)


NO_WALKS = {"max_walk_length": 0, "max_ancestor_distance": 0}

LINEAR = {"init": "linear"}
COUNTS = NO_WALKS | {"colours": 3}
ONE_TREE = LINEAR | {"n_estimators": 1}  # the linear model, and hardly more

RECIPES = (
    Recipe("table", "boosting", NO_WALKS),
    Recipe("linear table", "boosting", NO_WALKS | LINEAR, 2),
    Recipe("linear", "boosting", ONE_TREE, 2, IN_GRAPHS),
    Recipe("colours table", "boosting", COUNTS, 4, ("graphs",)),
    Recipe("table labels", "boosting", NO_WALKS, 6, IN_GRAPHS, label_folds=3),
    Recipe("walks", "boosting", {}, 8, GRAPHS),
    Recipe("forest colours", "forest", {"colours": 3}, 10, ("graphs",)),
    Recipe("linear colours", "boosting", COUNTS | LINEAR, 10, ("graphs",)),
    Recipe("colours", "boosting", {"colours": 2}, 15, ("graphs",)),
    Recipe("forest", "forest", {}, 10),
    Recipe("linear start", "boosting", LINEAR, 12, GRAPHS),
    Recipe("linear labels", "boosting", ONE_TREE, 15, IN_GRAPHS, label_folds=3),
    Recipe("labels", "boosting", LINEAR, 40, IN_GRAPHS, label_folds=3),
)
NAMES = tuple(recipe.name for recipe in RECIPES)


def recipes_for(kind: str, chosen: Any) -> list[Recipe]:
    """The recipes for a kind of example: all, or those whose names are given."""
    fitting = [recipe for recipe in RECIPES if kind in recipe.kinds]
    if chosen is None:
        return fitting
    for name in chosen:
        if name not in [recipe.name for recipe in fitting]:
            listed = ", ".join(recipe.name for recipe in fitting)
            raise ValueError(f"recipes: {name!r} is not for {kind}; those that are: {listed}")
    return [recipe for recipe in fitting if recipe.name in chosen]
