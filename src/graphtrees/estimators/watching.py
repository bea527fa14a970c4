"""Sets of examples to watch while boosting goes on: given, or set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import _num_samples

from graphtrees._communicator import Part
from graphtrees._warnings import warn_user
from graphtrees.estimators.scanned import read_task
from graphtrees.graphs.frames import library_of
from graphtrees.graphs.labels import as_labels
from graphtrees.graphs.validation.numbers import without_mask
from graphtrees.graphs.validation.sparse import check_sparse
from graphtrees.validation.examples import read_weight
from graphtrees.validation.models import changed_parameters
from graphtrees.validation.targets import read_labels, refuse_missing_numbers

if TYPE_CHECKING:
    from graphtrees.estimators.boosted import BoostedTrees

FORMS = "(X, y), (X, y, sample_weight), a list of these, or a dict of name -> these"


@dataclass(frozen=True)
class Task:
    """Examples, their labels and their weights, as given."""

    X: Any
    y: Any
    weight: Any = None
    name: str = "train"

    def read(self) -> Task:
        """With the contents of Parquet files that are open."""
        return Task(*read_task(self.X, self.y, self.weight), self.name)


def read_eval_sets(eval_set: Any) -> list[Task]:
    """Every set to watch, with its name."""
    if eval_set is None:
        return []
    if isinstance(eval_set, dict):
        named = list(eval_set.items())
    elif isinstance(eval_set, list):
        named = [(f"validation_{k}", one) for k, one in enumerate(eval_set)]
    else:
        named = [("validation", eval_set)]
    for name, one in named:
        if not isinstance(one, (tuple, list)) or len(one) not in (2, 3):
            raise ValueError(f"eval_set must be {FORMS}; got {type(one).__name__} for {name!r}")
        if not isinstance(name, str) or name == "train":
            raise ValueError(f"a name in eval_set must be a str other than 'train'; got {name!r}")
    return [Task(one[0], one[1], one[2] if len(one) == 3 else None, name) for name, one in named]


def hold_out(task: Task, share: float, by_class: bool, seed: int) -> tuple[Task, Task]:
    """The task without a part of its examples, and that part; classes keep their shares.

    The part is drawn among the examples with a weight above 0, as if there were no others.
    """
    n = _num_samples(task.X)
    if task.y is None or _num_samples(task.y) != n:
        came = "none" if task.y is None else _num_samples(task.y)
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X holds {n} examples, "
            f"y {came} labels"
        )
    y = np.asarray(as_labels(without_mask(task.y)))
    if by_class:
        read_labels(task.y, n)
    else:
        refuse_missing_numbers(task.y, n)
    weight = None if task.weight is None else read_weight(task.weight, n)
    known = np.arange(n) if weight is None else np.flatnonzero(weight)
    try:
        _, held = train_test_split(
            known, test_size=share, stratify=y[known] if by_class else None, random_state=seed
        )
    except ValueError as error:
        raise ValueError(
            f"validation_fraction={share} of {len(known)} examples cannot be set aside for early "
            f"stopping: {error} Give an eval_set instead."
        ) from error
    rest = np.setdiff1d(np.arange(n), held)
    parts = [
        Task(choose(task.X, rows), y[rows], None if weight is None else weight[rows], name)
        for rows, name in ((rest, task.name), (np.sort(held), "validation"))
    ]
    return parts[0], parts[1]


def is_empty(X: Any) -> bool:
    """Whether X holds no examples."""
    shape = getattr(X, "shape", None)
    if shape is not None:
        return len(shape) > 0 and shape[0] == 0
    return hasattr(X, "__len__") and len(X) == 0


def choose(X: Any, rows: np.ndarray) -> Any:
    """Some examples of X, whatever X is."""
    if isinstance(X, Part):
        share, chosen = X.share.take(rows)
        return Part(choose(X.X, chosen), share)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        check_sparse(X, "X")
        return X.tocsr()[rows]
    if isinstance(X, (list, tuple)):
        return [X[row] for row in rows]
    if library_of(X) == "pyarrow":
        return X.take(rows)
    return X[rows] if hasattr(X, "__getitem__") else np.asarray(X)[rows]


def warn_of_unused(model: BoostedTrees) -> None:
    """Parameters of early stopping that were set while it is off."""
    names, changed = ("n_iter_no_change", "validation_fraction", "tol"), changed_parameters(model)
    given = [f"{name}={changed[name]!r}" for name in names if name in changed]
    if given and not model.early_stopping:
        listed = ", ".join(given)
        warn_user(f"{listed}: without effect unless early_stopping=True")
