"""Small data in every form that the command line reads."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import networkx as nx

N_GRAPHS = 24


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def table(*rows) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def rings_and_paths(n_graphs: int = N_GRAPHS):
    """(id, label, vertices with their size, edges): even graphs are rings, odd ones paths."""
    for graph in range(n_graphs):
        n = 4 + graph % 3
        edges = [(v, v + 1) for v in range(n - 1)]
        label = "path"
        if graph % 2 == 0:
            edges.append((n - 1, 0))
            label = "ring"
        yield f"g{graph}", label, [(f"v{v}", v % 2, "CNO"[v % 3]) for v in range(n)], edges


def table_folder(folder: Path, n_graphs: int = N_GRAPHS) -> Path:
    """Rings and paths as vertices.csv, edges.csv and graphs.csv."""
    vertices = [("graph_id", "id", "size", "element")]
    edges = [("graph_id", "source", "target")]
    graphs = [("graph_id", "kind", "score")]
    for name, label, rows, pairs in rings_and_paths(n_graphs):
        vertices += [(name, *row) for row in rows]
        edges += [(name, f"v{a}", f"v{b}") for a, b in pairs]
        graphs.append((name, label, len(rows) + 0.5))
    write(folder / "vertices.csv", table(*vertices))
    write(folder / "edges.csv", table(*edges))
    write(folder / "graphs.csv", table(*graphs))
    return folder


def one_graph_folder(folder: Path, n_vertices: int = 40) -> Path:
    """A long path whose vertices are labelled by a feature; every fifth has no label."""
    vertices = [("id", "size", "kind")]
    for v in range(n_vertices):
        vertices.append((v, v % 4, "" if v % 5 == 4 else ("big" if v % 4 > 1 else "small")))
    write(folder / "vertices.csv", table(*vertices))
    edges = [("source", "target"), *((v, v + 1) for v in range(n_vertices - 1))]
    write(folder / "edges.csv", table(*edges))
    return folder


MOLECULES = ["CCO", "CCN", "CCCO", "CCCN", "CCCCO", "CCCCN", "CC(C)O", "CC(C)N", "OCCO", "NCCN"]


def smiles_file(path: Path, times: int = 3) -> Path:
    """Alcohols and amines."""
    rows = [(smiles, int("O" in smiles), f"m{k}") for k, smiles in enumerate(MOLECULES * times)]
    return write(path, table(("smiles", "alcohol", "name"), *rows))


def graphml_folder(folder: Path, n_graphs: int = N_GRAPHS) -> Path:
    """Rings and paths, labelled by an attribute of the graph."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, label, rows, pairs in rings_and_paths(n_graphs):
        graph = nx.Graph(kind=label)
        graph.add_nodes_from((v, {"size": size, "element": kind}) for v, size, kind in rows)
        graph.add_edges_from((f"v{a}", f"v{b}") for a, b in pairs)
        nx.write_graphml(graph, folder / f"{name}.graphml")
    return folder


def tu_tables(n_graphs: int = N_GRAPHS, labels: bool = True) -> dict[str, str]:
    """Rings and paths in the TU text layout."""
    owner, kinds, lines, targets, first = [], [], [], [], 1
    for number, (_, label, rows, pairs) in enumerate(rings_and_paths(n_graphs), 1):
        owner += [number] * len(rows)
        kinds += ["CNO".index(kind) for _, _, kind in rows]
        lines += [f"{first + a}, {first + b}\n{first + b}, {first + a}\n" for a, b in pairs]
        targets.append(int(label == "ring"))
        first += len(rows)
    tables = {
        "A": "".join(lines),
        "graph_indicator": "".join(f"{g}\n" for g in owner),
        "node_labels": "".join(f"{k}\n" for k in kinds),
    }
    if labels:
        tables["graph_labels"] = "".join(f"{t}\n" for t in targets)
    return tables


def tu_zip(path: Path, **tables: str) -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in (tables or tu_tables()).items():
            archive.writestr(f"RINGS/RINGS_{name}.txt", text)
    path.write_bytes(packed.getvalue())
    return path
