"""What all six estimators share: reading X, growing on it, and looking inside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from graphtrees._layout import AGGREGATORS, MOST_COLUMNS, WALK_TYPES
from graphtrees._threads import Workers, count_threads
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.conforming import uncoded
from graphtrees.candidates.feature_limits import FeatureLimits
from graphtrees.candidates.features import FeatureTable
from graphtrees.candidates.operators import expand_operators
from graphtrees.candidates.overflow import refuse_overflow
from graphtrees.candidates.plan import QuestionSpace
from graphtrees.estimators.colouring import with_colours
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.doubts import warn_of_features
from graphtrees.estimators.habits import advice, refuse_foreign
from graphtrees.estimators.inside import Inside
from graphtrees.estimators.memory import Sizes, count_questions, estimate, shape_of
from graphtrees.estimators.memory_limit import check_memory, parse_memory
from graphtrees.estimators.offsets import offsets_of
from graphtrees.estimators.parameters import Constraint, check_parameters
from graphtrees.estimators.reading import Examples, chosen_categories, read_examples
from graphtrees.estimators.seen import remember
from graphtrees.estimators.walk_lengths import longest_walk, walk_lengths
from graphtrees.files import check_categories
from graphtrees.kernels._rows import WIDTH
from graphtrees.trees.limits import GrowthLimits, fitting_leaves
from graphtrees.trees.packing import GrownTrees, pack
from graphtrees.trees.routing import Router
from graphtrees.trees.training_data import TrainingData


class GraphTreesEstimator(Inside, BaseEstimator):
    """Base of all estimators. A fitted one holds `_trees`, and for each its `_outputs` entry."""

    _constraints: ClassVar[dict[str, Constraint]] = {}
    _trees: GrownTrees
    _outputs: list[int]
    _table: FeatureTable
    _space: QuestionSpace
    _kind: str
    _trained_on: np.ndarray

    _start: Any = None  # the model that the trees start from, where there is one

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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    # ---- fitting ----------------------------------------------------------------------------

    def _read_training(self, X: Any) -> Examples:
        """Check the parameters and X; learn features, kind of example and question space."""
        check_parameters(self, self._constraints)
        examples = read_examples(self, X, reset=True)
        if examples.n == 0:
            raise ValueError("X holds no examples; at least one is needed")
        self._kind = examples.kind
        categories = chosen_categories(examples.flat, self.categorical_features)
        on_table = examples.kind == "rows"
        self._table = FeatureTable.of(
            examples.flat, self.add_constant and not on_table, categories,
            len(examples.graph_features),
        )  # fmt: skip
        self._check_table()
        self._space = self._question_space(examples)
        examples = replace(examples, flat=uncoded(self._table, examples.flat))
        self._table = replace(self._table, offsets=offsets_of(self, examples))
        warn_of_features(self, examples)
        if self.colours and not on_table:
            self._table = with_colours(self, self._table, examples)
            self._check_table()
        remember(self, examples)
        return examples

    def _check_table(self) -> None:
        """Refuse, before training, features that no model file could hold."""
        check_categories(self._table.categories, self._table.name)
        n_columns = self._table.n_columns
        if n_columns > MOST_COLUMNS:
            raise ValueError(
                f"X has {n_columns} columns, counting one for each label of a categorical "
                f"feature; at most {MOST_COLUMNS} are possible"
            )

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

    def _training_data(self, examples: Examples, workers: Workers) -> TrainingData:
        space = self._space
        check_memory(self._memory_parts(examples), parse_memory(self.memory_limit))
        row_of = WIDTH if space.of_graphs else 1
        table, colours = self._table, None
        if space.of_graphs and table.n_colours:  # they are counted, not laid out as values
            table, colours = replace(table, colours=None), table.colour_numbers(examples.flat)
        batch = Batch.of(examples.flat, table, space.operators, False, space.adds_up, row_of)
        every = range(batch.n_columns)
        refuse_overflow(batch, space.walks(), lambda: every, space.of_graphs)
        return TrainingData(
            batch, examples.vertices, space, self.max_bins, workers,
            self._feature_limits(), colours,
        )  # fmt: skip

    def _feature_limits(self) -> FeatureLimits:
        table = self._table
        return FeatureLimits(
            walk_lengths(self.max_walk_length, table), table.is_of_graphs(table.feature_of()),
            table.n_colours, self._space.aggregators,
        )  # fmt: skip

    def _memory_parts(self, examples: Examples) -> dict[str, int]:
        """How many bytes a fit on these examples needs, by what they are for."""
        n_threads, classes = count_threads(self.n_jobs), getattr(self, "classes_", ())
        # No node looks up further than to the root.
        deepest = self._limits(examples.n).deepest_split(examples.n)
        nearest = min(self._space.max_ancestor_distance, deepest)
        space = replace(self._space, max_ancestor_distance=nearest)
        n_questions = self._table.n_columns * count_questions(space)
        sizes = Sizes(
            n_outputs=len(classes) or getattr(self, "_n_outputs", 1),
            n_threads=n_threads,
            n_trees_at_once=self._trees_at_once(n_threads, len(classes)),
            share_of_questions=self._share_of_questions(n_questions),
            **shape_of(examples, self._table, space),
        )
        return estimate(sizes, space, self.max_bins)

    def _trees_at_once(self, n_threads: int, n_classes: int) -> int:
        """How many trees grow side by side."""
        return 1

    def _share_of_questions(self, n_questions: int) -> float:
        """The share of the questions that a node chooses among."""
        return 1.0

    def _batch(self, examples: Examples) -> Batch:
        """Examples laid out for prediction; of the colours, those that the trees ask about."""
        space, colours = self._space, None
        if self._table.n_colours and hasattr(self, "_trees"):
            first = self._table.n_columns - self._table.n_colours
            used = np.array(pack(self._trees).every_column(), np.int64)
            colours = used[used >= first] - first
        return Batch.of(
            examples.flat, self._table, space.operators, space.of_graphs, space.adds_up,
            colours=colours,
        )  # fmt: skip

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

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # ---- prediction -------------------------------------------------------------------------

    def _router(self, X: Any, workers: Workers) -> Router:
        check_is_fitted(self)
        return self._route(X, workers)

    def _route(self, X: Any, workers: Workers) -> Router:
        """The examples of X, once features, kind of example and question space are known."""
        examples = read_examples(self, X, reset=False)
        batch = self._batch(examples)
        return Router(batch, examples.vertices, workers)

    @describe_arguments
    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every example in every tree.

        Returns
        -------
        ndarray of int32, shape (n_examples, n_trees)
            Node numbers, as in the column `node` of `trees_to_dataframe`.
        """
        with self._workers() as workers:
            return self._router(X, workers).leaves(pack(self._trees))

    # ---- looking inside ---------------------------------------------------------------------

    def importance(
        self, kind: str = "gain", by: str = "feature", X: Any = None, y: Any = None, **options: Any
    ) -> dict[str, float]:
        """What earns the model its predictions: features, or other parts of the questions.

        Parameters
        ----------
        kind : {"gain", "split", "permutation"}, default="gain"
            The share of the summed gain, the share of the splits, or what the score loses when a
            feature is shuffled over the vertices of `X` (see `graphtrees.permutation_importance`).
        by : {"feature", "category", "walk_length", "walk_type", "aggregator", "operator", \
"subset", "question"}, default="feature"
            The part of the question; "permutation" knows features alone.
        X, y : as in `fit`
            Examples to score, for "permutation" only.
        **options
            For "permutation": `scoring`, `n_repeats`, `sample_weight`, `random_state`.

        Returns
        -------
        dict of str to float
            The largest first. Shares sum to 1.

        Examples
        --------
        >>> import graphtrees as gt
        >>> data = gt.datasets.make_walk_counts("cycle", n_graphs=60, random_state=0)
        >>> model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(data.X, data.y)
        >>> list(model.importance(by="walk_type"))
        ['cycle']
        """
        from graphtrees.explain.permutation import importance_of

        check_is_fitted(self)
        return importance_of(self, kind, by, X, y, options)

    def trees_to_dataframe(self) -> Any:
        """Every node of every tree as one row of a pandas DataFrame: the model as data.

        The columns are `tree`, `output` (-1: the tree speaks for all outputs), `node`, `depth`,
        `feature`, `feature_index`, `category`, `walk_length`, `operator`, `pointer`, `sign`,
        `walk_type`, `aggregator`, `threshold`, `missing_goes`, `left`, `right`, `gain`,
        `n_samples`, `value`. Left is always "at most the threshold".

        For boosting `value` is what the tree learned, before the learning rate: the decision
        function is ``init_ + learning_rate * (sum of the leaf values)``. `plot_tree`,
        `export_text` and `rules` show what is added: after the learning rate.
        """
        from graphtrees.estimators.table import trees_to_dataframe

        check_is_fitted(self)
        return trees_to_dataframe(self)

    @describe_arguments
    def explain(self, example: Any, class_: Any = None, method: str = "attribution") -> Any:
        """Why the model says what it says about one example.

        Returns
        -------
        graphtrees.explain.Explanation
            With `vertex_importance`, `vertex_attribution`, `rules()`, `plot()`, ...
        """
        from graphtrees.explain import explain

        return explain(self, example, class_, method)

    def report(self, X: Any, y: Any = None, path: Any = "report.html", **options: Any) -> Path:
        """Write one page of HTML to click through: how good the model is, where it errs, and why.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, or table
            Examples to show, best some that the model was not fitted on.
        y : array of shape (n_examples,), optional
            What is true of them.
        path : str or path, default="report.html"
            Written whole or not at all; the page needs no other file and no network.
        **options
            `class_` to explain; `title`; `names` of the examples; `ids`, more columns to find
            them by, such as SMILES; `labels` to write at the vertices; `max_examples` (1000),
            `n_trees` (5) and `max_vertices` (150) to show.

        Returns
        -------
        pathlib.Path
            Where the page is.
        """
        from graphtrees.plot.report import write_report

        return write_report(self, X, y, path, **options)

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON, gzipped where the name ends in .gz: whole or not at all.

        The parameters written are those of the fit, whatever `set_params` changed since.

        Read it back with `graphtrees.load_model`, which never runs code from the file.

        Parameters
        ----------
        path : str or path
            Ends in .json or .json.gz.

        Raises
        ------
        TypeError
            A loss of your own is code, which the file does not hold: use `pickle`.
        """
        from graphtrees.files import save_model

        check_is_fitted(self)
        save_model(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_trees")
