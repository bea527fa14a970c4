"""Methods as the TREE-G paper compares them: settings chosen by inner folds, equal budgets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import graphtrees as gt
from benchmarks.accuracy.methods.base import Method, Setting
from benchmarks.accuracy.methods.tuning import Recipe, Tuned

ESTIMATORS = (20, 50)
LENGTHS = DISTANCES = (0, 1, 2)
PROBABILITY = {"graphs": 0.25, "vertices": 0.5}
KERNEL_STRENGTHS = (1.0, 10.0)
GNN_GRID = {"n_layers": (2, 3, 5), "n_hidden": (32, 64), "dropout": (0.0, 0.5),
            "learning_rate": (1e-3, 1e-4)}  # fmt: skip
# Dear to train: fewer settings on graphs, and one inner fold instead of five.
OF_NETWORKS: dict[str, Any] = {"takes_validation": True, "n_inner": 1, "budgets": {"graphs": 6}}
SIDE_BY_SIDE = ("GCN", "GIN", "GraphSAGE")
NETWORKS = ("GCN", "GIN", "GAT", "GATv2", "GraphSAGE")


def _tree_g(setting: Setting, **settings: Any) -> Any:
    """The paper's settings; what it does not name (leaves, regularisation) stays our default."""
    kind = gt.GraphBoostingClassifier if setting.classifies else gt.GraphBoostingRegressor
    fixed = {
        "learning_rate": 0.1,
        "max_depth": 10,
        "walk_type_probability": PROBABILITY[setting.kind],
        "random_state": setting.seed,
        "n_jobs": 1,
    }
    return kind(**fixed | settings)


def _tree_g_staged(model: Any, X: Any, stages: tuple[int, ...], metric: str) -> list[np.ndarray]:
    """Predictions with the first so many rounds; the last ones where training ended before."""
    if metric == "ROC AUC":
        every = [told[:, 1] for told in model.staged_predict_proba(X)]
    else:
        every = list(model.staged_predict(X))
    return [every[min(stage, len(every)) - 1] for stage in stages]


def _lightgbm(setting: Setting, **settings: Any) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if setting.classifies else lightgbm.LGBMRegressor
    return kind(learning_rate=0.1, max_depth=10, random_state=setting.seed, n_jobs=1,
                verbosity=-1, **settings)  # fmt: skip


def _lightgbm_staged(model: Any, X: Any, stages: tuple[int, ...], metric: str) -> list[np.ndarray]:
    if metric == "ROC AUC":
        return [model.predict_proba(X, num_iteration=stage)[:, 1] for stage in stages]
    return [model.predict(X, num_iteration=stage) for stage in stages]


def _columns(X: Any) -> Any:
    from benchmarks.accuracy.methods.tables import columns_of

    return columns_of(X)


def _network(setting: Setting, kind: str, **settings: Any) -> Any:
    from benchmarks.accuracy.methods.pyg import PygNetwork

    return PygNetwork(kind, setting.classifies, setting.seed, **settings)


def _side_by_side(models: list[Any], X: Any, y: np.ndarray, validation: Any) -> list[Any]:
    from benchmarks.accuracy.methods.together import fit_together

    return fit_together(models, X, y, validation)


def _xgraphboost(setting: Setting, **settings: Any) -> Any:
    from benchmarks.accuracy.methods.hybrids import EmbeddingBoosting

    return EmbeddingBoosting(setting.classifies, setting.seed, **settings)


def _xgraphboost_staged(
    model: Any, X: Any, stages: tuple[int, ...], metric: str
) -> list[np.ndarray]:
    return model.staged(X, stages, probabilities=metric == "ROC AUC")


def _bgnn(setting: Setting, **settings: Any) -> Any:
    from benchmarks.accuracy.methods.alternation import Alternation

    return Alternation(setting.classifies, setting.seed, **settings)


def _tuned(recipe: Recipe, cost: float, vertex_cost: float, **more: Any) -> Method:
    return Method(partial(Tuned, recipe), cost=cost, vertex_cost=vertex_cost, tunes=True, **more)


def _ours(lengths: tuple[int, ...], distances: tuple[int, ...], cost: float) -> Method:
    grid = {"max_walk_length": lengths, "max_ancestor_distance": distances}
    warm = partial(_tree_g, n_estimators=2)
    recipe = Recipe(_tree_g, grid, ESTIMATORS, _tree_g_staged)
    return _tuned(recipe, cost, 10 * cost, family="ours", warm=warm)


