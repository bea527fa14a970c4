"""What scikit-learn is told where it wants a table and gets graphs."""

from __future__ import annotations

import sys
from typing import NoReturn

INSTEAD = (
    "This function of scikit-learn works on tables alone. For graphs, use "
    "graphtrees.permutation_importance(model, X, y) in place of its namesake, model.explain(X[0]) "
    "in place of partial_dependence, and MultiOutputClassifier in place of ClassifierChain."
)


class NoTable:
    """Graphs, or examples in them, which are no rows of numbers.

    NumPy makes an array of them as of any objects. Only scikit-learn is stopped, which makes arrays
    to check that they have two dimensions, and would go on to advise reshaping the graphs.
    """

    __slots__ = ()

    @property
    def __array_interface__(self) -> NoReturn:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller.partition(".")[0] == "sklearn":
            raise TypeError(
                f"X is made of {type(self).__name__}, not of rows and columns. {INSTEAD}"
            )
        raise AttributeError("__array_interface__")  # NumPy goes on to the next way
