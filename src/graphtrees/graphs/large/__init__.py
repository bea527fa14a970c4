"""One graph in Parquet files, larger than the memory of one machine."""

from graphtrees.graphs.large.scan import GraphTables, scan_graph

__all__ = ["GraphTables", "scan_graph"]
