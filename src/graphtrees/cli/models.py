"""Model files, with how their data was read written in."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from graphtrees.cli.data.reading import Reading
from graphtrees.cli.errors import UserError

ENDINGS = (".json", ".json.gz")


def save(model: Any, path: Path, reading: Reading) -> None:
    """Write the model and its reading, whole or not at all."""
    from graphtrees.estimators.saving import save_model

    save_model(model, path, reading.to_dict())


def load(path: Path) -> tuple[Any, Reading | None]:
    """The model and, where the command line wrote it, the reading of its data."""
    from graphtrees.estimators.saving import load_with_reading

    if not path.exists():
        raise UserError(f"{path}: there is no such file")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; a model is a .json file that `train` wrote")
    model, stored = load_with_reading(path)
    if stored is None:
        return model, _reading_of(model)
    reading = Reading.from_dict(stored)
    _check_reading(reading, path)
    return model, reading


def _check_reading(reading: Reading, path: Path) -> None:
    """Raise ModelFileError where a column, or a list of them, is of another kind."""
    from graphtrees.files import ModelFileError

    for field in fields(reading):
        value, kinds = getattr(reading, field.name), str(field.type).split(" | ")
        columns = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        kind = "None" if value is None else "tuple[str, ...]" if columns else type(value).__name__
        if kind not in kinds:
            raise ModelFileError(f"{path}: a damaged model: reading holds an odd {field.name!r}")


def _reading_of(model: Any) -> Reading | None:
    """How to read data for a model that was trained in Python: by the names of its features."""
    from graphtrees.validation.models import trees_of_members

    fitted = trees_of_members(model)[0]
    names = fitted.features.names
    if names is None or fitted.kind == "rows":
        return None
    texts = tuple(names[column] for column in fitted.features.categories)
    return Reading(features=names, as_text=texts, exact=True, examples=fitted.kind)
