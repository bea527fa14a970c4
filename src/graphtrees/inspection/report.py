"""The result of an inspection: as an object, a dict, text and HTML."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from graphtrees.graphs.labels import plain
from graphtrees.inspection.advice import advise
from graphtrees.inspection.shape import Features, Shape
from graphtrees.inspection.target import Labels
from graphtrees.inspection.text import as_html, as_text, write_sections
from graphtrees.inspection.twins import Overlap, Twins


@dataclass(frozen=True)
class Inspection:
    """The result of `inspect`. Print it, or read its parts.

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
    twins : Twins
        Examples that 1-WL cannot tell apart after `rounds` rounds, and the ceiling on the score.
        `stable` is False where more rounds could still tell some of them apart.
    copies : Twins or None
        Graphs that are the same but for the order of their vertices; None for other examples.
    overlap : Overlap or None
        What training and test examples share.
    """

    kind: str
    n_examples: int
    shape: Shape
    features: Features
    labels: Labels | None
    twins: Twins
    copies: Twins | None
    rounds: int
    stable: bool
    overlap: Overlap | None

    @property
    def warnings(self) -> list[str]:
        """What needs attention before training, a sentence each."""
        return advise(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings, lists and dicts, fit for JSON."""
        content = asdict(self) | {"warnings": self.warnings}
        if self.labels is not None:
            content["labels"]["majority"] = self.labels.majority
        for name in ("twins", "copies"):
            part = getattr(self, name)
            if part is not None:
                content[name]["share"] = part.share
        return _plain(content)

    def __str__(self) -> str:
        return as_text(write_sections(self))

    def __repr__(self) -> str:
        return f"<Inspection of {self.n_examples} {self.kind}: {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        return as_html(write_sections(self))


def _plain(value: Any) -> Any:
    """Keys as strings, NumPy scalars as Python's."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return plain(value)
