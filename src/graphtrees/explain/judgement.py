"""The verdict on explanations, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from graphtrees._optional import require

ACTIONS = ("removed", "kept alone")
RANKINGS = ("most important", "least important", "random")


@dataclass(frozen=True, repr=False)
class Fidelity:
    """How predictions change when vertices are removed or kept alone; made by `fidelity`.

    Attributes
    ----------
    rows : tuple of dict
        One for each `action` ("removed", "kept alone"), `size` (share or number of vertices) and
        `ranking` ("most important", "least important", "random"), with `flipped` (share of
        examples whose predicted class changes; 0 for numbers) and `change` (mean fall of the
        probability of the explained class, or mean size of the change of a number).
    n_examples : int
    """

    rows: tuple[dict[str, Any], ...]
    n_examples: int
    of_classes: bool = True
    unit: str = "vertices"

    def row(self, action: str, ranking: str, size: float) -> dict[str, Any]:
        """One row of the table."""
        for row in self.rows:
            if (row["action"], row["ranking"], row["size"]) == (action, ranking, size):
                return row
        raise KeyError(f"no row for {action!r}, {ranking!r}, {size!r}")

    def to_dataframe(self) -> Any:
        """The rows as a pandas DataFrame."""
        pandas = require("pandas", extra="pandas", purpose="Fidelity.to_dataframe")
        return pandas.DataFrame(list(self.rows))

    def _title(self) -> str:
        what = "probability of the explained class falls" if self.of_classes else "number changes"
        flips = "share of flipped predictions, and " if self.of_classes else ""
        return f"Fidelity over {self.n_examples} examples: {flips}by how much the {what}"

    def _cells(self) -> list[list[str]]:
        """A header and one line for each size and action, the rankings side by side."""
        lines = [[self.unit, *RANKINGS]]
        sizes = dict.fromkeys(row["size"] for row in self.rows)
        for action in ACTIONS:
            for size in sizes:
                found = [self.row(action, ranking, size) for ranking in RANKINGS]
                lines.append([f"{_amount(size)} {action}", *map(self._cell, found)])
        return lines

    def _cell(self, row: dict[str, Any]) -> str:
        change = f"{row['change']:+.3f}"
        return f"{row['flipped']:.1%}  {change}" if self.of_classes else change

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
        lines = [
            "  ".join([line[0].ljust(widths[0])]
                      + [c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True)])
            for line in cells
        ]  # fmt: skip
        return "\n".join([self._title(), *lines])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body
        )
        return (
            f"<table><caption>{escape(self._title())}</caption>"
            f"<thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"
        )


def _amount(size: float) -> str:
    return str(size) if isinstance(size, int) else f"{size:.0%}"
