"""Lines that commands print about data and models."""

from __future__ import annotations

from typing import Any

from graphtrees.cli.console import Console
from graphtrees.cli.data import Data

INDENT = " " * 10
WIDTH = 80


def column_lines(data: Data, console: Console) -> list[str]:
    """What each column was taken for, columns of one role together."""
    lines = []
    for table, roles in data.columns.items():
        by_role: dict[str, list[str]] = {}
        for column, role in roles.items():
            by_role.setdefault(role.replace(f"--features {column}", "--features"), []).append(
                column
            )
        parts = [f"{_listed(names)}: {role}" for role, names in by_role.items()]
        lines += _wrapped(parts, f"{table + ' ':<10}" if len(data.columns) > 1 else "")
    return [
        (console.bold(f"{'columns':<10}") if place == 0 else INDENT) + line
        for place, line in enumerate(lines)
    ]


def _wrapped(parts: list[str], title: str) -> list[str]:
    """Parts side by side while a line has room, below a title."""
    lines = [title + parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 > WIDTH:
            lines.append(" " * len(title) + part)
        else:
            lines[-1] += f" · {part}"
    return lines


def report_ids(data: Data) -> tuple[list[str], dict[str, list[str]]]:
    """What examples are called in a report, and the other columns that tell them apart."""
    texts = {name: [str(value) for value in column] for name, column in data.ids.items()}
    smiles = [name for name in texts if name.lower() == "smiles"]
    target = None if data.reading is None else data.reading.target
    telling = [name for name in texts if name != target and _tells_apart(texts[name])]
    names = [name for name in telling if name not in smiles] or smiles or list(texts)
    if not names:
        return [str(k) for k in range(len(data))], {}
    others = dict.fromkeys([*names[1:], *smiles])
    return texts[names[0]], {name: texts[name] for name in others if name != names[0]}


def _tells_apart(column: list[str]) -> bool:
    """Whether this looks like an id: nearly every value is another, and none is a fraction."""
    fractions = any("." in text and text.replace(".", "").isdigit() for text in column)
    return not fractions and len(set(column)) > 0.9 * len(column)


def _listed(names: list[str]) -> str:
    """Names with commas between; of very many the first."""
    kept: list[str] = []
    length = 0
    for name in names:
        length += len(name) + 2
        if kept and length > WIDTH // 2:
            return f"{', '.join(kept)} and {len(names) - len(kept)} more"
        kept.append(name)
    return ", ".join(kept)


def leaderboard_lines(model: Any, console: Console) -> list[str]:
    """How the recipes of an ensemble compare; nothing for one model."""
    if not hasattr(model, "leaderboard_"):
        return []
    table = str(model.leaderboard_).splitlines()
    return [f"{console.bold('recipes')}   {table[0]}", *(f"          {row}" for row in table[1:])]
