"""Models on disk: readable, versioned JSON, written whole or not at all, holding no code."""

from graphtrees.files.layout import ModelFileError
from graphtrees.files.reading import load_model
from graphtrees.files.writing import check_can_be_saved, save_model, write_whole

__all__ = ["ModelFileError", "check_can_be_saved", "load_model", "save_model", "write_whole"]
