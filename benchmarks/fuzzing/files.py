"""Damaged files, read by the library and by the command line."""

from __future__ import annotations

import base64
import contextlib
import gzip
import io
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing import templates
from fuzzing.laws import BrokenLawError, require
from fuzzing.mutate import mutate

COMMANDS = ("inspect", "train", "predict")
QUICK = ["-o", "model.json", "--n-estimators", "2", "--test-size", "0", "--n-jobs", "1"]
WORDS = (
    "--cv", "2", "--examples", "edges", "vertices", "graphs", "--directed", "--features", "size",
    "--n-estimators", "-1", "none", "--max-walk-length", "1001", "--json", "--quiet", "--task",
    "regression", "classification", "--dates", "number", "--encoding", "utf-16", "no-such", "",
    "--missing", "--weight", "weight", "--edge-type", "kind", "--on-error", "skip", "--test-size",
    "0.5", "nan", "--refit", "--estimator", "tree", "forest", "--split", "0", "--unknown-ids",
    "drop", "--config", "vertices.csv", "--operators", "relations", "mean,reverse", "--as-text",
    "--class-weight", "balanced", "0=1,1=5", "0=x", "--", "--help", "--memory-limit", "2GB",
)  # fmt: skip


def random_file(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(["model", "model", "command", "command", "command", "tu", "ogb", "npz"]))
    if kind == "model":
        name, data = templates.models()[rng.integers(len(templates.models()))]
        packed = rng.random() < 0.2
        damaged = mutate(gzip.compress(data, mtime=0) if packed else data, rng)
        return _case("model", {f"model.json{'.gz' * packed}": damaged}, [name])
    if kind == "npz":
        return _arrays(rng)
    if kind in ("tu", "ogb"):
        return _collection(kind, rng)
    known = [name for name in templates.TEMPLATES if _is_there(name)]
    name = str(rng.choice(known))
    make, words = templates.TEMPLATES[name]
    words = [str(rng.choice(COMMANDS[:2])), *words]
    return _case("command", _damage(make(), rng), words)


def random_command(rng: np.random.Generator) -> dict[str, Any]:
    """Sound files, odd words."""
    name = str(rng.choice(["tables", "one graph", "tu folder"]))
    make, words = templates.TEMPLATES[name]
    extra = [str(word) for word in rng.choice(WORDS, int(rng.integers(1, 5)))]
    command = str(rng.choice([*COMMANDS, "explain", "datasets"]))
    return _case("command", make(), [command, *words, *extra])


def _collection(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """The tables of a collection damaged before they are packed, or the archive after."""
    if kind == "ogb":
        if rng.random() < 0.8:
            return _case("ogb", _damage(templates.ogb(), rng), [])
        return _case("ogb", {"hiv.zip": mutate(templates.packed(templates.ogb()), rng)}, [])
    if rng.random() < 0.8:
        damaged = _damage(templates.tu(), rng)
        return _case("tu", {f"RINGS/{name}": data for name, data in damaged.items()}, [])
    return _case("tu", {"RINGS.zip": mutate(templates.zipped(templates.tu(), "RINGS"), rng)}, [])


def _arrays(rng: np.random.Generator) -> dict[str, Any]:
    """Packed arrays of which one is changed, or whose file is damaged."""
    arrays = templates.vertices()
    if rng.random() < 0.7:
        name = str(rng.choice(list(arrays)))
        odd = [[], [7, -1], [[0.5]], [np.nan], ["a"], [2**40], [[0, 1], [1, 9]], [None], 3, 1e300]
        changed = odd[rng.integers(len(odd))]
        if changed != [None]:
            return _case("npz", {"cornell.npz": templates.npz(arrays | {name: changed})}, [])
        del arrays[name]
        return _case("npz", {"cornell.npz": templates.npz(arrays)}, [])
    return _case("npz", {"cornell.npz": mutate(templates.npz(arrays), rng)}, [])


def _damage(files: templates.Files, rng: np.random.Generator) -> templates.Files:
    name = str(rng.choice(list(files)))
    if rng.random() < 0.05:
        return {other: data for other, data in files.items() if other != name}
    return files | {name: mutate(files[name], rng)}


def _is_there(name: str) -> bool:
    return name not in templates.NEEDS or find_spec(templates.NEEDS[name]) is not None


def _case(reader: str, files: templates.Files, words: list[str]) -> dict[str, Any]:
    return {"reader": reader, "files": {n: _shown(d) for n, d in files.items()}, "words": words}


def _shown(data: bytes) -> dict[str, str]:
    """Bytes in JSON: as text where they are plain text."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    return {"text": text}


def data_of(shown: dict[str, str]) -> bytes:
    return shown["text"].encode() if "text" in shown else base64.b64decode(shown["base64"])


# ---- in the child process ------------------------------------------------------------------------


def read(case: dict[str, Any]) -> None:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            files = {name: data_of(shown) for name, shown in case["files"].items()}
            READERS[case["reader"]](files, case["words"])
        finally:
            os.chdir(before)


def _write(files: templates.Files) -> None:
    for name, data in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


def _read_model(files: templates.Files, words: list[str]) -> None:
    import graphtrees as gt

    _write(files)
    (name,) = files
    model = gt.load_model(name)
    model.save("again.json")
    gt.load_model("again.json")
    gt.export_text(model)
    graphs = gt.Graphs([gt.Graph(np.ones((3, model.n_features_in_)), [(0, 1), (1, 2)])])
    X = graphs if model._fitted.kind == "graphs" else np.ones((2, model.n_features_in_))
    if model._fitted.kind in ("vertices", "edges"):
        X = getattr(graphs, model._fitted.kind)
    with contextlib.suppress(ValueError):  # features of another kind are refused
        require(np.isfinite(model.apply(X)).all(), "leaves are not finite")


def _read_tu(files: templates.Files, words: list[str]) -> None:
    import graphtrees as gt

    _write(files)
    gt.datasets.load_tu("RINGS", data_home=".", download_if_missing=False)


def _read_ogb(files: templates.Files, words: list[str]) -> None:
    import graphtrees as gt

    whole = "hiv.zip" in files
    Path("hiv.zip").write_bytes(files["hiv.zip"] if whole else templates.packed(files))
    gt.datasets.load_ogb("ogbg-molhiv", data_home=".", download_if_missing=False)


def _read_npz(files: templates.Files, words: list[str]) -> None:
    import graphtrees as gt

    _write(files)
    gt.datasets.load_geom_gcn("Cornell", data_home=".", download_if_missing=False)


def _read_command(files: templates.Files, words: list[str]) -> None:
    """Run the command line; whatever it complains of must be a proper refusal."""
    from graphtrees.cli import app

    _write(files)
    if words[0] == "train" and not any(word in ("-o", "--output") for word in words):
        words = [*words[:2], *QUICK, *words[2:]]
    caught: list[BaseException] = []
    tell = app.sentence

    def remember(problem: BaseException) -> str:
        caught.append(problem)
        return tell(problem)

    app.sentence = remember  # type: ignore[assignment]
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = app.main(words)
    finally:
        app.sentence = tell
    if caught:
        raise caught[0]
    if code not in (0, 2):
        raise BrokenLawError(f"exit code {code}")
    if "Traceback" in err.getvalue():
        raise BrokenLawError(f"a traceback is shown: {err.getvalue()[-200:]}")


READERS = {
    "model": _read_model,
    "tu": _read_tu,
    "ogb": _read_ogb,
    "npz": _read_npz,
    "command": _read_command,
}
