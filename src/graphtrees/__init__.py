"""Decision trees, random forests and gradient boosting that learn directly on graphs.

>>> import graphtrees as gt
>>> data = gt.datasets.make_red_isolated_vertex(n_graphs=100, n_vertices=20, random_state=0)
>>> model = gt.GraphBoostingClassifier(n_estimators=10).fit(data.X, data.y)
>>> model.predict(data.X).shape
(100,)
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public names and where they live; each is imported when it is first touched, so that
# `import graphtrees` stays instant and never loads Numba.
_HOMES = {
    "graphtrees.graphs": ("Graph", "Graphs", "Vertices", "Edges"),
    "graphtrees.graphs.convert": (
        "from_scipy", "from_networkx", "from_pyg", "from_dgl", "from_igraph", "from_tables",
        "from_smiles", "from_graphml",
    ),
    "graphtrees.graphs.parquet": ("GraphFiles", "scan_parquet"),
    "graphtrees.estimators": (
        "GraphTreeClassifier", "GraphTreeRegressor", "GraphForestClassifier",
        "GraphForestRegressor", "GraphBoostingClassifier", "GraphBoostingRegressor", "Checkpoint",
        "WithLabels", "AutoGraphClassifier", "AutoGraphRegressor", "load_model",
    ),
    "graphtrees.files": ("ModelFileError",),
    "graphtrees.explain": (
        "Explanation", "Fidelity", "explain_many", "export_text", "fidelity",
        "permutation_importance",
    ),
    "graphtrees.plot": (
        "plot_explanation", "plot_graph", "plot_importance", "plot_metric", "plot_tree",
    ),
    "graphtrees.inspection": ("inspect",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("datasets",)

__all__ = sorted([*_HOME_OF, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"graphtrees.{name}")
    raise AttributeError(f"module 'graphtrees' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
