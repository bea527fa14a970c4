"""What each parameter is for and when to change it, as `train --help` says it."""

from __future__ import annotations

# In this order, before all others.
COMMON = (
    "n_estimators", "learning_rate", "max_walk_length", "max_leaf_nodes", "min_samples_leaf",
    "early_stopping", "operators", "class_weight", "n_jobs", "random_state",
)  # fmt: skip

MEANINGS = {
    "n_estimators": "number of trees or rounds; more fit more closely and take longer",
    "learning_rate": "how much each round adds; halve it and double the rounds to fit more finely",
    "max_walk_length": "how many steps a question looks around a vertex; 0 looks at it alone, 3 "
    "and more suit far-reaching patterns",
    "max_leaf_nodes": "leaves of a tree; more leaves find finer rules and overfit sooner",
    "max_depth": "questions on the way to a leaf; limit it for trees that people read",
    "min_samples_leaf": "examples that a leaf has at least; lower it for few examples, raise it "
    "against overfitting",
    "early_stopping": "stop when a part set aside gets no better",
    "validation_fraction": "the share that early stopping sets aside",
    "n_iter_no_change": "rounds without improvement before early stopping",
    "tol": "what early stopping takes for an improvement",
    "scoring": "what early stopping goes by: 'loss' or the name of a scikit-learn scorer, such as "
    "roc_auc",
    "operators": "how walks go: adjacency along edges, reverse against them, mean averages, "
    "relations by each edge type on its own",
    "class_weight": "weigh classes; balanced helps where one is rare",
    "n_jobs": "threads; the model does not depend on it",
    "random_state": "the seed, so that a run can be repeated; none: a new one each time",
    "max_ancestor_distance": "how far up the tree a question finds subsets of vertices; 0 turns "
    "them off and is faster",
    "walk_types": "how walks may be limited to a subset; fewer are faster",
    "aggregators": "how the vertices of a graph become one number; fewer are faster",
    "walk_type_probability": "the chance that a node may limit walks; lower is faster",
    "add_constant": "a feature that is 1 at each vertex, so that walks are counted",
    "categorical_features": "features whose numbers are labels: names with commas between, none, "
    "or from_dtype (text columns)",
    "min_gain": "the least that a split must gain; raise it for smaller trees",
    "ccp_alpha": "prune branches that gain less than this for each leaf",
    "max_bins": "distinct values told apart; none tries each, slowly",
    "loss": "what boosting lowers",
    "multi_strategy": "three classes and more: a tree for each, or one for all",
    "l2_regularization": "shrinks small leaves; raise it against overfitting",
    "subsample": "the share of examples that each tree sees; below 1 is faster, and noisier",
    "feature_fraction": "the share of features that each tree sees; below 1 makes trees differ",
    "feature_fraction_per_node": "the share of questions that each node may ask",
    "alpha": "the quantile of loss=quantile, and where loss=huber turns from squares to lines",
    "criterion": "what a split lowers",
    "bootstrap": "give each tree examples drawn with replacement",
    "max_samples": "how many examples each tree of a forest draws",
    "max_features": "how many questions each node of a forest may ask",
    "oob_score": "score a forest on the examples that its trees did not draw",
    "memory_limit": "the most memory that training may take; where it would need more, it stops "
    "at once",
    "importance_type": "whether features count by what their splits gained, or by their number",
}

# What they may be, where the words of the estimators do not suit a shell.
WANTED = {
    "operators": "names with commas between",
    "class_weight": "balanced, weights such as 0=1,1=5, or none; for a forest also "
    "balanced_subsample",
    "categorical_features": "",
    "scoring": "",
    "memory_limit": "bytes, 2GB, 500MB, or none: what the machine has available",
    "n_jobs": "a number, -1 for every core, or none: what OMP_NUM_THREADS says, else every core",
}

# Of what parameters may be: parts that a shell cannot pass.
PYTHON_ONLY = (
    " or an object with a method gradient(y, raw)",
    ", a RandomState",
)
