"""The options for reading DATA. Stored with a model, so that `predict` reads as `train` did."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from graphtrees.cli.errors import UserError, did_you_mean


@dataclass(frozen=True)
class Reading:
    """Which columns are what, and how they are written."""

    target: str | None = None  # what is to be predicted
    examples: str | None = None  # "graphs", "vertices" or "edges"; None: by where the target is
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
    dates: str | None = None  # "number" or "drop"; None: columns of dates are refused
    date_columns: tuple[str, ...] = ()  # found in training
    decimal: str | None = None  # "." or ","; None: inferred from the values
    comma_columns: tuple[str, ...] = ()  # found in training
    missing: tuple[str, ...] = ()  # text that marks a missing value, beside the usual
    encoding: str | None = None  # None: UTF-8, else Latin-1 with a warning
    on_error: str = "raise"  # SMILES that cannot be read: "raise", "skip" or "none"
    unknown_ids: str = "raise"  # edges to vertices that are not there: "raise" or "drop"

    def to_dict(self) -> dict[str, Any]:
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Reading:
        """The inverse of `to_dict`; keys of other versions are ignored."""
        known = {field.name for field in fields(cls)}
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in content.items()
            if key in known
        }
        return cls(**given)


# Option, what it takes, and what it is for. "list" is names with commas between.
OPTIONS: dict[str, tuple[str, str]] = {
    "target": ("text", "the column (or attribute) to predict"),
    "features": ("list", "columns to learn from (default: all others; of a molecule: its atoms)"),
    "as_text": ("list", "columns of labels that look like numbers, such as postcodes"),
    "examples": (
        "graphs|vertices|edges",
        "what gets a label (default: by where the target is found)",
    ),
    "directed": ("flag", "edges lead one way only, such as payments"),
    "weight": ("text", "the column of edges with their weights"),
    "edge_type": ("text", "the column of edges with their types, walked each on its own"),
    "edge_features": ("list", "number columns of edges, each the weights of walks of their own"),
    "id_column": ("text", "the id of a vertex (default: id)"),
    "source_column": ("text", "where an edge starts (default: source)"),
    "target_column": ("text", "where an edge ends (default: target)"),
    "graph_column": ("text", "the graph that a row belongs to (default: graph_id)"),
    "smiles_column": ("text", "the column with SMILES (default: one called smiles)"),
    "dates": (
        "number|drop",
        "columns of dates: days since 1970, or left out (default: refused)",
    ),
    "decimal": (".|,", "the decimal mark (default: told from the numbers)"),
    "missing": ("list", "words that stand for no value, such as n/a,-,?"),
    "encoding": ("text", "of text files (default: utf-8, else latin-1 with a note)"),
    "on_error": (
        "raise|skip|none",
        "molecules that cannot be read: stop, leave them out, or keep their rows without a "
        "prediction (default: raise)",
    ),
    "unknown_ids": (
        "raise|drop",
        "edges to vertices that are not in the table: stop, or leave them out (default: raise)",
    ),
}
AS_TRAINED = "reading DATA (default: as the model was trained)"
LISTS = tuple(name for name, (kind, _) in OPTIONS.items() if kind == "list")


def add_reading_options(
    parser: argparse.ArgumentParser, without: tuple[str, ...] = (), title: str = "reading DATA"
) -> None:
    """Options of DATA; those not given leave no trace in the result."""
    group = parser.add_argument_group(title)
    for name, (kind, purpose) in OPTIONS.items():
        if name in without:
            continue
        word = option_of(name)
        default = argparse.SUPPRESS
        if kind == "flag":
            group.add_argument(word, action="store_true", default=default, help=purpose)
        elif "|" in kind:
            group.add_argument(word, choices=kind.split("|"), default=default, help=purpose)
        else:
            metavar = "NAMES" if kind == "list" else "NAME"
            reader = names if kind == "list" else str
            group.add_argument(word, type=reader, default=default, metavar=metavar, help=purpose)


def option_of(name: str) -> str:
    """The command-line option of a field of `Reading`."""
    return f"--{name.replace('_', '-')}"


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def given_options(given: dict[str, Any]) -> set[str]:
    """The options of DATA that were given."""
    return {name for name in OPTIONS if name in given}


def reading_of(given: dict[str, Any], stored: Reading | None = None) -> Reading:
    """The reading that options ask for, on top of what a model was trained with."""
    chosen = {name: given[name] for name in OPTIONS if name in given}
    for name in LISTS:
        if isinstance(chosen.get(name), list):
            chosen[name] = tuple(chosen[name])
    return replace(stored or Reading(), **chosen)


def check_options(given: set[str], used: Iterable[str], data: str, kind: str) -> None:
    """Refuse options that would do nothing for this kind of DATA."""
    for name in OPTIONS:
        if name in given and name not in set(used):
            usable = ", ".join(option_of(one) for one in OPTIONS if one in set(used))
            raise UserError(
                f"{data}: {option_of(name)} has no use for {kind}; "
                f"what can be asked for: {usable or 'nothing'}"
            )


def no_column(
    where: str, column: str, columns: Iterable[str], option: str | None = None
) -> UserError:
    """The error for a column that is not there."""
    listed = list(columns)
    guess = did_you_mean(column, listed)
    hint = f"; name another with {option_of(option)}" if option and not guess else ""
    return UserError(
        f"{where}: no column {column!r} (there is: {', '.join(listed) or 'none'}){guess}{hint}"
    )
