"""Folders of Parquet files, a row for each graph."""

from graphtrees.graphs.parquet.files import GraphFiles, scan_parquet

__all__ = ["GraphFiles", "scan_parquet"]
