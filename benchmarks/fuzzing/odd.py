"""Values by name: sound ones, and such as nobody would think of."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np


def _sparse(kind: str = "csr", dtype: Any = float) -> Any:
    import scipy.sparse as sp

    return getattr(sp, f"{kind}_array")(np.eye(4, dtype=dtype))


def _broken_sparse() -> Any:
    matrix = _sparse()
    matrix.indices[0] = 77
    return matrix


def _frame(**columns: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(columns or {"a": [1.0, 2.0, 3.0, 4.0], "b": [0, 1, 0, 1]})


def _twice() -> Any:
    frame = _frame()
    frame.columns = ["a", "a"]
    return frame


def _nullable() -> Any:
    import pandas as pd

    return _frame(a=pd.array([1, None, 3, 4], dtype="Int64"))


def _a_graph(**given: Any) -> Any:
    import graphtrees as gt

    features = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])
    return gt.Graph(features, [(0, 1), (1, 2), (2, 3)], **given)


def _graphs(n: int = 6) -> Any:
    import graphtrees as gt

    return gt.Graphs([_a_graph() if k % 2 else _path(k + 1) for k in range(n)])


def _path(n: int) -> Any:
    import graphtrees as gt

    return gt.Graph(np.arange(2.0 * n).reshape(n, 2), [(i, i + 1) for i in range(n - 1)])


@cache
def _model(kind: str = "GraphBoostingClassifier") -> Any:
    import graphtrees as gt

    trees = {} if "Tree" in kind else {"n_estimators": 2}
    smallest = {"min_samples_leaf": 1, "random_state": 0, "n_jobs": 1}
    return getattr(gt, kind)(**trees, **smallest).fit(_graphs(), [0, 1, 0, 1, 0, 1])


def _networkx() -> Any:
    import networkx as nx

    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, {k: float(k) for k in range(4)}, "size")
    return graph


def _polars() -> Any:
    import polars as pl

    return pl.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": ["x", "y", "x", "y"]})


def _loop() -> list:
    inner: list = []
    inner.append(inner)
    return inner


class _Hostile:
    """Its length and its items contradict each other."""

    def __len__(self) -> int:
        return -1

    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("no items here")


GOOD: dict[str, Callable[[], Any]] = {
    "features": lambda: np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]),
    "edges": lambda: np.array([[0, 1], [1, 2], [2, 3]]),
    "edges across": lambda: np.array([[0, 1, 0], [1, 2, 0]]),
    "vertex ptr": lambda: np.array([0, 3, 4]),
    "edge ptr": lambda: np.array([0, 2, 3]),
    "edge numbers": lambda: np.array([1.0, 2.0, 0.5]),
    "edge table": lambda: np.ones((3, 2)),
    "labels": lambda: ["a", "b", "a"],
    "names": lambda: ["size", "age"],
    "vertex names": lambda: ["p", "q", "r", "s"],
    "graphs": _graphs,
    "graph": _a_graph,
    "y": lambda: np.array([0, 1, 0, 1, 0, 1]),
    "weight": lambda: np.ones(6),
    "adjacency": lambda: _sparse(),
    "vertices table": lambda: _frame(id=[1, 2, 3, 4], a=[1.0, 2.0, 3.0, 4.0]),
    "edges table": lambda: _frame(source=[1, 2], target=[2, 3], w=[0.5, 1.0]),
    "networkx": _networkx,
    "model": lambda: deepcopy(_model()),  # a case may change it
    "table": lambda: np.arange(12.0).reshape(6, 2),
    "none": lambda: None,
    "false": lambda: False,
    "zero": lambda: 0,
    "one": lambda: 1,
    "three": lambda: 3,
    "walk type": lambda: "cycle",
    "true": lambda: True,
}

ODD: dict[str, Callable[[], Any]] = GOOD | {
    "nan": lambda: np.nan,
    "infinity": lambda: -np.inf,
    "minus one": lambda: -1,
    "half": lambda: 0.5,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "10**400": lambda: 10**400,
    "-10**400": lambda: -(10**400),
    "empty text": lambda: "",
    "text": lambda: "x",
    "bytes": lambda: b"\xff\x00",
    "half a letter": lambda: "\ud800",
    "empty list": list,
    "empty tuple": lambda: (),
    "empty dict": dict,
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "lists in lists": lambda: [[[]]],
    "ragged": lambda: [[1, 2], [3]],
    "a list of itself": _loop,
    "object": object,
    "a class": lambda: int,
    "a function": lambda: lambda *given, **named: 0.5,
    "generator": lambda: (k for k in range(4)),
    "range": lambda: range(4),
    "nones": lambda: [None] * 4,
    "texts": lambda: ["a", "b", "c", "d"],
    "mixed": lambda: [1, "a", None, 2.5],
    "complex": lambda: np.ones((4, 2), complex),
    "complex number": lambda: 1j,
    "dates": lambda: np.array(["2020-01-01"] * 4, dtype="datetime64[D]"),
    "a date": lambda: datetime.date(2020, 1, 1),
    "decimal": lambda: decimal.Decimal("0.1"),
    "fraction": lambda: fractions.Fraction(1, 3),
    "structured": lambda: np.zeros(4, dtype=[("a", float), ("b", int)]),
    "a number as array": lambda: np.array(3.0),
    "one dimension": lambda: np.arange(4.0),
    "three dimensions": lambda: np.zeros((4, 2, 2)),
    "no rows": lambda: np.zeros((0, 2)),
    "no columns": lambda: np.zeros((4, 0)),
    "masked": lambda: np.ma.array(np.ones((4, 2)), mask=np.eye(4, 2, dtype=bool)),
    "object array": lambda: np.array([1, None, "a", 2.0], dtype=object),
    "object matrix": lambda: np.array([[1, None], [2.5, 3], [4, 5], [6, 7]], dtype=object),
    "text array": lambda: np.array(["1", "2", "3", "4"]),
    "float16": lambda: np.full((4, 2), 6e4, np.float16),
    "long doubles": lambda: np.ones((4, 2), np.longdouble),
    "too large": lambda: np.full((4, 2), 1e300),
    "all nan": lambda: np.full((4, 2), np.nan),
    "infinite array": lambda: np.full((4, 2), np.inf),
    "unsigned": lambda: np.full((4, 2), 2**64 - 1, np.uint64),
    "negative edges": lambda: np.array([[0, -1]]),
    "half edges": lambda: np.array([[0.5, 1.0]]),
    "nan edges": lambda: np.array([[np.nan, 1.0]]),
    "large edges": lambda: np.array([[0, 2**40]]),
    "falling": lambda: np.array([0, 3, 1, 4]),
    "fortran": lambda: np.asfortranarray(np.arange(8.0).reshape(4, 2)),
    "read only": lambda: np.broadcast_to(np.float64(1.0), (4, 2)),
    "big endian": lambda: np.arange(8.0).reshape(4, 2).astype(">f8"),
    "bool array": lambda: np.ones((4, 2), bool),
    "memoryview": lambda: memoryview(b"abcd"),
    "coo": lambda: _sparse("coo"),
    "bool sparse": lambda: _sparse("csc", bool),
    "complex sparse": lambda: _sparse("csr", complex),
    "broken sparse": _broken_sparse,
    "frame": _frame,
    "columns twice": _twice,
    "nullable": _nullable,
    "polars": _polars,
    "number columns": lambda: _frame().rename(columns={"a": 0, "b": 1}),
    "text frame": lambda: _frame(a=["x", None, "y", "z"]),
    "empty frame": lambda: _frame().iloc[:0],
    "hostile": _Hostile,
    "a list of graphs": lambda: [_a_graph(), _path(3)],
    "graphs and none": lambda: [_a_graph(), None],
    "empty graph": lambda: _path(0),
    "directed": lambda: _a_graph(directed=True),
    "one graph": lambda: _graphs(1),
    "no graphs": lambda: _graphs(2)[:0],
    "vertices": lambda: _a_graph().vertices,
    "edge examples": lambda: _graphs().edges,
    "another model": lambda: _model("GraphTreeRegressor"),
    "unfitted": lambda: type(_model())(),
    "smiles": lambda: ["CCO", "C1CC", ""],
    "one smiles": lambda: "CCO",
    "random state": lambda: np.random.RandomState(0),
    "generator state": lambda: np.random.default_rng(0),
    "a path": lambda: "/no/such/folder/model.json",
}


def make(name: str) -> Any:
    return ODD[name]()