def _kernel(setting: Setting, name: str) -> Any:
    from benchmarks.accuracy.methods import kernels

    return kernels.KernelSearch(kernels.KERNELS[name], KERNEL_STRENGTHS, setting)


def _kernel_method(name: str, cost: float) -> Method:
    return Method(partial(_kernel, name=name), kinds=("graphs",), regresses=False, cost=cost)


def _colour_machine(setting: Setting, **settings: Any) -> Any:
    from benchmarks.accuracy.methods.colour_machine import ColourMachine

    return ColourMachine(setting.seed, **settings)


def _colours(X: Any) -> Any:
    from benchmarks.accuracy.methods.colour_machine import Colours

    return Colours.of(X)


def _network_method(kind: str) -> Method:
    together = _side_by_side if kind in SIDE_BY_SIDE else None
    recipe = Recipe(partial(_network, kind=kind), GNN_GRID, together=together, **OF_NETWORKS)
    return _tuned(recipe, 4000, 4000, needs=("torch", "torch_geometric"))


def _walk_types(*allowed: str) -> Method:
    """The counting tasks: the paper's settings with every allowed walk type at every node."""
    settings = {"n_estimators": 50, "walk_type_probability": 1.0, "walk_types": allowed}
    make: Callable[..., Any] = partial(_tree_g, **settings)
    return Method(make, "ours", ("graphs",), cost=1, warm=partial(make, n_estimators=2))


def _stopped(setting: Setting) -> Any:
    """All defaults, and as many rounds as a tenth of the training part asks for."""
    kind = gt.GraphBoostingClassifier if setting.classifies else gt.GraphBoostingRegressor
    return kind(500, early_stopping=True, random_state=setting.seed, n_jobs=1)


WALK_TYPES = ("source", "cycle", "target", "target_source")

TUNED = {
    "treeg": _ours(LENGTHS, DISTANCES, 40),
    "treeg-a0": _ours(LENGTHS, (0,), 8),
    "treeg-d0-a0": _ours((0,), (0,), 2),
    "lightgbm-tuned": _tuned(
        Recipe(
            _lightgbm,
            {"num_leaves": (7, 15, 31), "feature_fraction": (0.25, 0.5, 1.0)},
            ESTIMATORS, _lightgbm_staged, _columns,
        ),
        5, 100, needs=("lightgbm",),
    ),
    "wl-kernel": _kernel_method("Weisfeiler-Leman", 9),
    "wl-linear": _tuned(
        Recipe(
            _colour_machine, {"n_rounds": (0, 1, 2, 3, 4, 5), "C": (0.1, 1.0, 10.0)},
            prepare=_colours,
        ),
        20, 20, kinds=("graphs",), regresses=False,
    ),
    "rw-kernel": _kernel_method("random walks", 300),
    **{f"{kind.lower()}-tuned": _network_method(kind) for kind in NETWORKS},
    "xgraphboost": _tuned(
        Recipe(
            _xgraphboost,
            {"n_layers": (3, 5), "n_hidden": (32, 64), "learning_rate": (1e-3, 1e-4),
             "shrinkage": (0.1, 0.01)},
            (50, 100), _xgraphboost_staged, **OF_NETWORKS,
        ),
        3000, 3000, needs=("torch", "torch_geometric", "xgboost"),
    ),
    "bgnn": _tuned(
        Recipe(
            _bgnn,
            {"kind": ("GCN", "GAT"), "n_layers": (2, 3), "n_trees": (10, 20),
             "dropout": (0.0, 0.5), "learning_rate": (1e-2, 1e-3)},
            **OF_NETWORKS,
        ),
        5000, 5000, needs=("torch", "torch_geometric"),
    ),
    "boosting-stopped": Method(
        _stopped, "ours", cost=2, vertex_cost=20,
        warm=partial(_tree_g, n_estimators=2),
    ),
    **{f"only-{kind}": _walk_types(kind) for kind in WALK_TYPES},
    **{
        f"without-{kind}": _walk_types(*(other for other in WALK_TYPES if other != kind))
        for kind in WALK_TYPES
    },
}  # fmt: skip
