"""What happened at a node, as a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._layout import IN_MINUS, IN_PLUS, SIGNS
from graphtrees.questions.text import TreeText, compared, number, signed

_NOUNS = ("number", "sum", "mean", "share", "total", "largest", "smallest", "weighted", "presence",
          "chance")  # fmt: skip


@dataclass(frozen=True)
class Goal:
    """What the trees speak about: a class or a number, by steps (boosting) or each on its own."""

    label: Any
    is_class: bool
    boosted: bool

    def adds(self, amount: float) -> str:
        """What a leaf says.

        >>> Goal("mutagen", is_class=True, boosted=True).adds(0.31)
        "adds +0.31 to class 'mutagen'"
        """
        name = f"class {self.label!r}" if self.is_class else "the prediction"
        if self.boosted:
            return f"adds {signed(amount)} to {name}"
        return (
            f"says {name} with share {number(amount)}"
            if self.is_class
            else f"says {number(amount)}"
        )


def step_sentence(
    words: TreeText, node: int, value: float, direction: str, subset: str | None
) -> str:
    """'node 3: the number of neighbours is 3 > 2.5 → right'."""
    asked = words.asked(node)
    phrase = asked.phrase(subset)
    threshold = float(words.tree.threshold[node])
    if value != value:
        return f"node {node}: {_the(phrase)} is missing → {direction}"
    if phrase.startswith("whether") and value in (0.0, 1.0) and 0 <= threshold < 1:
        return f"node {node}: {phrase}: {'yes' if value else 'no'} → {direction}"
    comparison = compared(value, threshold, asked.offset)
    return f"node {node}: {_the(phrase)} is {comparison} → {direction}"


def subset_text(
    words: TreeText, node: int, sign: int, threshold: float, values: np.ndarray, size: int
) -> str:
    """The subset that a node made for one graph, described by the question that made it.

    `threshold` is the one its vertices met, `values` what stood at the vertices it chose from.
    """
    side = IN_MINUS if words.tree.missing_left[node] else IN_PLUS
    or_missing = bool(np.isnan(values).any()) and side == sign
    phrase = words.new_subset(node, sign, threshold, or_missing)
    return f"{phrase} (S{SIGNS[sign]} of node {node}, {size} of them)"


def _the(phrase: str) -> str:
    return f"the {phrase}" if phrase.startswith(_NOUNS) else phrase
