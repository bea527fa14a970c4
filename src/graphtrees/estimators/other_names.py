"""Names of parameters in LightGBM, XGBoost and scikit-learn, and what they are called here."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection
from typing import Any

# What to write here: the names of the same in other libraries.
_HERE = {
    "max_leaf_nodes": "num_leaves max_leaves",
    "n_estimators": "n_rounds num_boost_round num_iterations max_iter n_iter num_round "
    "num_trees n_trees iterations epochs",
    "learning_rate": "eta lr shrinkage_rate",
    "max_depth": "depth",
    "min_samples_leaf": "min_child_samples min_data_in_leaf min_samples_split",
    "min_gain": "min_split_gain min_gain_to_split gamma min_impurity_decrease",
    "l2_regularization": "reg_lambda lambda_l2 l2_leaf_reg",
    "feature_fraction": "colsample_bytree",
    "feature_fraction_per_node": "colsample_bynode feature_fraction_bynode colsample_bylevel "
    "max_features",
    "subsample": "bagging_fraction max_samples",
    "max_bins": "max_bin border_count",
    "early_stopping=True and n_iter_no_change": "early_stopping_rounds early_stopping_round "
    "od_wait",
    "loss": "objective loss_function criterion",
    "scoring": "eval_metric metric",
    "random_state": "seed random_seed",
    "n_jobs": "nthread num_threads thread_count",
    "class_weight='balanced'": "is_unbalance",
    "class_weight={0: 1, 1: weight}": "scale_pos_weight",
    "categorical_features": "categorical_feature enable_categorical",
    "verbose": "verbosity silent",
}
ELSEWHERE = {there: here for here, names in _HERE.items() for there in names.split()}

# What there is no counterpart of, by its names there; and the parameter that comes nearest.
_GROWN = (
    "trees always grow leaf by leaf, the largest gain first; max_bins=None tries every threshold"
)
_NO_L1 = "there is no L1 penalty here"
_HESSIANS = "the least sum of hessians in a leaf is fixed here, at 0.001"
_ONE_KIND = "there is one kind of boosting here, gradient boosting of trees: no DART, no GOSS"
_DEVICE = "training runs on the cores of this machine"
_EACH_ROUND = "every round draws anew"
_NO_MONOTONE = "there are no monotone constraints here"
_NO_INTERACTION = "there are no interaction constraints here"
NOT_HERE = {
    "reg_alpha": (_NO_L1, "l2_regularization"),
    "alpha": (_NO_L1, "l2_regularization"),
    "lambda_l1": (_NO_L1, "l2_regularization"),
    "l1_regularization": (_NO_L1, "l2_regularization"),
    "min_child_weight": (_HESSIANS, "min_samples_leaf"),
    "min_sum_hessian_in_leaf": (_HESSIANS, "min_samples_leaf"),
    "min_weight_fraction_leaf": ("there is no limit by weight here", "min_samples_leaf"),
    "max_delta_step": ("there is no limit on the values of leaves here", "learning_rate"),
    "base_score": ("training starts from the best constant here", "init"),
    "booster": (f"{_ONE_KIND}; instead of gblinear, boosting has init='linear'", ""),
    "boosting_type": (_ONE_KIND, ""),
    "tree_method": (_GROWN, "max_bins"),
    "grow_policy": (_GROWN, "max_leaf_nodes"),
    "device": (_DEVICE, "n_jobs"),
    "device_type": (_DEVICE, "n_jobs"),
    "subsample_freq": (_EACH_ROUND, "subsample"),
    "bagging_freq": (_EACH_ROUND, "subsample"),
    "num_class": ("classes are read from y", ""),
    "missing": ("NaN is missing, and goes to the side that training found best", ""),
    "monotone_constraints": (_NO_MONOTONE, ""),
    "monotonic_cst": (_NO_MONOTONE, ""),
    "interaction_constraints": (_NO_INTERACTION, "max_leaf_nodes"),
    "interaction_cst": (_NO_INTERACTION, "max_leaf_nodes"),
}
CLOSE = 0.75  # so alike must two names be, for a slip of the pen

# Values there by parameter, and what to write here.
VALUES = {
    "loss": {
        "squared_error": ("l2", "mse", "ls", "regression", "reg:squarederror", "rmse"),
        "absolute_error": ("l1", "mae", "lad", "regression_l1", "reg:absoluteerror"),
        "log_loss": (
            "binary", "multiclass", "binary:logistic", "multi:softmax", "multi:softprob",
            "logloss", "deviance", "cross_entropy", "binary_crossentropy",
        ),
        "poisson": ("count:poisson",),
        "quantile": ("reg:quantileerror", "pinball"),
        "huber": ("reg:pseudohubererror",),
    },
    "scoring": {
        "roc_auc": ("auc", "auroc", "rocauc"),
        "neg_root_mean_squared_error": ("rmse",),
        "neg_mean_squared_error": ("mse", "l2"),
        "neg_mean_absolute_error": ("mae", "l1"),
        "neg_log_loss": ("logloss", "binary_logloss", "multi_logloss", "log_loss"),
        "average_precision": ("aucpr", "ap"),
        "accuracy": ("acc",),
    },
    "criterion": {"squared_error": ("mse", "l2", "variance"), "gini": ("Gini",)},
}  # fmt: skip


def value_advice(name: str, value: Any, passes: Callable[[Any], bool]) -> str:
    """What to write instead of a value of other libraries; `passes` tells what is accepted."""
    if isinstance(value, str):
        for here, there in VALUES.get(name, {}).items():
            if value in there and passes(here):
                return f" Here: {name}={here!r}."
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name == "early_stopping" and whole and value > 0:
        return f" Here: early_stopping=True, n_iter_no_change={value}."
    if name == "verbose" and whole and value < 0:
        return " Here: verbose=0 is silent."
    if name in ("max_depth", "max_leaf_nodes") and whole and value <= 0:
        return f" Here: {name}=None is no limit."
    return ""


def refuse_foreign(kind: type, names: Any) -> None:
    """Raise TypeError for the first name that is no parameter of `kind`, with the name it has."""
    known = [name for name in inspect.signature(kind.__init__).parameters if name != "self"]  # type: ignore[misc]
    for name in names:
        if name in known:
            continue
        raise TypeError(f"{kind.__name__} has no parameter {name!r}{advice(name, known)}")


def advice(name: str, known: list[str]) -> str:
    """What to write instead, as far as anyone can tell."""
    here = ELSEWHERE.get(name)
    if here is not None and here.partition("=")[0] in known:
        return f"; here: {here}"
    if name in NOT_HERE:
        why, nearest = NOT_HERE[name]
        return f": {why}" + (f"; the nearest is {nearest}" if nearest in known else "")
    return did_you_mean(name, known, CLOSE)


def did_you_mean(name: str, known: Collection[str], cutoff: float = 0.6) -> str:
    """The end of a message: the known name that is nearly the same, if there is one."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    return f"; did you mean {close[0]!r}?" if close else ""
