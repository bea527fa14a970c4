"""The most important split of a model, with the subsets it uses spelled out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from graphtrees._layout import SIGNS
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.questions.text import TreeText


@dataclass(frozen=True)
class Rule:
    """A split: the tree and node it stands at, and a line for it and for each subset."""

    tree: int
    node: int
    lines: list[str]


def most_important_rule(fitted: FittedTrees) -> Rule:
    """The split with the largest gain.

    Examples
    --------
    >>> import graphtrees as gt
    >>> from graphtrees.cli.rules import most_important_rule
    >>> from graphtrees.validation.models import fitted_trees
    >>> star, path = gt.Graph(None, [(0, 1), (0, 2), (0, 3)]), gt.Graph(None, [(0, 1), (1, 2)])
    >>> model = gt.GraphTreeClassifier(max_walk_length=1).fit([star, path], ["star", "path"])
    >>> most_important_rule(fitted_trees(model)).lines
    ['number of vertices > 3.5']
    """
    best = (-np.inf, 0, 0)
    for number, tree in enumerate(fitted.trees):
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            best = max(best, (float(tree.gain[node]), -number, -node))
    if best[0] == -np.inf:
        return Rule(0, 0, ["no tree has a split: every example gets the same answer"])
    number, node = -best[1], -best[2]
    return Rule(number, node, _lines(fitted.question_text(number), node))


def _lines(words: TreeText, node: int) -> list[str]:
    """The question, and below it what each subset is, called A, B, C ... instead of by node."""
    tree = words.tree
    texts = [words.test(node)]
    chain: list[str] = []
    while tree.sign[node] and len(chain) < len(ascii_uppercase):
        pointer, sign = int(tree.pointer[node]), int(tree.sign[node])
        chain.append(f"S{SIGNS[sign]} of node {pointer}")
        texts.append(words.new_subset(pointer, sign))
        node = pointer
    names = ascii_uppercase[: len(chain)]
    for old, new in zip(chain, names, strict=True):
        texts = [re.sub(rf"{re.escape(old)}\b", new, text) for text in texts]
    subsets = zip(names, texts[1:], strict=True)
    return [texts[0], *(f"{name}: {text}" for name, text in subsets)]
