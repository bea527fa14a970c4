"""A case: what is tried, as JSON that says all. The same seed and number give the same case."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from fuzzing.entry_points import call, random_call
from fuzzing.files import random_command, random_file, read
from fuzzing.laws import LAWS, check_law
from fuzzing.tasks import build, exact_task, random_task

ROOT = Path(__file__).resolve().parents[2]

ORACLE = "every_split_is_the_best"


def make_case(seed: int, number: int) -> dict[str, Any]:
    rng = np.random.default_rng([seed, number])
    kind = str(rng.choice(["law", "call", "file", "command"], p=[0.4, 0.25, 0.25, 0.1]))
    return {"kind": kind, "seed": [seed, number]} | _MAKERS[kind](rng)


def _random_law(rng: np.random.Generator) -> dict[str, Any]:
    law = str(rng.choice(list(LAWS)))
    return {"law": law, "task": exact_task(rng) if law == ORACLE else random_task(rng)}


_MAKERS = {
    "law": _random_law,
    "call": random_call,
    "file": random_file,
    "command": random_command,
}


def run_case(case: dict[str, Any]) -> None:
    """Try it; raises whatever comes of it."""
    if case["kind"] == "law":
        check_law(case["law"], build(case["task"]))
    elif case["kind"] == "call":
        call(case)
    else:
        read(case)


def about(case: dict[str, Any]) -> str:
    """What a case tries, in a few words."""
    if case["kind"] == "law":
        return case["law"]
    if case["kind"] == "call":
        return case["function"]
    return " ".join([case["reader"], *case["words"][:1]])


def save_case(case: dict[str, Any], complaint: str, folder: Path) -> Path:
    """A file of its own, named by what it holds."""
    # Others, who have the project elsewhere, read what is kept.
    complaint = complaint.replace(f"{ROOT}/", "")
    text = json.dumps(case | {"complaint": complaint}, indent=1, sort_keys=True) + "\n"
    name = hashlib.sha256(json.dumps(case, sort_keys=True).encode()).hexdigest()[:10]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case['kind']}-{name}.json"
    path.write_text(text, encoding="utf-8")
    return path


def load_case(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))
