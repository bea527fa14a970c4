"""Small sound files of every kind that the library reads."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

Files = dict[str, bytes]

GOLDEN = Path(__file__).parents[2] / "tests" / "golden" / "v2"


def tables() -> Files:
    vertices, edges = ["graph_id,id,size,element\n"], ["graph_id,source,target,kind\n"]
    graphs = ["graph_id,kind,score\n"]
    for g in range(8):
        n = 3 + g % 2
        vertices += [f"g{g},v{k},{k % 2},{'CNO'[k]}\n" for k in range(min(n, 3))]
        edges += [f"g{g},v{k},v{(k + 1) % 3},{'far' if k else 'near'}\n" for k in range(n - 1)]
        graphs.append(f"g{g},{'ring' if g % 2 else 'path'},{g + 0.5}\n")
    named = {"vertices.csv": vertices, "edges.csv": edges, "graphs.csv": graphs}
    return {name: "".join(lines).encode() for name, lines in named.items()}


def one_graph() -> Files:
    rows = [f"{v},{v % 4},{'big' if v % 4 > 1 else 'small'}\n" for v in range(12)]
    edges = [f"{v},{v + 1},{v / 2}\n" for v in range(11)]
    return {
        "vertices.csv": ("id,size,kind\n" + "".join(rows)).encode(),
        "edges.csv": ("source,target,weight\n" + "".join(edges)).encode(),
    }


def edge_list() -> Files:
    rows = [f"a{v},a{v + 1},{1 + v % 2}\n" for v in range(10)]
    return {"edges.csv": ("source,target,amount\n" + "".join(rows)).encode()}


def tu(name: str = "RINGS") -> Files:
    """Paths of three and pairs, as TU text."""
    owner, lines, first = [], [], 1
    for g in range(1, 9):
        n = 2 + g % 2
        owner += [g] * n
        pairs = [(first + k, first + k + 1) for k in range(n - 1)]
        lines += [f"{a}, {b}\n{b}, {a}\n" for a, b in pairs]
        first += n
    tables = {
        "A": "".join(lines),
        "graph_indicator": "".join(f"{g}\n" for g in owner),
        "graph_labels": "".join(f"{g % 2}\n" for g in range(1, 9)),
        "node_labels": "".join(f"{k % 3}\n" for k in range(len(owner))),
        "node_attributes": "".join(f"{k}.5, -{k}\n" for k in range(len(owner))),
        "edge_labels": "".join(f"{k // 2 % 2}\n" for k in range(len("".join(lines).splitlines()))),
    }
    return {f"{name}_{table}.txt": text.encode() for table, text in tables.items()}


def ogb() -> Files:
    """Two molecules in the layout of the Open Graph Benchmark, not yet packed."""
    atoms = "5,0,4,5,3,0,2,0,0\n5,0,4,5,2,0,2,0,0\n7,0,2,5,1,0,2,0,0\n118,0,0,6,4,0,5,1,1\n"
    return {
        "hiv/raw/num-node-list.csv": b"3\n1\n",
        "hiv/raw/num-edge-list.csv": b"2\n0\n",
        "hiv/raw/node-feat.csv": atoms.encode(),
        "hiv/raw/edge-feat.csv": b"0,0,0\n3,0,1\n",
        "hiv/raw/edge.csv": b"0,1\n1,2\n",
        "hiv/raw/graph-label.csv": b"1\n0\n",
        "hiv/split/scaffold/train.csv": b"1\n",
        "hiv/split/scaffold/valid.csv": b"0\n",
        "hiv/split/scaffold/test.csv": b"",
    }


def vertices() -> dict[str, list]:
    """A path of four vertices as the arrays of a packed data set."""
    return {
        "x_data": [1, 1, 1], "x_indices": [0, 2, 1], "x_indptr": [0, 2, 2, 3, 3],
        "x_shape": [4, 3], "edge_index": [[0, 1, 2], [1, 2, 3]], "y": [0, 1, 2, 2],
        "train_mask": [[True, False, False, True]], "val_mask": [[False, True, False, False]],
        "test_mask": [[False, False, True, False]],
    }  # fmt: skip


def npz(arrays: dict[str, list]) -> bytes:
    data = io.BytesIO()
    np.savez(data, **{name: np.array(values) for name, values in arrays.items()})
    return data.getvalue()


def packed(files: Files) -> bytes:
    """A zip of gzipped tables."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.gz", gzip.compress(content, mtime=0))
    return data.getvalue()


