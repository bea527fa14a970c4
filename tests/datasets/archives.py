"""Small archives in the layouts of the real ones."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np

# Two graphs: a path 1-2-3 with labels 5, 7, 5, and an edge 4-5 with labels 7, 7.
TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "graph_labels": "-1\n1\n",
    "node_labels": "5\n7\n5\n7\n7\n",
}


def tu_zip(name: str, tables: dict[str, str], folder: bool = True, **other: str) -> bytes:
    """A collection in the TU layout; `other` files go in under their own names."""
    prefix = f"{name}/" if folder else ""
    files = {f"{prefix}{name}_{table}.txt": text for table, text in tables.items()}
    files |= {f"{prefix}{file.replace('__', '.')}": text for file, text in other.items()}
    return zip_of(files)


def zip_of(files: dict[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def npz(**arrays) -> bytes:
    data = io.BytesIO()
    np.savez(data, **{name: np.asarray(array) for name, array in arrays.items()})
    return data.getvalue()


def splits_zip(**folds) -> bytes:
    return zip_of({f"{name}_splits.json": json.dumps(parts) for name, parts in folds.items()})


def csv_gz(rows) -> bytes:
    lines = ["" if row is None else ",".join(map(str, np.atleast_1d(row))) for row in rows]
    return gzip.compress(("\n".join(lines) + "\n").encode())


# The features of the next, written out.
DENSE = [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]


def packed_vertices(**more) -> dict[str, np.ndarray]:
    """A path of four vertices; vertex 0 has features 0 and 2, vertex 2 has feature 1."""
    arrays = {
        "x_data": np.array([1, 1, 1], np.uint8),
        "x_indices": np.array([0, 2, 1], np.int16),
        "x_indptr": np.array([0, 2, 2, 3, 3], np.int32),
        "x_shape": np.array([4, 3], np.int32),
        "edge_index": np.array([[0, 1, 2], [1, 2, 3]], np.int32),
        "y": np.array([0, 1, -1, 2], np.int16),
    }
    return arrays | more


def masks(*rows: str) -> dict[str, np.ndarray]:
    """Masks from strings, one per split: "tvs." puts vertex 0 in train, 1 in validation, ..."""
    letters = np.array([list(row) for row in rows])
    return {
        "train_mask": letters == "t",
        "val_mask": letters == "v",
        "test_mask": letters == "s",
    }


# Two molecules: an ethanol-like path of three atoms, and one lone atom.
MOLECULES = {
    "x": [
        [5, 0, 4, 5, 3, 0, 2, 0, 0],
        [5, 0, 4, 5, 2, 0, 2, 0, 0],
        [7, 0, 2, 5, 1, 0, 2, 0, 0],
        [118, 0, 0, 6, 4, 0, 5, 1, 1],
    ],
    "node_ptr": [0, 3, 4],
    "edge_local": [[0, 1], [1, 2]],
    "edge_attr": [[0, 0, 0], [3, 0, 1]],
    "edge_ptr": [0, 2, 2],
    "y": [1, 0],
}


def ogb_molecule_zip(**changed) -> bytes:
    """The two molecules in OGB's layout; a table can be changed, or None to leave it out."""
    tables = {
        "hiv/raw/num-node-list": [3, 1],
        "hiv/raw/num-edge-list": [2, 0],
        "hiv/raw/node-feat": MOLECULES["x"],
        "hiv/raw/edge-feat": MOLECULES["edge_attr"],
        "hiv/raw/edge": MOLECULES["edge_local"],
        "hiv/raw/graph-label": MOLECULES["y"],
        "hiv/split/scaffold/train": [1],
        "hiv/split/scaffold/valid": [0],
        "hiv/split/scaffold/test": [],
    }
    for name, rows in changed.items():
        path = next(path for path in tables if path.endswith("/" + name.replace("_", "-")))
        tables[path] = rows
    return zip_of(
        {f"{path}.csv.gz": csv_gz(rows) for path, rows in tables.items() if rows is not None}
    )


def as_lists(splits) -> list[dict[str, list[int]]]:
    """Splits that compare with ==."""
    return [{part: rows.tolist() for part, rows in split.items()} for split in splits]
