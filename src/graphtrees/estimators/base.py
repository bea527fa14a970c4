"""What all six estimators share: reading X, growing on it, and prediction."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import AGGREGATORS, MOST_COLUMNS, WALK_TYPES
from graphtrees._threads import ONE_THREAD, Workers, count_threads
from graphtrees.columns.making import make_batch
from graphtrees.columns.overflow import refuse_overflow
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees, Training
from graphtrees.ensembles.prediction import batch_of, leaves_of, raw_values
from graphtrees.estimators.colouring import with_colours
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.feature_warnings import warn_of_features
from graphtrees.estimators.fitted_methods import FittedMethods
from graphtrees.estimators.memory import Sizes, count_questions, estimate, shape_of
from graphtrees.estimators.memory_limit import make_room, parse_memory, reading
from graphtrees.estimators.offsets import offsets_of
from graphtrees.estimators.other_names import advice, refuse_foreign
from graphtrees.estimators.parameters import Constraint, check_parameters
from graphtrees.estimators.reach import check_reach
from graphtrees.estimators.scanned import read_all
from graphtrees.estimators.walk_lengths import longest_walk, walk_lengths
from graphtrees.files.labels import check_categories
from graphtrees.graphs.flat import distinct_values
from graphtrees.kernels._rows import WIDTH
from graphtrees.questions.conforming import uncoded
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operators import expand_operators
from graphtrees.questions.plan import QuestionSpace
from graphtrees.trees.limits import GrowthLimits, fitting_leaves
from graphtrees.trees.training_data import TrainingData
from graphtrees.validation.examples import chosen_categories, read_examples, read_training
from graphtrees.validation.fingerprints import fingerprints, totals_of
from graphtrees.validation.models import fitted_trees
from graphtrees.validation.parts import check_parts


class GraphTreesEstimator(FittedMethods, BaseEstimator):
    """Base of all estimators. `_fitted` holds all that was learned, set at the end of `fit`."""

    _constraints: ClassVar[dict[str, Constraint]] = {}
    _fitted: FittedTrees

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        # Of a class without a constructor of its own Python 3.11.2 would show that of `__new__`.
        signature = inspect.signature(cls.__init__)
        cls.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        refuse_foreign(cls, parameters)
        return super().__new__(cls)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, as in scikit-learn.

        Parameters
        ----------
        **parameters
            Those of the constructor.

        Returns
        -------
        self
        """
        for name in parameters:
            known = self._get_param_names()
            if name.partition("__")[0] not in known and (text := advice(name, known)):
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}{text}")
        return super().set_params(**parameters)

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_trees" in state:  # as it was kept before there was `_fitted`
            raise ValueError(
                f"this {type(self).__name__} was pickled by an earlier graphtrees, and this one "
                "cannot read what it learned: fit it again. Model files, which save() writes and "
                "graphtrees.load_model reads, stay readable in later versions."
            )
        super().__setstate__(state)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # ---- fitting ----------------------------------------------------------------------------

    def _read_training(self, X: Any) -> tuple[Examples, FittedTrees]:
        """Check the parameters and X; returns the examples, and what is fitted before any tree."""
        check_parameters(self, self._constraints)
        examples = read_training(self, X)
        check_parts(examples)
        if examples.n == 0:
            raise ValueError("X holds no examples; at least one is needed")
        categories = chosen_categories(
            examples.flat, self.categorical_features, examples.communicator
        )
        on_table, n_graph_features = examples.kind == "rows", len(examples.graph_features)
        add_constant = self.add_constant and not on_table
        features = FeatureTable.of(examples.flat, add_constant, categories, n_graph_features)
        _check_features(features)
        questions = self._question_space(examples)
        check_reach(self, examples)
        examples = replace(examples, flat=uncoded(features, examples.flat))
        features = replace(features, offsets=offsets_of(self, features, questions, examples))
        warn_of_features(self, features, examples)
        if self.colours and not on_table:
            features = with_colours(self, features, examples)
            _check_features(features)
        return examples, FittedTrees(
            type(self).__name__, examples.kind, features, questions,
            weighted=examples.weighted, training=self._training(examples),
        )  # fmt: skip

    def _training(self, examples: Examples) -> Training:
        """The parameters of the fit, and which examples it saw; a warm start adds to them."""
        with self._workers() as workers:
            own = distinct_values(fingerprints(examples, workers))
        hashes = examples.communicator.all_gather(own)
        seen = own if len(hashes) == 1 else distinct_values(np.concatenate(hashes))
        if getattr(self, "warm_start", False) and hasattr(self, "_fitted"):
            before = self._fitted.training.examples
            seen = seen if before is None else np.union1d(before, seen)
        return Training(self.get_params(deep=False), seen)

    def _question_space(self, examples: Examples) -> QuestionSpace:
        if examples.kind == "rows":
            return QuestionSpace.of_vertices_alone()
        return QuestionSpace(
            max_walk_length=longest_walk(self.max_walk_length),
            max_ancestor_distance=int(self.max_ancestor_distance),
            walk_types=tuple(sorted(WALK_TYPES.index(t) for t in self.walk_types)),
            aggregators=tuple(sorted(AGGREGATORS.index(a) for a in self.aggregators)),
            walk_type_probability=float(self.walk_type_probability),
            operators=expand_operators(self.operators, examples.flat),
            of_graphs=examples.kind == "graphs",
            directed=examples.directed,
            edge_features=tuple(map(str, examples.flat.edge_feature_names)),
        )

    def _training_data(
        self, fitted: FittedTrees, examples: Examples, workers: Workers, n_outputs: int = 1,
        routes: bool = False,
    ) -> TrainingData:  # fmt: skip
        """`routes` tells whether examples will go through trees that were not grown on them."""
        features, questions, colours, coloured = fitted.features, fitted.questions, None, None
        parts = self._memory_parts(fitted, examples, n_outputs, workers, routes)
        make_room(parts, parse_memory(self.memory_limit))
        row_of = WIDTH if questions.of_graphs else 1
        limits = FeatureLimits(
            walk_lengths(self.max_walk_length, features),
            features.is_of_graphs(features.feature_of()), features.n_colours, questions.aggregators,
        )  # fmt: skip
        if questions.of_graphs and features.n_colours:  # they are counted, not laid out as values
            colours = features.colour_numbers(examples.flat)
            features = replace(features, colours=None)
            coloured = partial(batch_of, fitted, examples, workers)
        batch = make_batch(
            examples.flat, features, questions.operators, False, questions.adds_up, row_of,
            totals=totals_of(examples), workers=workers,
        )  # fmt: skip
        every = range(batch.n_columns)
        refuse_overflow(batch, questions.walks(), lambda: every, questions.of_graphs)
        return TrainingData(
            batch, examples.vertices, questions, self.max_bins, workers, limits, colours,
            coloured, examples.share,
        )  # fmt: skip

    def _memory_parts(
        self, fitted: FittedTrees, examples: Examples, n_outputs: int,
        workers: Workers = ONE_THREAD, routes: bool = False,
    ) -> dict[str, int]:  # fmt: skip
        """How many bytes a fit on these examples needs, by what they are for."""
        n_threads = count_threads(self.n_jobs)
        n_classes = 0 if fitted.classes is None else len(fitted.classes)
        # No node looks up further than to the root.
        deepest = self._limits(examples.n).deepest_split(examples.n)
        nearest = min(fitted.questions.max_ancestor_distance, deepest)
        questions = replace(fitted.questions, max_ancestor_distance=nearest)
        n_questions = fitted.features.n_columns * count_questions(questions)
        sizes = Sizes(
            n_outputs=n_classes or n_outputs,
            n_threads=n_threads,
            n_trees_at_once=self._trees_at_once(n_threads, n_classes),
            share_of_questions=self._share_of_questions(n_questions),
            routes_colours=routes and fitted.features.n_colours > 0,
            **shape_of(examples, fitted.features, questions, workers),
        )
        return estimate(sizes, questions, self.max_bins)

    def _trees_at_once(self, n_threads: int, n_classes: int) -> int:
        """How many trees grow side by side."""
        return 1

    def _share_of_questions(self, n_questions: int) -> float:
        """The share of the questions that a node chooses among."""
        return 1.0

    def _limits(self, n_examples: int) -> GrowthLimits:
        leaves = self.max_leaf_nodes
        if leaves == "auto":
            leaves = fitting_leaves(n_examples)
        return GrowthLimits(
            leaves, self.max_depth, self.min_samples_leaf, self.min_gain,
            self.ccp_alpha,
        )  # fmt: skip

    def _workers(self) -> Workers:
        return Workers(count_threads(self.n_jobs))

    def _seed(self, communicator: Communicator = ALONE) -> int:
        """The seed of a fit; workers that train together take that of the first of them."""
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return communicator.all_gather(seed)[0]

    # ---- prediction -------------------------------------------------------------------------

    def _raw(self, X: Any) -> np.ndarray:
        """Sums or means of the trees, (n_examples, n_outputs)."""
        fitted = fitted_trees(self)
        with reading(X, self.memory_limit), self._workers() as workers:
            return raw_values(fitted, read_examples(fitted, read_all(X)), workers)

    @describe_arguments
    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every example in every tree.

        Returns
        -------
        ndarray of int32, shape (n_examples, n_trees)
            Node numbers, as in the column `node` of `trees_to_dataframe`.
        """
        fitted = fitted_trees(self)
        with reading(X, self.memory_limit), self._workers() as workers:
            return leaves_of(fitted, read_examples(fitted, read_all(X)), workers)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")


def _check_features(features: FeatureTable) -> None:
    """Refuse, before training, features that no model file could hold."""
    check_categories(features.categories, features.name)
    if features.n_columns > MOST_COLUMNS:
        raise ValueError(
            f"X has {features.n_columns} columns, counting one for each label of a categorical "
            f"feature; at most {MOST_COLUMNS} are possible"
        )
