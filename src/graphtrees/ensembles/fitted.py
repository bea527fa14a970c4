"""Fitted trees: all that prediction, explanations, pictures and files need of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.losses import Loss
from graphtrees.graphs.direction import has_direction
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.kernels.records import Contributions
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operator_name import any_backwards
from graphtrees.questions.plan import QuestionSpace
from graphtrees.questions.text import Nouns, TreeText
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.tree import Tree

# What a tree's values depend on: trees made under other settings cannot be added to.
FIXED_PARAMETERS = ("learning_rate", "loss", "multi_strategy", "init")


class Start(Protocol):
    """A model that the trees start from, beyond constants."""

    @property
    def text(self) -> str: ...

    def raw(self, features: FeatureTable, examples: Examples) -> np.ndarray:
        """What it adds for each example, (n_examples, n_outputs)."""
        ...


@dataclass(frozen=True)
class Run:
    """What it takes to go on with a run of boosting where it stopped, beside the trees."""

    seed: int
    generator: Mapping[str, Any]  # the state of the random generator after the last round
    examples: str  # a fingerprint of the training examples, labels and weights
    fixed: dict[str, Any]  # parameters that must not change


@dataclass(frozen=True, eq=False)
class Training:
    """What is kept of the fit itself: for files, reports, and runs that go on."""

    parameters: dict[str, Any] = field(default_factory=dict)
    examples: np.ndarray | None = None  # fingerprints of the training examples; None: unknown
    answer: Any = None  # the one answer for all: most frequent class, or means; None: unknown
    run: Run | None = None
    start_raw: np.ndarray | None = None  # where `start` put the training examples, if kept


@dataclass(frozen=True, eq=False)
class AddedValues:
    """What each node of packed trees adds to each output.

    `adds[node, output]` is signed and scaled as in the decision function of boosting; for trees
    and forests it is the tree's own value, which counts for `share` in the mean of all trees.
    `adds_to[tree, output]` tells which trees add to an output at all.
    """

    packed: PackedTrees
    adds: np.ndarray
    adds_to: np.ndarray
    share: float = 1.0

    @property
    def n_outputs(self) -> int:
        return self.adds.shape[1]

    @cached_property
    def contributions(self) -> Contributions:
        """How much each tree adds, whatever the sign."""
        return Contributions(self.adds_to, np.abs(self.adds))

    @cached_property
    def signed_contributions(self) -> Contributions:
        return Contributions(self.adds_to, self.share * self.adds)


@dataclass(frozen=True, eq=False)
class FittedTrees:
    """Trees and what their numbers mean. An estimator holds one, set at the end of `fit`.

    With `init` the trees are boosted: the decision function is `init`, plus what `start` adds,
    plus `scale` times the sum of the leaf values. Without it predictions are means of the trees.
    """

    estimator: str  # the name of the class, for messages
    kind: str  # of examples: "graphs", "vertices", "edges" or "rows"
    features: FeatureTable
    questions: QuestionSpace
    weighted: bool | None = None  # whether edges had weights in training; None: unknown
    trees: tuple[Tree, ...] = ()
    outputs: tuple[int, ...] = ()  # the output that each tree adds to, -1 for all of them
    classes: np.ndarray | None = None  # None: numbers are predicted
    init: np.ndarray | None = None
    scale: float = 1.0
    loss: Loss | None = None  # its link makes predictions of boosted sums
    start: Start | None = None
    training: Training = field(default_factory=Training)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what is cached is made again."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def is_boosted(self) -> bool:
        return self.init is not None

    @property
    def is_directed(self) -> bool:
        """Whether questions tell the two directions of an edge apart."""
        return bool(self.questions.directed) or any_backwards(self.questions.operators)

    @property
    def n_outputs(self) -> int:
        return self.trees[0].value.shape[1] if self.init is None else len(self.init)

    @cached_property
    def packed(self) -> PackedTrees:
        """The trees end to end, made when first needed."""
        return PackedTrees(self.trees)

    @cached_property
    def added(self) -> AddedValues:
        ptr = self.packed.ptr
        adds = np.zeros((ptr[-1], self.n_outputs))
        adds_to = np.zeros((len(self.trees), self.n_outputs), np.bool_)
        for number, (tree, output) in enumerate(zip(self.trees, self.outputs, strict=True)):
            shared = tree.value.shape[1] > 1
            columns = slice(None) if shared else slice(max(output, 0), max(output, 0) + 1)
            adds[ptr[number] : ptr[number + 1], columns] = self.added_by(tree)
            adds_to[number, columns] = True
        return AddedValues(self.packed, adds, adds_to, 1.0 if self.is_boosted else 1 / len(adds_to))

    def added_by(self, tree: Tree) -> np.ndarray:
        """What each node of a tree adds to the prediction: in boosting, after the learning rate."""
        return tree.value * self.scale if self.is_boosted else tree.value

    def nouns(self, flat: FlatGraphs | None = None) -> Nouns:
        """What things are called; what a model from a file does not know, `flat` tells."""
        directed, weighted = self.is_directed, bool(self.weighted)
        if flat is not None and self.questions.directed is None:
            directed = directed or bool(has_direction(flat))
        if flat is not None and self.weighted is None:
            weighted = flat.edge_weights is not None
        nouns = Nouns.of(self.kind, directed, weighted)
        return replace(nouns, edge_features=self.questions.edge_features or ())

    def question_text(self, tree: int, flat: FlatGraphs | None = None) -> TreeText:
        """The questions of one tree in words: the one way to put them, wherever they are read."""
        operators = self.questions.operators
        return TreeText(self.trees[tree], self.features, operators, self.nouns(flat))

    def feature_shares(self, kind: str) -> np.ndarray:
        """Shares of the gain, or with kind="split" of the number of splits, by feature.

        After the features come the constant and the colours.
        """
        sums = np.zeros(self.features.n_features + 1 + self.features.n_colours)
        feature_of = self.features.feature_of()
        for tree in self.trees:
            splits = ~tree.is_leaf
            earned = tree.gain[splits] if kind == "gain" else 1.0
            np.add.at(sums, feature_of[tree.column[splits]], earned)
        total = sums.sum()
        return sums / total if total > 0 else sums
