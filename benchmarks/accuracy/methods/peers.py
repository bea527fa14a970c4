"""The other methods; each is imported when it is made."""

from __future__ import annotations

from typing import Any

from benchmarks.accuracy.methods.base import Method, Setting


def _lightgbm(setting: Setting) -> Any:
    import lightgbm

    from benchmarks.accuracy.methods.tables import OnColumns

    kind = lightgbm.LGBMClassifier if setting.classifies else lightgbm.LGBMRegressor
    return OnColumns(kind(random_state=setting.seed, n_jobs=1, verbosity=-1))


def _xgboost(setting: Setting) -> Any:
    import xgboost

    from benchmarks.accuracy.methods.tables import OnColumns

    kind = xgboost.XGBClassifier if setting.classifies else xgboost.XGBRegressor
    return OnColumns(kind(random_state=setting.seed, n_jobs=1))


def _smoothed(setting: Setting) -> Any:
    from benchmarks.accuracy.methods.linear import SmoothedLinear

    return SmoothedLinear(setting.classifies, setting.seed)


def _wl_forest(setting: Setting) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    from benchmarks.accuracy.methods.refinement import OnColourCounts

    return OnColourCounts(RandomForestClassifier(500, random_state=setting.seed, n_jobs=1))


def _wl_svm(setting: Setting) -> Any:
    from benchmarks.accuracy.methods.refinement import KernelMachine, OnColourCounts

    return OnColourCounts(KernelMachine(setting.seed))


def _gin(setting: Setting) -> Any:
    from benchmarks.accuracy.methods.networks import GraphNetwork

    return GraphNetwork("GIN", setting.classifies, setting.seed)


def _gcn(setting: Setting) -> Any:
    from benchmarks.accuracy.methods.networks import GraphNetwork

    return GraphNetwork("GCN", setting.classifies, setting.seed)


GRAPHS = ("graphs",)
VERTICES = ("vertices",)

PEERS = {
    "lightgbm": Method(_lightgbm, cost=1, needs=("lightgbm",)),
    "xgboost": Method(_xgboost, cost=1.5, needs=("xgboost",)),
    "wl-forest": Method(_wl_forest, kinds=GRAPHS, regresses=False, cost=2),
    "wl-svm": Method(_wl_svm, kinds=GRAPHS, regresses=False, cost=3),
    "smoothed-linear": Method(_smoothed, kinds=VERTICES, cost=1),
    "gin": Method(_gin, cost=10, needs=("torch",)),
    "gcn": Method(_gcn, cost=9, needs=("torch",)),
}
