"""What boosting may start from beside a constant: a linear model, or another estimator."""

from graphtrees.estimators.starts.borrowed import BorrowedStart
from graphtrees.estimators.starts.choosing import INIT, Start, make_start
from graphtrees.estimators.starts.columns import most_stored_steps
from graphtrees.estimators.starts.linear import LinearStart, n_linear_columns

__all__ = [
    "INIT",
    "BorrowedStart",
    "LinearStart",
    "Start",
    "make_start",
    "most_stored_steps",
    "n_linear_columns",
]
