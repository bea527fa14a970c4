"""What parameters and attributes of the estimators mean: for docstrings and `train --help`."""

from __future__ import annotations

# What each parameter is for and when to change it, in one sentence.
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
    "random_state": "the seed, so that a run can be repeated",
    "max_ancestor_distance": "how far up the tree a question finds subsets of vertices; 0 turns "
    "them off and is faster",
    "walk_types": "how walks may be limited to a subset; fewer are faster",
    "aggregators": "how the vertices of a graph become one number; fewer are faster",
    "walk_type_probability": "the chance that a node may limit walks; lower is faster",
    "add_constant": "add a feature that is 1 at each vertex, so that walks are counted",
    "categorical_features": "features whose values are labels",
    "colours": "how many steps of a vertex's surroundings make up its neighbourhood, which "
    "questions then count; 2 or 3 suit molecules, 0 leaves it out",
    "colour_features": "the features that tell vertices of a neighbourhood apart",
    "min_gain": "the least that a split must gain; raise it for smaller trees",
    "ccp_alpha": "prune branches that gain less than this for each leaf",
    "max_bins": "distinct values told apart in the search; fewer are faster",
    "loss": "what boosting lowers",
    "init": "what boosting starts from; linear helps where much of the answer is a weighted sum",
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
    "memory_limit": "the most memory that training may take; where it needs more, large arrays lie "
    "in files",
    "importance_type": "whether features count by what their splits gained, or by their number",
    "warm_start": "let `fit` go on from the trees already there",
    "verbose": "how much to say about progress",
}

# What a docstring adds to that sentence.
MORE = {
    "max_leaf_nodes": "'auto' is one for every 100 examples, at least 10 and at most 31.",
    "max_walk_length": "At most 1000. A dict sets it for some features, by name or place (the "
    "others: 2), a list for each.",
    "colours": "A neighbourhood is a colour of Weisfeiler–Leman refinement: what the vertex and "
    "its neighbours are, in the next round each with its own neighbours, and so on. Those that "
    "`min_samples_leaf` examples hold become features: counted in graphs and in subsets, of "
    "vertices their own, never walked.",
    "colour_features": "'auto' takes categorical features and numbers of at most 32 whole values; "
    "else names or places of features. An empty list makes all vertices alike.",
    "early_stopping": "Goes by the first metric of the last `eval_set` or, without one, of a part "
    "of the examples. The trees after the best round are dropped.",
    "tol": "A round counts as better if the metric gains more than this.",
    "scoring": "Also a function ``(estimator, X, y)``, a metric ``(y_true, y_pred)`` such as "
    "`sklearn.metrics.f1_score`, or a list or dict of these. Of a metric more is better, unless "
    'its name says that it is an error, as "mean_absolute_error" and "my_rmse" do; where it says '
    "nothing, `sklearn.metrics.make_scorer(f, greater_is_better=False)` does. None is the loss.",
    "operators": '"relations" follows every edge type, and every edge feature as weights, on its '
    'own, as do "reverse_relations" and "mean_relations"; a single one goes by its name, such as '
    '"double" or "mean:double".',
    "class_weight": "A dict gives the weight of each class.",
    "n_jobs": "-1 is every core, None what OMP_NUM_THREADS says, else every core.",
    "walk_types": "Walks that start in the subset, come back to where they started, end in it, or "
    "both start and end in it.",
    "aggregators": "For graph examples only.",
    "random_state": "None is another run each time.",
    "max_bins": "None tries every value.",
    "categorical_features": '"from_dtype" takes columns of text and of a categorical type. '
    "A question then asks about one label. A column of text cannot be left "
    "out; the labels of one that are numbers are then read as these numbers.",
    "min_gain": "Gains are decreases of the impurity or the loss, summed over the examples.",
    "ccp_alpha": "Minimal cost-complexity pruning, as in scikit-learn.",
    "loss": "A function ``f(y, raw)`` or ``f(y, raw, weight)`` returns gradient and hessian, as in "
    "LightGBM. An object has a method ``gradient(y, raw)`` and may have ``hessian(y, raw)``, "
    "``init(y, weight)``, ``loss(y, raw)``, ``link(raw)`` and ``leaf_value(y, raw, weight)``.",
    "init": 'None: the constants that fit best. "linear": a penalised linear model on the features '
    "and on their means over neighbours (for graphs: on sums and means over walks), its strength "
    "by cross-validation. An estimator: its predictions. Training examples start from models that "
    "did not see them.",
    "multi_strategy": "One tree per class and round, each class against the rest; one per class, "
    "bound by the softmax; or one tree per round with a value for every class.",
    "l2_regularization": "Added to the hessian of every leaf.",
    "max_features": "Questions are counted by feature, operator, walk length, subset, walk type "
    "and aggregator. A float is a share of them, None is all.",
    "max_samples": "A float is a share of them, None is as many as there are.",
    "oob_score": "Gives `oob_score_`; needs ``bootstrap=True``.",
    "memory_limit": 'In bytes, or as text such as "2GB" or "500MB". `fit` estimates its need from '
    "the sizes of the data. Where it needs more, arrays of a megabyte and more lie in files of "
    "/var/tmp, or of the folder that TMPDIR names (Linux), which is slower. MemoryError is raised "
    "before it starts where that will not do, and with None where it needs more than the machine "
    "has available.",
    "importance_type": "What `feature_importances_` are shares of.",
    "verbose": "1: one line, once it takes long; 2: a line for every round; more: a line for every "
    "so many rounds, such as 10.",
}

