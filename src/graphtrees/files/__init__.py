"""Models on disk: readable, versioned JSON, written whole or not at all, holding no code."""

from graphtrees.files.disk import replacing, write_whole
from graphtrees.files.labels import check_categories, check_classes
from graphtrees.files.layout import ModelFileError
from graphtrees.files.reading import load_model, load_with_reading
from graphtrees.files.writing import check_can_be_saved, save_model

__all__ = [
    "ModelFileError",
    "check_can_be_saved",
    "check_categories",
    "check_classes",
    "load_model",
    "load_with_reading",
    "replacing",
    "save_model",
    "write_whole",
]
