"""Builders and comparisons for tests of Parquet files of graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

import graphtrees as gt


def assert_same(one: gt.Graphs, two: gt.Graphs) -> None:
    """Two collections agree in all that they hold, types of arrays and of labels included."""
    first, second = vars(one.flat), vars(two.flat)
    for name in first:
        _assert_same(first[name], second[name], name)


def _assert_same(one: Any, two: Any, name: str) -> None:
    assert type(one) is type(two), name
    if sp.issparse(one):
        assert one.shape == two.shape
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(one, part), getattr(two, part), name)
        assert one.dtype == two.dtype
    elif isinstance(one, np.ndarray):
        assert one.dtype == two.dtype, name
        if one.dtype == object:
            assert repr(one.tolist()) == repr(two.tolist()), name
        else:
            np.testing.assert_array_equal(one, two, name)
    elif hasattr(one, "categories"):
        for part in ("values", "names", "categories"):
            _assert_same(getattr(one, part), getattr(two, part), f"{name}.{part}")
    else:
        assert repr(one) == repr(two), name


def there_and_back(graphs: gt.Graphs, folder: Path, rows_per_file: int = 2) -> gt.Graphs:
    return gt.scan_parquet(graphs.to_parquet(folder, rows_per_file)).read_all()


def write(path: Path, metadata: bytes | None = None, **columns: Any) -> Path:
    """A file as another tool would write it; double underscores stand for colons."""
    table = pa.table({name.replace("__", ":"): values for name, values in columns.items()})
    if metadata is not None:
        table = table.replace_schema_metadata({b"graphtrees": metadata})
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path)
    return path


def two_graphs(**more: Any) -> dict[str, Any]:
    """The columns of a path of three vertices and of a lone vertex."""
    return {"n_vertices": [3, 1], "source": [[0, 1], []], "target": [[1, 2], []]} | more


def full_graphs(n_graphs: int = 5) -> gt.Graphs:
    """Graphs with all that graphs may have."""
    rng = np.random.default_rng(0)
    graphs = []
    for k in range(n_graphs):
        n, m = k + 1, 2 * k
        frame = pd.DataFrame({
            "size": rng.normal(size=n),
            "kind": pd.Categorical(rng.choice(["red", "blue"], n), ["red", "blue", "unused"]),
            "code": pd.Categorical.from_codes([-1, *[0] * k][:n], [7, 5]),
        })  # fmt: skip
        graphs.append(
            gt.Graph(
                frame, rng.integers(0, n, (m, 2)), directed=True,
                edge_weights=rng.normal(size=m), edge_types=rng.choice(["far", "near"], m),
                edge_features=pd.DataFrame({"toll": rng.normal(size=m)}),
                vertex_names=[f"v{j}" for j in range(n)],
            )
        )  # fmt: skip
    of_graphs = pd.DataFrame(
        {"mass": np.arange(n_graphs) * 1.5, "assay": list("xyzzyx")[:n_graphs]}
    )
    return gt.Graphs(graphs, graph_features=of_graphs)
