"""Model files, with how their data was read written in."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from graphtrees.cli.data.reading import Reading
from graphtrees.cli.errors import UserError

ENDINGS = (".json", ".json.gz")
# A key of the model file that is the command line's own; the library passes over it.
READING = "reading"


def save(model: Any, path: Path, reading: Reading) -> None:
    """Write the model and its reading, whole or not at all."""
    from graphtrees.files import write_whole

    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "model.json"
        model.save(plain)
        content = json.loads(plain.read_bytes())
    data = json.dumps(content | {READING: reading.to_dict()}, ensure_ascii=False, indent=1).encode()
    write_whole(path, gzip.compress(data, mtime=0) if path.name.endswith(".gz") else data)


def load(path: Path) -> tuple[Any, Reading | None]:
    """The model and, where the command line wrote it, the reading of its data."""
    from graphtrees.files import load_model

    if not path.exists():
        raise UserError(f"{path}: there is no such file")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; a model is a .json file that `train` wrote")
    model = load_model(path)
    content = path.read_bytes()
    stored = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    reading = stored.get(READING)
    return model, Reading.from_dict(reading) if isinstance(reading, dict) else _reading_of(model)


def _reading_of(model: Any) -> Reading | None:
    """How to read data for a model that was trained in Python: by the names of its features."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or model._kind == "rows":
        return None
    texts = tuple(str(names[column]) for column in model._table.categories)
    return Reading(features=tuple(map(str, names)), as_text=texts, exact=True, examples=model._kind)
