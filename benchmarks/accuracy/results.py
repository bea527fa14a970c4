"""The file of results: one row for each finished task, added when it is finished.

Rows are only ever added, each by a single write. So a run that is killed loses no row, and runs
can share a file. A line that was cut off is passed over; of two rows for a task the later counts.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.accuracy.measuring import Task

KEY = ("set", "method", "seed", "fold", "folds")
FIELDS = (
    *KEY, "family", "metric", "score", "sampling_error", "n_train", "n_test",
    "fit_seconds", "fit_cpu_seconds", "predict_seconds", "tuning_seconds", "chosen",
    "error", "versions", "machine",
)  # fmt: skip
OPTIONAL = ("tuning_seconds", "chosen")  # of methods that tune; older files lack the columns
OLDER_FIELDS = tuple(field for field in FIELDS if field not in OPTIONAL)
WHOLE = ("seed", "fold", "folds", "n_train", "n_test")
NUMBERS = (
    "score", "sampling_error", "fit_seconds", "fit_cpu_seconds", "predict_seconds",
    "tuning_seconds",
)  # fmt: skip

Row = dict[str, Any]


def key(row: Row) -> Task:
    """The task that a row is about."""
    return Task(*(row[field] for field in KEY))


def row_of(task: Task, **columns: Any) -> Row:
    """A row with the columns that are known; the others stay empty."""
    about = (task.data, task.method, task.seed, task.fold, task.n_folds)
    return dict(zip(KEY, about, strict=True)) | columns


def read(path: Path) -> list[Row]:
    """The last whole row of each task, numbers as numbers (None where empty)."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        header = next(lines, None)
        if header is None:
            return []
        fields = _checked_header(path, header)
        rows = [row for line in lines if (row := _parsed(line, fields)) is not None]
    return list({key(row): row for row in rows}.values())


def read_all(paths: Iterable[Path]) -> list[Row]:
    """The rows of several files; of two rows for a task the later counts."""
    rows = [row for path in paths for row in read(path)]
    return list({key(row): row for row in rows}.values())


def append(path: Path, rows: Iterable[Row]) -> None:
    """Add rows, each as one whole line."""
    fields = _fields_of(path)
    lines = [] if fields else [_line(FIELDS)]
    lines += [_line([_cell(row.get(field)) for field in fields or FIELDS]) for row in rows]
    text = _end_of_cut_line(path) + "".join(lines)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, text.encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def _fields_of(path: Path) -> tuple[str, ...]:
    """The columns of a file; none where there is no file yet."""
    if not path.exists():
        return ()
    with path.open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(file), None)
    return _checked_header(path, header) if header else ()


def _checked_header(path: Path, header: list[str]) -> tuple[str, ...]:
    fields = tuple(header)
    if fields not in (FIELDS, OLDER_FIELDS):
        wanted, came = ", ".join(FIELDS), ", ".join(header)
        raise ValueError(f"{path} has other columns; wanted {wanted}; got {came}")
    return fields


def _parsed(line: list[str], fields: tuple[str, ...]) -> Row | None:
    """A row of the file, without optional cells that are empty; None for a line cut off."""
    if len(line) != len(fields):
        return None
    row: Row = dict(zip(fields, line, strict=True))
    row = {field: cell for field, cell in row.items() if cell or field not in OPTIONAL}
    try:
        for kind, named in ((int, WHOLE), (float, NUMBERS)):
            present = [field for field in named if field in row]
            row |= {field: kind(row[field]) if row[field] else None for field in present}
    except ValueError:
        return None
    return row if row["machine"] and row["fold"] is not None else None


def _line(cells: Iterable[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _cell(value: Any) -> str:
    """A cell of one line."""
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float) else " ".join(str(value).split())


def _end_of_cut_line(path: Path) -> str:
    """What has to come before the next line: a line feed if the last line lacks it."""
    if not path.exists() or not path.stat().st_size:
        return ""
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return "" if file.read(1) == b"\n" else "\n"
