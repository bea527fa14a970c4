"""Check `X`, as every estimator does first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphtrees.graphs.validation.where import kind_of

if TYPE_CHECKING:
    from graphtrees.graphs.collection import Graphs
    from graphtrees.graphs.examples import Edges, Vertices


def as_examples(X: Any, *, allow_single: bool = False) -> Graphs | Vertices | Edges:
    """`X` as examples: Graphs, Vertices or Edges; a list of Graph becomes Graphs.

    Parameters
    ----------
    X : Graphs, Vertices, Edges or sequence of Graph (a list, an array, a column of a table)
    allow_single : bool, default=False
        Whether a lone `Graph` stands for a collection of one.
    """
    # The containers are validated here themselves, so they are imported here, not above.
    from graphtrees.graphs.collection import Graphs
    from graphtrees.graphs.examples import Edges, Vertices
    from graphtrees.graphs.graph import Graph

    if isinstance(X, (Graphs, Vertices, Edges)):
        return X
    if isinstance(X, Graph):
        if allow_single:
            return Graphs([X])
        raise TypeError(
            "X is one Graph: is the graph the example, or each of its vertices? "
            "Use Graphs([g]) or g.vertices."
        )
    items = list(X) if _is_column(X) else X
    if isinstance(items, (list, tuple)) and all(isinstance(item, Graph) for item in items):
        return Graphs(items)
    raise TypeError(
        f"X must be Graphs, Vertices, Edges or a list of Graph; got {_describe(X)}.{_hint(X)}"
    )


def _is_column(X: Any) -> bool:
    """Whether X is a one-dimensional array of objects, or a column of a pandas table."""
    is_array = isinstance(X, np.ndarray) or hasattr(X, "iloc")
    return is_array and getattr(X, "ndim", 0) == 1 and X.dtype == object


def _describe(X: Any) -> str:
    if isinstance(X, (list, tuple)):
        from graphtrees.graphs.graph import Graph

        place = next(i for i, item in enumerate(X) if not isinstance(item, Graph))
        return f"{kind_of(X)} whose item {place} is {kind_of(X[place])}"
    return kind_of(X)


# Library of the graphs given -> the converter that reads them.
_CONVERTERS = {
    "networkx": "from_networkx",
    "torch_geometric": "from_pyg",
    "dgl": "from_dgl",
    "igraph": "from_igraph",
    "scipy": "from_scipy",
    "pandas": "from_tables",
    "polars": "from_tables",
    "pyarrow": "from_tables",
    "rdkit": "from_smiles",
}


# Class of files that are open -> how to get examples from them.
_FILES = {
    "GraphFiles": "Its read_all() gives Graphs",
    "GraphTables": "Its read_all().vertices are Vertices",
}


def _hint(X: Any) -> str:
    item = X[0] if isinstance(X, (list, tuple)) and X else X
    if isinstance(item, str):
        return " SMILES are read by graphtrees.from_smiles."
    if type(item).__name__ in _FILES:
        return f" {_FILES[type(item).__name__]}."
    for kind in type(item).__mro__:
        converter = _CONVERTERS.get(kind.__module__.partition(".")[0])
        if converter:
            return f" See graphtrees.{converter}."
    return ""