def zipped(files: Files, folder: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), content)
    return data.getvalue()


def graphml() -> Files:
    head = (
        '<?xml version="1.0" encoding="utf-8"?><graphml '
        'xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="d0" for="node" attr.name="size" attr.type="double"/>'
        '<key id="d1" for="graph" attr.name="kind" attr.type="string"/>'
    )
    found = {}
    for g in range(4):
        nodes = "".join(f'<node id="n{k}"><data key="d0">{k}</data></node>' for k in range(3 + g))
        edges = "".join(f'<edge source="n{k}" target="n{k + 1}"/>' for k in range(2))
        body = f'<graph edgedefault="undirected"><data key="d1">{"ab"[g % 2]}</data>{nodes}{edges}'
        found[f"g{g}.graphml"] = f"{head}{body}</graph></graphml>".encode()
    return found


def gml() -> Files:
    text = 'graph [\n  node [ id 0 label "a" size 1 ]\n  node [ id 1 label "b" size 2 ]\n'
    return {"g.gml": (text + "  edge [ source 0 target 1 weight 2.5 ]\n]\n").encode()}


def smiles() -> Files:
    rows = ["CCO,1", "CCN,0", "CCCO,1", "CCCN,0", "OCCO,1", "NCCN,0", "c1ccccc1O,1", "C#N,0"]
    return {"m.csv": ("smiles,alcohol\n" + "".join(f"{row}\n" for row in rows)).encode()}


def smi() -> Files:
    return {"m.smi": b"CCO ethanol\nCCN amine\nc1ccccc1 benzene\nO=C=O gas\n"}


def sdf() -> Files:
    block = (
        "\n  made\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n"
        "    0.0000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
        "    1.5000    0.0000    0.0000 C   0  0  0  0  0  0  0  0  0  0  0  0\n"
        "    2.2500    1.2990    0.0000 {atom}   0  0  0  0  0  0  0  0  0  0  0  0\n"
        "  1  2  1  0\n  2  3  1  0\nM  END\n>  <kind>  ({number})\n{kind}\n\n$$$$\n"
    )
    blocks = [block.format(atom="ON"[k % 2], number=k + 1, kind="ab"[k % 2]) for k in range(8)]
    return {"m.sdf": "".join(blocks).encode()}


def parquet() -> Files:
    import pandas as pd

    data = io.BytesIO()
    pd.read_csv(io.BytesIO(smiles()["m.csv"])).to_parquet(data)
    return {"m.parquet": data.getvalue()}


def graph_files() -> Files:
    import tempfile

    import graphtrees as gt

    graphs = gt.Graphs(
        [
            gt.Graph([[k], [1.5], [k % 2]], [(0, 1), (1, 2)], edge_weights=[1.0, 0.5])
            for k in range(8)
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        graphs.to_parquet(Path(folder) / "g", rows_per_file=5, y=[0, 1] * 4)
        return {path.name: path.read_bytes() for path in (Path(folder) / "g").iterdir()}


@cache
def models() -> tuple[tuple[str, bytes], ...]:
    names = sorted(path for path in GOLDEN.glob("*.json") if "answers" not in path.name)
    return tuple((path.name, path.read_bytes()) for path in names)


# The kind of file -> its template, and the words of a command that reads it.
TEMPLATES: dict[str, tuple[Callable[[], Files], list[str]]] = {
    "tables": (tables, [".", "--target", "kind"]),
    "one graph": (one_graph, [".", "--target", "kind", "--weight", "weight"]),
    "edge list": (edge_list, ["edges.csv", "--target", "amount"]),
    "tu folder": (tu, ["."]),
    "graphml": (graphml, [".", "--target", "kind"]),
    "gml": (gml, ["g.gml", "--target", "size"]),
    "smiles": (smiles, ["m.csv", "--target", "alcohol"]),
    "smi": (smi, ["m.smi"]),
    "sdf": (sdf, ["m.sdf", "--target", "kind"]),
    "parquet": (parquet, ["m.parquet", "--target", "alcohol"]),
    "graph files": (graph_files, [".", "--target", "y"]),
}
NEEDS = {
    "smiles": "rdkit", "smi": "rdkit", "sdf": "rdkit", "parquet": "pyarrow",
    "graph files": "pyarrow",
    "graphml": "networkx", "gml": "networkx", "tables": "pandas", "one graph": "pandas",
    "edge list": "pandas",
}  # fmt: skip
