"""Find out which form DATA has."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from graphtrees.cli.data.reading import Reading, check_options
from graphtrees.cli.data.source import Source
from graphtrees.cli.data.tablefile import TableFile, find_table, open_table
from graphtrees.cli.errors import UserError


def find_source(data: str, reading: Reading, given: Iterable[str] = ()) -> Source:
    """What DATA is: a folder, a file, standard input, or the name of a data set.

    Options `given` that would do nothing for it are refused.
    """
    source = _find(data, reading)
    asked = set(given)
    if "examples" in asked and "examples" not in source.uses and reading.examples == "graphs":
        asked.remove("examples")  # what they are in any case
    check_options(asked, source.uses, data, source.kind)
    return source


def _find(data: str, reading: Reading) -> Source:
    if data == "-":
        return _from_input(reading)
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
        ".csv", ".tsv", ".zip", ".gz", ".parquet", ".graphml", ".gml", ".txt", ".json", ".npz",
        ".xlsx", ".smi", ".sdf",
    }  # fmt: skip


def _from_input(reading: Reading) -> Source:
    """Standard input, copied to a temporary file: it is read more than once."""
    handle, name = tempfile.mkstemp(prefix="graphtrees-", suffix=".csv")
    atexit.register(Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    from graphtrees.cli.data.tablefile import TextTable

    return _of_table(Path(name), TextTable(Path(name), reading, "standard input"), reading)


def _in_folder(path: Path, reading: Reading) -> Source:
    from graphtrees.cli.data.graphml import GraphFiles, graph_files
    from graphtrees.cli.data.parquet import ENDING, ParquetGraphs
    from graphtrees.cli.data.tables import TableFolder
    from graphtrees.cli.data.tu import TUCollection

    if find_table(path, "vertices") or find_table(path, "edges"):
        return TableFolder(path, reading)
    if graph_files(path):
        return GraphFiles(path, reading)
    if any(path.rglob("*_A.txt")):
        return TUCollection(path, reading)
    if any(path.glob(f"*{ENDING}")):
        return ParquetGraphs(path, reading)
    raise UserError(
        f"{path}: holds no graphs that can be read: no vertices.csv and edges.csv (or .tsv, "
        ".parquet), no .parquet files with a row for each graph, no .graphml or .gml files, no "
        "NAME_A.txt"
    )


def _in_file(path: Path, reading: Reading) -> Source:
    from graphtrees.cli.data.graphml import ENDINGS, GraphFiles
    from graphtrees.cli.data.molfile import SDF_ENDINGS, SMI_ENDINGS, SdfFile, SmiFile
    from graphtrees.cli.data.parquet import ParquetGraphs, holds_graphs
    from graphtrees.cli.data.smiles import MoleculeFile
    from graphtrees.cli.data.tablefile import ENDINGS as TABLES
    from graphtrees.cli.data.tu import TUCollection

    name = path.name.lower()
    if holds_graphs(path):
        return ParquetGraphs(path, reading)
    if name.endswith(TABLES):
        return _of_table(path, open_table(path, reading), reading)
    if name.endswith(SMI_ENDINGS):
        return MoleculeFile(path, reading, SmiFile(path, reading))
    if name.endswith(SDF_ENDINGS):
        return MoleculeFile(path, reading, SdfFile(path, reading))
    if name.endswith(ENDINGS):
        return GraphFiles(path, reading)
    if name.endswith(".zip"):
        return TUCollection(path, reading)
    raise UserError(
        f"{path}: is no kind of file that can be read; wanted is a table (.csv, .tsv, .parquet) "
        "with SMILES or edges, a .smi, .sdf, .graphml or .gml file, a TU .zip, or a folder"
    )


def _of_table(path: Path, file: TableFile, reading: Reading) -> Source:
    """A lone table: molecules where it has SMILES, else edges where it has their ends."""
    from graphtrees.cli.data.smiles import MoleculeFile, smiles_column
    from graphtrees.cli.data.tables import TableFolder

    ends = {reading.source_column, reading.target_column}
    if smiles_column(file, reading) is None and ends <= set(file.columns):
        return TableFolder(path, reading, edges=file)
    return MoleculeFile(path, reading, file)
