"""The role of each column of a table, which is shown to the user."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.table import Table
from graphtrees.cli.errors import UserError
from graphtrees.graphs.identifiers import are_unique

Roles = dict[str, str]  # column -> its role, in words
NOT_USED = "not used"


def choose_features(table: Table, keys: dict[str, str]) -> tuple[list[str], Roles]:
    """The columns to learn from, and the role of every column.

    `keys` are the roles of columns that are no features, such as ids and the target.
    """
    reading = table.reading
    asked = reading.features
    roles: Roles = {}
    left_out = set()
    for name in table.columns:
        if name in keys:
            roles[name] = keys[name]
        elif asked is None or name in asked:
            roles[name], is_feature = _role(table, name, by_name=asked is not None)
            left_out |= set() if is_feature else {name}
        else:
            roles[name] = NOT_USED
    for name in asked or ():
        if name not in table.columns:
            raise no_column(table.file.name, name, table.columns)
    ordered = table.columns if asked is None else asked
    used = [n for n in ordered if asked is not None or n not in keys]
    return [name for name in used if name not in left_out], roles


def _role(table: Table, name: str, by_name: bool) -> tuple[str, bool]:
    """The role of a column, and whether it is a feature."""
    kind = table.kind(name)
    if kind == "date":
        return _role_of_dates(table, name)
    values = table.values(name)
    if kind == "number":
        return "number with decimal commas" if name in table.with_commas else "number", True
    known = [value for value in values.tolist() if value is not None]
    n_distinct = len(set(known))
    unique = are_unique(n_distinct, len(known))
    if unique and not by_name and not table.reading.exact and name not in table.reading.as_text:
        role = f"left out: text that differs from row to row (--features {name} insists)"
        return role, False
    return f"text, {n_distinct} categor{'y' if n_distinct == 1 else 'ies'}", True


def _role_of_dates(table: Table, name: str) -> tuple[str, bool]:
    choice = table.reading.dates
    if choice is None:
        value = next(str(v) for v in table.column(name) if v not in (None, ""))
        raise UserError(
            f"{table.file.name}: {name!r} holds dates such as {value!r}; --dates number reads "
            "them as days since 1970, --dates drop leaves them out"
        )
    return ("date, as days since 1970", True) if choice == "number" else ("left out: dates", False)


def edge_roles(table: Table, keys: dict[str, str], reading: Reading) -> Roles:
    """The roles of the columns of edges."""
    used = {reading.weight: "weight", reading.edge_type: "edge type"}
    used |= dict.fromkeys(reading.edge_features, "edge feature")
    options = "--weight, --edge-type or --edge-features"
    return {
        name: keys.get(name) or used.get(name) or f"{NOT_USED} (use with {options})"
        for name in table.columns
    }


def with_inferred(reading: Reading, tables: Iterable[Table], features: list[str]) -> Reading:
    """The reading with the columns of dates and of decimal commas that were found."""
    tables = list(tables)
    dates = [n for table in tables for n in table.columns if n in features and table.has_dates(n)]
    commas = sorted({name for table in tables for name in table.with_commas})
    return replace(reading, date_columns=tuple(dates), comma_columns=tuple(commas))


def with_hints(roles: Roles) -> Roles:
    """The roles, with the option that would use a column that is not used."""
    return {
        name: f"{NOT_USED} (use with --features {name})" if role == NOT_USED else role
        for name, role in roles.items()
    }
