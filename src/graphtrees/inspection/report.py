"""What an inspection found: as an object, a dict, a page of text, and HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from graphtrees.graphs.labels import plain
from graphtrees.inspection.advice import advise
from graphtrees.inspection.alike import Alike
from graphtrees.inspection.overlap import Overlap
from graphtrees.inspection.shape import Features, Shape
from graphtrees.inspection.target import Labels
from graphtrees.inspection.words import Section, write_sections


@dataclass(frozen=True)
class Inspection:
    """What `inspect` found. Print it, or read its parts.

    Attributes
    ----------
    kind : {"graphs", "vertices", "edges", "rows"}
        What the examples are.
    n_examples : int
    shape : Shape
        Sizes, degrees, isolated vertices, self-loops and repeated edges.
    features : Features
        Those that are constant, categorical or missing.
    labels : Labels or None
        Balance, and whether they are sorted by position.
    twins : Alike
        Examples that 1-WL cannot tell apart after `rounds` rounds, and the ceiling on the score.
        `stable` is False where more rounds could still tell some of them apart.
    copies : Alike or None
        Graphs that are the same but for the order of their vertices; None for other examples.
    overlap : Overlap or None
        What training and test examples share.
    """

    kind: str
    n_examples: int
    shape: Shape
    features: Features
    labels: Labels | None
    twins: Alike
    copies: Alike | None
    rounds: int
    stable: bool
    overlap: Overlap | None

    @property
    def warnings(self) -> list[str]:
        """What needs attention before training, a sentence each."""
        return advise(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dicts, fit for JSON."""
        found = asdict(self) | {"warnings": self.warnings}
        if self.labels is not None:
            found["labels"]["majority"] = self.labels.majority
        for name in ("twins", "copies"):
            part = getattr(self, name)
            if part is not None:
                found[name]["share"] = part.share
        return _plain(found)

    def __str__(self) -> str:
        return as_text(write_sections(self))

    def __repr__(self) -> str:
        return f"<Inspection of {self.n_examples} {self.kind}: {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        return as_html(write_sections(self))


def as_text(sections: list[Section], emphasise: Callable[[str], str] = str) -> str:
    """Sections as a page, titles in a column of their own."""
    lines = []
    for section in sections:
        for place, line in enumerate(section.lines):
            title = section.title if place == 0 else ""
            lines.append((emphasise(f"{title:<10}") + line).rstrip())
    return "\n".join(lines)


def as_html(sections: list[Section]) -> str:
    rows = [
        f"<tr><th style='text-align:left;vertical-align:top'>{escape(section.title)}</th>"
        f"<td style='text-align:left;white-space:pre'>{escape(chr(10).join(section.lines))}</td>"
        "</tr>"
        for section in sections
    ]
    return f"<table>{''.join(rows)}</table>"


def _plain(value: Any) -> Any:
    """Keys as strings, NumPy scalars as Python's."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return plain(value)
