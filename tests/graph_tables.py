"""Tables of one graph, and Parquet files of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd


def random_tables(
    seed: int = 0, n: int = 90, n_edges: int = 170, text_ids: bool = False
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Vertices in any order of their ids, some of them with labels; edges among most of them."""
    rng = np.random.default_rng(seed)
    ids = rng.permutation(n) * 7 - 20
    ids = np.array([f"v{k}" for k in ids], object) if text_ids else ids
    size = rng.normal(size=n)
    size[::9] = np.nan
    label = pd.array((rng.random(n) + np.nan_to_num(size) > 0.5).astype(int), dtype="Int64")
    label[::4] = pd.NA
    vertices = pd.DataFrame({
        "id": ids, "size": size, "kind": rng.choice(["b", "a", "c"], n, p=[0.5, 0.45, 0.05]),
        "old": rng.random(n) < 0.3, "label": label, "area": rng.integers(0, 4, n),
        "sample_weight": rng.integers(0, 3, n) + 0.5,
    })  # fmt: skip
    ends = rng.integers(0, n - 3, (n_edges, 2))
    edges = pd.DataFrame({
        "source": ids[ends[:, 0]], "target": ids[ends[:, 1]], "hours": rng.normal(size=n_edges),
        "relation": rng.choice(["owns", "likes"], n_edges), "km": rng.integers(0, 3, n_edges),
    })  # fmt: skip
    return vertices, edges


def write_tables(
    folder: Path, vertices: pd.DataFrame, edges: pd.DataFrame, rows_per_file: int = 40,
    rows_per_group: int = 15,
) -> tuple[Path, Path]:  # fmt: skip
    """Folders of files, each of several groups of rows; their paths."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, frame in (("vertices", vertices), ("edges", edges)):
        (folder / name).mkdir()
        for k in range(0, max(1, len(frame)), rows_per_file):
            path = folder / name / f"part-{k // rows_per_file}.parquet"
            table = pa.Table.from_pandas(frame[k : k + rows_per_file], preserve_index=False)
            pq.write_table(table, path, row_group_size=rows_per_group)
    return folder / "vertices", folder / "edges"
