"""What a model file holds, and how much of it; docs/model-format.md says the same in words."""

from __future__ import annotations

import numpy as np

FORMAT = "graphtrees model"
ENSEMBLE = "graphtrees ensemble"  # several models in one file, since version 3
VERSION = 3
KINDS = ("graphs", "vertices", "edges", "rows")  # of examples

# The dtype of every stored field of a tree: fixed, so that files do not depend on the machine.
TREE_FIELDS = {
    "column": np.int32, "operator": np.int32, "walk_length": np.int32, "pointer": np.int32,
    "sign": np.int8, "walk_type": np.int8, "aggregator": np.int8, "threshold": np.float64,
    "missing_left": np.bool_, "left": np.int32, "right": np.int32, "depth": np.int32,
    "gain": np.float64, "n_samples": np.int64, "value": np.float64,
}  # fmt: skip

FINGERPRINT = np.dtype("<u4")  # of a training example; two of four billion are equal by chance

# Fitted attributes that are plain arrays or numbers.
ATTRIBUTES = (
    "n_features_in_", "feature_names_in_", "classes_", "init_", "n_iter_", "best_iteration_",
    "evals_result_", "oob_score_",
)  # fmt: skip

# A gzipped file may unpack to a fixed size, or to this many times its own size. Model files
# shrink about 6 times; those of very many equal trees are written with less compression.
UNPACKED_ALWAYS = 2**24
UNPACKED_RATIO = 100

# Parts other than trees are small; trees are as large as the file and read list by list.
DEEPEST = 12  # lists and objects inside each other
MOST_ITEMS = 2**19  # of the parameters, the attributes, the run


class ModelFileError(ValueError):
    """The file is not a model that this version can read.

    Catch it where files come from others; the message says what is wrong with the file.

    Examples
    --------
    >>> import graphtrees as gt, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = file.write_text("[1, 2]")
    >>> try:
    ...     gt.load_model(file)
    ... except gt.ModelFileError:
    ...     print("not a model")
    not a model
    """