# Attributes of fitted estimators: type and meaning.
ATTRIBUTES = {
    "classes_": ("ndarray of shape (n_classes,)", "The labels, sorted."),
    "n_classes_": ("int", "Their number."),
    "n_features_in_": (
        "int", "Number of features seen in `fit`: those of vertices, then those of whole graphs.",
    ),
    "feature_names_in_": (
        "ndarray of shape (n_features,)", "Their names; only where they have names.",
    ),
    "feature_importances_": (
        "ndarray of shape (n_features,)", "The share of each feature in the gain.",
    ),
    "constant_importance_": (
        "float", "The share of questions that count vertices and walks; all shares sum to 1.",
    ),
    "colour_importance_": ("float", "The share of questions about neighbourhoods; see `colours`."),
    "estimators_": ("list or ndarray", "Every tree as an estimator of its own."),
    "init_": (
        "ndarray of shape (n_outputs,)",
        "What each output starts from: the decision function is `init_` plus `learning_rate` times "
        "the sum of the leaves' values, plus what `init_estimator_` says where there is one.",
    ),
    "init_estimator_": (
        "LinearStart, estimator or None",
        "The model that the trees start from; see `init` and `start_values`.",
    ),
    "n_iter_": ("int", "Rounds kept."),
    "best_iteration_": (
        "int", "The round, from 0, with the best first metric of the last set watched.",
    ),
    "best_score_": ("dict", "Set name -> metric name -> score after the best round."),
    "evals_result_": (
        "dict", 'Set name -> metric name -> score after each round; "train" is always there.',
    ),
    "oob_score_": ("float", "Accuracy or R² on examples left out; with ``oob_score=True``."),
    "oob_decision_function_": (
        "ndarray of shape (n_examples, n_classes)",
        "Class shares by the trees that did not draw an example; NaN where all did. With "
        "``oob_score=True``.",
    ),
    "oob_prediction_": (
        "ndarray of shape (n_examples,) or (n_examples, n_outputs)",
        "What the trees that did not draw an example say; NaN where all did. With "
        "``oob_score=True``.",
    ),
}  # fmt: skip

# Arguments that methods share: type and meaning.
ARGUMENTS = {
    "X": (
        "Graphs, Vertices, Edges, list of Graph, GraphFiles, GraphTables, or table",
        "The examples. They are of one kind in `fit` and afterwards.",
    ),
    "y": (
        "array of shape (n_examples,), for regression also (n_examples, n_outputs), or str",
        "The class or number of each example, or the name of a column of Parquet files.",
    ),
    "sample_weight": (
        "array of shape (n_examples,), optional",
        "How much each example counts; default 1.",
    ),
    "groups": (
        "array of shape (n_examples,), optional",
        "Examples of one group are never in two folds: atoms of one molecule, say.",
    ),
    "known": (
        "(X, y), optional",
        "Further labels of the same graphs, beside those of the training set.",
    ),
    "example": (
        "Graph, or Graphs, Vertices, Edges or table of length 1",
        "Such as ``graphs[0]``, ``g.vertices[5]`` or ``g.edges[2]``.",
    ),
    "class_": (
        "label, optional",
        "The class to explain; default: the predicted one. For a regressor with several outputs, "
        "the number of the output.",
    ),
    "method": (
        '{"attribution", "paper"}, default="attribution"',
        "What importances go by: the size of what vertices and edges add to the prediction, or the "
        "paper's ranking by how many of the subsets on the way hold them.",
    ),
    "path": ("str or path", "Ends in .json or .json.gz."),
}
