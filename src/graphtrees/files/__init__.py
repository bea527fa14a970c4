"""Models on disk: readable, versioned JSON, written whole or not at all, holding no code."""

from graphtrees._disk import replacing, write_whole
from graphtrees.files.layout import ModelFileError

__all__ = ["ModelFileError", "replacing", "write_whole"]
