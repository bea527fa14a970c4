"""Which form DATA has."""

from __future__ import annotations

import re
from pathlib import Path

from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.source import Source
from graphtrees.cli.data.tablefile import find_table
from graphtrees.cli.errors import UserError


def find_source(data: str, reading: Reading) -> Source:
    """What DATA is: a folder, a file, or the name of a data set."""
    path = Path(data).expanduser()
    if path.is_dir():
        return _in_folder(path, reading)
    if path.exists():
        return _in_file(path, reading)
    if re.fullmatch(r"(tu:)?\w[\w.-]*", data, re.IGNORECASE) and not _looks_like_file(path):
        from graphtrees.cli.data.named import NamedSet

        return NamedSet(data, reading)
    raise UserError(f"{data}: there is no such file or folder")


def _looks_like_file(path: Path) -> bool:
    return path.suffix.lower() in {
        ".csv", ".zip", ".gz", ".parquet", ".graphml", ".gml", ".txt", ".json", ".npz", ".xlsx",
    }  # fmt: skip


def _in_folder(path: Path, reading: Reading) -> Source:
    from graphtrees.cli.data.graphml import GraphFiles, graph_files
    from graphtrees.cli.data.tables import TableFolder
    from graphtrees.cli.data.tu import TUCollection

    if find_table(path, "vertices") or find_table(path, "edges"):
        return TableFolder(path, reading)
    if graph_files(path):
        return GraphFiles(path, reading)
    if any(path.rglob("*_A.txt")):
        return TUCollection(path, reading)
    raise UserError(
        f"{path}: holds no graphs that can be read: no vertices.csv and edges.csv (or .parquet), "
        "no .graphml or .gml files, no NAME_A.txt"
    )


def _in_file(path: Path, reading: Reading) -> Source:
    from graphtrees.cli.data.graphml import ENDINGS, GraphFiles
    from graphtrees.cli.data.smiles import SmilesFile
    from graphtrees.cli.data.tu import TUCollection

    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz")):
        return SmilesFile(path, reading)
    if name.endswith(ENDINGS):
        return GraphFiles(path, reading)
    if name.endswith(".zip"):
        return TUCollection(path, reading)
    raise UserError(
        f"{path}: is no kind of file that can be read; wanted is a .csv with SMILES, a .graphml "
        "or .gml file, a TU .zip, or a folder"
    )
