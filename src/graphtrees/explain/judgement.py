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

    Print it for a table, or read its rows: large changes after removing the most important
    vertices, and small ones after keeping them alone, mean that explanations can be trusted.

    Attributes
    ----------
    rows : tuple of dict
        One for each `action` ("removed", "kept alone"), `size` (share or number of vertices) and
        `ranking` ("most important", "least important", "random"), with `flipped` (share of
        examples whose predicted class changes; 0 for numbers) and `change` (mean fall of the
        probability of the explained class, or mean size of the change of a number).
    n_examples : int
        How many examples were judged.
    of_classes : bool
        Whether the model predicts classes.
    unit : {"vertices", "edges"}
        What was removed or kept.

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    >>> model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    >>> found = gt.fidelity(model, [star, path], top=[1], random_state=0)
    >>> found.row("removed", "most important", 1)["flipped"]
    0.5
    """

    rows: tuple[dict[str, Any], ...]
    n_examples: int
    of_classes: bool = True
    unit: str = "vertices"

    def row(self, action: str, ranking: str, size: float) -> dict[str, Any]:
        """One row of the table.

        Parameters
        ----------
        action : {"removed", "kept alone"}
            What was done to the vertices.
        ranking : {"most important", "least important", "random"}
            Which of them.
        size : float or int
            The share or the number of them, as given to `fidelity`.

        Returns
        -------
        dict
        """
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
                rows = [self.row(action, ranking, size) for ranking in RANKINGS]
                lines.append([f"{_amount(size)} {action}", *map(self._cell, rows)])
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
