"""What a model file holds."""

from __future__ import annotations

import numpy as np

FORMAT = "graphtrees model"
VERSION = 1
KINDS = ("graphs", "vertices", "edges", "rows")  # of examples

# The dtype of every stored field of a tree: fixed, so that files do not depend on the machine.
TREE_FIELDS = {
    "column": np.int32, "operator": np.int32, "walk_length": np.int32, "pointer": np.int32,
    "sign": np.int8, "walk_type": np.int8, "aggregator": np.int8, "threshold": np.float64,
    "missing_left": np.bool_, "left": np.int32, "right": np.int32, "depth": np.int32,
    "gain": np.float64, "n_samples": np.int64, "value": np.float64,
}  # fmt: skip

# Fitted attributes that are plain arrays or numbers.
ATTRIBUTES = (
    "n_features_in_", "feature_names_in_", "classes_", "init_", "n_iter_", "best_iteration_",
    "evals_result_", "oob_score_",
)  # fmt: skip


class ModelFileError(ValueError):
    """The file is not a model that this version can read."""
