"""What operators are called, parsed in one place.

'adjacency' walks all edges; a relation (one edge type, or one column of edge features as weights)
goes by its own name. 'reverse:' in front walks the edges backwards, 'mean:' averages what comes in;
'reverse' and 'mean' alone are those of the adjacency.
"""

from __future__ import annotations

from dataclasses import dataclass

ADJACENCY = "adjacency"
REVERSE, MEAN = FORMS = ("reverse", "mean")
PLAIN = (ADJACENCY, *FORMS)
# Names that stand for one operator for each relation, and the form of these operators.
EVERY_RELATION = {"relations": "", "reverse_relations": REVERSE, "mean_relations": MEAN}


@dataclass(frozen=True)
class OperatorName:
    """What is done (`form`: "reverse", "mean" or "") to which edges (`relation`).

    Examples
    --------
    >>> OperatorName.parse("mean:double")
    OperatorName(form='mean', relation='double')
    >>> OperatorName.parse("reversed")
    OperatorName(form='', relation='reversed')
    >>> str(OperatorName("reverse", "adjacency"))
    'reverse'
    """

    form: str
    relation: str

    @classmethod
    def parse(cls, text: str) -> OperatorName:
        if text in FORMS:
            return cls(text, ADJACENCY)
        form, colon, relation = text.partition(":")
        return cls(form, relation) if colon and form in FORMS else cls("", text)

    def __str__(self) -> str:
        if self.form and self.relation == ADJACENCY:
            return self.form
        return f"{self.form}:{self.relation}" if self.form else self.relation

    @property
    def backwards(self) -> bool:
        return self.form == REVERSE

    @property
    def averages(self) -> bool:
        return self.form == MEAN

    @property
    def forwards(self) -> OperatorName:
        """The same edges along their direction: where edges have none, this is the same walk."""
        return OperatorName("", self.relation) if self.backwards else self


def any_backwards(operators: tuple[str, ...]) -> bool:
    """Whether some walk goes against the edges, as happens in directed graphs only."""
    return any(OperatorName.parse(name).backwards for name in operators)
