"""What `train --help` says about parameters beside what they mean."""

from __future__ import annotations

# In this order, before all others.
COMMON = (
    "n_estimators", "learning_rate", "max_walk_length", "max_leaf_nodes", "min_samples_leaf",
    "early_stopping", "operators", "class_weight", "n_jobs", "random_state",
)  # fmt: skip

# What they may be, where the words of the estimators do not suit a shell.
WANTED = {
    "max_walk_length": "an integer from 0 to 1000, or NAME=NUMBER with commas between for some "
    "features",
    "colour_features": "auto, or names with commas between",
    "operators": "names with commas between",
    "class_weight": "balanced, weights such as 0=1,1=5, or none; for a forest also "
    "balanced_subsample",
    "categorical_features": "names with commas between, none, or from_dtype (columns of text)",
    "max_bins": "from 2 to 255, or none for every value",
    "scoring": "",
    "memory_limit": "bytes, 2GB, 500MB, or none: what the machine has available",
    "n_jobs": "a number, -1 for every core, or none: what OMP_NUM_THREADS says, else every core",
}

# Of what parameters may be: parts that a shell cannot pass.
PYTHON_ONLY = (
    " or an object with a method gradient(y, raw) or a function f(y, raw) that returns "
    "(gradient, hessian) (not a class: make one of it)",
    " or an estimator with fit and predict",
    ", a RandomState",
)
