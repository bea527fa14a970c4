"""From GraphML and GML files, by way of networkx."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert.networkx import from_networkx
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.arguments import as_list, as_path

File = str | PathLike[str]


def from_graphml(
    path: File | Iterable[File],
    features: Sequence[str] | None = None,
    *,
    weight: str | None = "weight",
    edge_type: str | None = None,
    edge_features: Sequence[str] | None = None,
) -> Graph | Graphs:
    """Read a GraphML file, or a list of files; a name that ends in ``.gml`` is read as GML.

    Parameters
    ----------
    path : path, or iterable of paths
        One gives a `Graph`, many give `Graphs`. ``.gz`` and ``.bz2`` files are unpacked.
    features, weight, edge_type, edge_features
        Attributes to read, as for `from_networkx`.

    Returns
    -------
    Graph or Graphs

    Examples
    --------
    >>> import networkx as nx, tempfile, pathlib
    >>> from graphtrees.graphs import from_graphml
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ring.graphml"
    >>> nx.write_graphml(nx.cycle_graph(4), path)
    >>> from_graphml(path)
    Graph(n_vertices=4, n_edges=4, n_features=0)
    """
    require("networkx", extra="networkx", purpose="from_graphml")
    single = isinstance(path, (str, PathLike))
    paths = [path] if single else as_list(path, "path", "a path or several")
    graphs = [read_graph_file(as_path(item)) for item in paths]
    return from_networkx(
        graphs[0] if single else graphs,
        features,
        weight=weight,
        edge_type=edge_type,
        edge_features=edge_features,
    )


def read_graph_file(path: Path) -> Any:
    """The networkx graph of a GraphML or GML file."""
    networkx = require("networkx", extra="networkx", purpose="reading GraphML")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    read = networkx.read_gml if ".gml" in path.suffixes else networkx.read_graphml
    try:
        return read(path)
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # not readable at all
            raise
        kind = "GML" if ".gml" in path.suffixes else "GraphML"
        raise ValueError(f"{path}: could not be read as {kind}: {error}") from error
