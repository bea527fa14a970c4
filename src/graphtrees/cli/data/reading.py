"""How DATA is to be read. Kept with a model, so that `predict` reads as `train` did."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from graphtrees.cli.errors import UserError


@dataclass(frozen=True)
class Reading:
    """Which columns are what."""

    target: str | None = None  # what is to be predicted
    examples: str | None = (
        None  # "graphs", "vertices" or "edges"; None: by where the target is found
    )
    features: tuple[str, ...] | None = None  # None: every column that is nothing else
    as_text: tuple[str, ...] = ()  # columns of labels, whatever they look like
    exact: bool = False  # features outside as_text are numbers, as the model learned them
    directed: bool = False
    weight: str | None = None
    edge_type: str | None = None
    edge_features: tuple[str, ...] = ()
    id_column: str = "id"
    source_column: str = "source"
    target_column: str = "target"
    graph_column: str = "graph_id"
    smiles_column: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Reading:
        """Read back what `to_dict` gave; keys of other versions are passed over."""
        known = {field.name for field in fields(cls)}
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in content.items()
            if key in known
        }
        return cls(**given)


# Option, what it takes, and what it is for. "list" is names with commas between.
OPTIONS = {
    "target": ("text", "the column, or attribute, that is to be predicted"),
    "examples": (
        "graphs|vertices|edges",
        "what gets a label; default: by where the target is found",
    ),
    "features": ("list", "columns to learn from; default: all others"),
    "as_text": ("list", "columns that hold labels although they look like numbers"),
    "directed": ("flag", "edges are walked one way only"),
    "weight": ("text", "the column of edges that holds their weights"),
    "edge_type": ("text", "the column of edges that holds their types"),
    "edge_features": ("list", "columns of edges that are relations of their own"),
    "id_column": ("text", "the id of a vertex (default: id)"),
    "source_column": ("text", "where an edge starts (default: source)"),
    "target_column": ("text", "where an edge ends (default: target)"),
    "graph_column": ("text", "the graph that a row belongs to (default: graph_id)"),
    "smiles_column": ("text", "the column with SMILES (default: one called smiles)"),
}


def add_reading_options(parser: argparse.ArgumentParser, without: tuple[str, ...] = ()) -> None:
    """Options of DATA; those not given leave no trace in the result."""
    group = parser.add_argument_group("reading DATA")
    for name, (kind, purpose) in OPTIONS.items():
        if name in without:
            continue
        word = f"--{name.replace('_', '-')}"
        default = argparse.SUPPRESS
        if kind == "flag":
            group.add_argument(word, action="store_true", default=default, help=purpose)
        elif "|" in kind:
            group.add_argument(word, choices=kind.split("|"), default=default, help=purpose)
        else:
            metavar = "NAMES" if kind == "list" else "NAME"
            reader = names if kind == "list" else str
            group.add_argument(word, type=reader, default=default, metavar=metavar, help=purpose)


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def reading_of(given: dict[str, Any], stored: Reading | None = None) -> Reading:
    """The reading that options ask for, on top of what a model was trained with."""
    chosen = {name: given[name] for name in OPTIONS if name in given}
    for name in ("features", "as_text", "edge_features"):
        if isinstance(chosen.get(name), list):
            chosen[name] = tuple(chosen[name])
    return replace(stored or Reading(), **chosen)


def no_column(where: str, column: str, there: list[str], option: str | None = None) -> UserError:
    """The error for a column that is not there."""
    hint = f"; name another with --{option.replace('_', '-')}" if option else ""
    return UserError(
        f"{where}: no column {column!r} (there is: {', '.join(there) or 'none'}){hint}"
    )
