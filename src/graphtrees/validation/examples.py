"""From what a user calls X to what the engine reads, and sample weights."""

from __future__ import annotations

from dataclasses import replace
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_feature_names, check_array, validate_data

from graphtrees._communicator import ALONE, Communicator, Copies, Halo, Part, Share
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.graphs import Edges, FlatGraphs, Graph, Graphs, Vertices, as_examples
from graphtrees.graphs.arrays import ARRAY_ADVICE
from graphtrees.graphs.flat import dense, spread_graph_features
from graphtrees.graphs.frames import column_names, is_frame, library_of
from graphtrees.graphs.labels import is_missing, plain
from graphtrees.graphs.line_graph import line_graph
from graphtrees.graphs.validation.numbers import as_array, missing_as_nan, without_mask
from graphtrees.graphs.validation.sparse import check_sparse
from graphtrees.graphs.validation.where import kind_of
from graphtrees.questions.conforming import check_edges, conform

# Gains are squares of sums of weighted targets, and float64 ends at 1.8e308.
LARGEST_WEIGHT = 1e30
NO_EDGES = np.empty((0, 2), np.int64)


def is_table(X: Any) -> bool:
    """Whether X has rows and columns of values; anything else must be made of graphs."""
    if isinstance(X, (Graphs, Vertices, Edges, Graph)):
        return False
    if isinstance(X, np.ndarray) or hasattr(X, "iloc"):
        return not (X.ndim == 1 and X.size and X.dtype == object and _first(X, Graph))
    if isinstance(X, (list, tuple)):
        return len(X) == 0 or isinstance(X[0], (Number, str, bytes, list, tuple, np.ndarray))
    return sparse.issparse(X) or hasattr(X, "columns") or hasattr(X, "__array__")


def _first(X: Any, kind: type | tuple[type, ...]) -> bool:
    """Whether an array or table begins with such a thing."""
    corner = (0,) * X.ndim
    return isinstance(X[corner] if isinstance(X, np.ndarray) else X.iloc[corner], kind)


def read_training(estimator: Any, X: Any) -> Examples:
    """Check X for a fit; the estimator learns the number and the names of its features."""
    if isinstance(X, Copies):
        return replace(read_training(estimator, X.X), helpers=X.communicator)
    given, share = _shared(X)
    _refuse_what_is_no_example(given)
    if is_table(given):
        read = _read_table(estimator, given, reset=True, at_least=_fewest(share))
    else:
        read = _read_graphs(given, share)
        _learn_features(estimator, read.flat)
    return replace(read, share=share)


def read_examples(fitted: FittedTrees, X: Any) -> Examples:
    """Check X for a prediction: it must have the features that were fitted."""
    X = X.X if isinstance(X, Copies) else X
    X, share = _shared(X)
    _refuse_what_is_no_example(X)
    if is_table(X):
        read = _read_table(_stand_in(fitted), X, reset=False, at_least=_fewest(share))
    else:
        read = _read_graphs(X, share)
    name = fitted.estimator
    if read.kind != fitted.kind:
        raise ValueError(f"{name} was fitted on {fitted.kind}; got {read.kind}")
    if share is not None and share.halo is not None:
        _check_reach(fitted, share.halo)
    _compare_graph_features(fitted, read.graph_features)
    _compare_features(fitted, read.flat)
    check_edges(fitted.questions, read.flat, name)
    return replace(read, flat=conform(fitted.features, read.flat, name), share=share)


def _check_reach(fitted: FittedTrees, halo: Halo) -> None:
    """Refuse a model whose questions cannot be answered from parts of a graph."""
    longest, text = fitted.questions.max_walk_length, ""
    if longest > halo.n_steps:
        text = f"walks {longest} steps, of which each worker knows {halo.n_steps}"
    elif fitted.features.n_colours or fitted.start is not None:
        text = "has colours, or starts from another model (init), which need the whole graph"
    if text:
        raise ValueError(
            f"{fitted.estimator} {text}: predict on one machine, on the graph that read_all() gives"
        )


def _shared(X: Any) -> tuple[Any, Share | None]:
    """The examples that are here, and whose the others are."""
    return (X.X, X.share) if isinstance(X, Part) else (X, None)


def _fewest(share: Share | None) -> int:
    """How many rows a table must have: another worker may have all of them."""
    return 1 if share is None else 0


def _refuse_what_is_no_example(X: Any) -> None:
    refuse_text(X)
    _refuse_column_of_graphs(X)


def _stand_in(fitted: FittedTrees) -> BaseEstimator:
    """What scikit-learn's own checks of a table ask an estimator for."""
    estimator: Any = type(fitted.estimator, (BaseEstimator,), {})()
    estimator.n_features_in_ = fitted.features.n_features
    if fitted.features.names is not None:
        estimator.feature_names_in_ = np.array(fitted.features.names, dtype=object)
    return estimator


def _read_graphs(X: Any, share: Share | None = None) -> Examples:
    """Graphs, vertices or edges as examples, and what is known of whole graphs."""
    if share is not None and share.halo is not None:  # even where no vertex is an example
        return Examples("vertices", X.graphs.flat, X.vertex_of, X)
    read = _read_parts(X)
    names = read.flat.graph_feature_names
    return replace(read, flat=spread_graph_features(read.flat), graph_features=names)


def _read_parts(X: Any) -> Examples:
    examples = as_examples(X)
    if isinstance(examples, Graphs):
        return Examples("graphs", examples.flat, None, X)
    used, place = np.unique(examples.graph_of, return_inverse=True)
    if isinstance(examples, Vertices):
        flat = examples.graphs[used].flat
        return Examples("vertices", flat, flat.vertex_ptr[place] + examples.vertex_of, X)
    flat = line_graph(examples.graphs[used].flat)
    return Examples("edges", flat, flat.vertex_ptr[place] + examples.edge_of, X)


def refuse_text(X: Any) -> None:
    """Say how to go on to those who come with SMILES, or with nothing at all."""
    if isinstance(X, (list, tuple)) and len(X) == 0:
        raise ValueError("X holds no examples; at least one is needed")
    is_column = isinstance(X, (list, tuple, np.ndarray)) or hasattr(X, "iloc")
    text: Any = X
    if is_column and getattr(X, "ndim", 1) == 1:
        text = next((item for item in X if item is not None), None)
    if isinstance(text, (str, bytes)):
        raise TypeError(
            f"X holds text, such as {str(text)!r}. Molecules as SMILES are read by "
            "graphtrees.from_smiles(X); give fit and predict what it returns."
        )


def _refuse_column_of_graphs(X: Any) -> None:
    """Graphs in two dimensions: in a table, or reshaped as a message of scikit-learn proposes."""
    in_columns = (isinstance(X, np.ndarray) or hasattr(X, "iloc")) and X.ndim == 2 and X.size > 0
    if not in_columns or not _first(X, (Graph, Vertices, Edges)):
        return
    if hasattr(X, "columns"):
        raise TypeError(f"X is a table that holds graphs; give one column, X[{X.columns[0]!r}]")
    raise TypeError(
        f"X is an array of shape {X.shape} that holds graphs; give Graphs or a list of Graph. "
        f"{ARRAY_ADVICE}"
    )


def _read_table(estimator: Any, X: Any, reset: bool, at_least: int = 1) -> Examples:
    """Rows of a table are vertices of a graph without edges."""
    as_given, X = X, without_mask(X)
    if is_frame(X):
        refuse_twin_columns(X, "X")
        if not column_names(X):
            raise ValueError("X is a table without columns; at least one feature is wanted")
    if sparse.issparse(X):
        check_sparse(X, "X")
    if _has_categories(X):
        _check_feature_names(estimator, X, reset=reset)
        flat = Graph(X, NO_EDGES).flat
        if reset:
            estimator.n_features_in_ = flat.n_features
    else:
        values = _numbers(estimator, X, reset, at_least)
        given = getattr(estimator, "feature_names_in_", None)
        names = None if given is None else list(given)
        if sparse.issparse(values):
            values = sparse.csr_array(values)
        flat = Graph(values, NO_EDGES, feature_names=names).flat
    return Examples("rows", flat, np.arange(flat.n_vertices), as_given)


def _numbers(estimator: Any, X: Any, reset: bool, at_least: int) -> Any:
    try:
        return validate_data(
            estimator, X, reset=reset, dtype=[np.float64, np.float32], accept_sparse="csr",
            ensure_all_finite="allow-nan", ensure_min_samples=at_least,
        )  # fmt: skip
    except OverflowError:
        raise ValueError("X: a number is beyond the range of float32") from None
    except ValueError as error:
        if "could not convert string to float" not in str(error):
            raise
        raise ValueError(f"{_first_text(X)}{error}") from None


def _first_text(X: Any) -> str:
    """Where text that is no number stands in an array of objects."""
    cells = np.asarray(X, dtype=object)
    for row, column in np.ndindex(cells.shape) if cells.ndim == 2 else ():
        try:
            float(cells[row, column])
        except (TypeError, ValueError):
            return f"X: column {column} of row {row} holds {cells[row, column]!r:.40}: "
    return ""


# How the names of column types begin, in pandas, polars and Arrow, that may hold labels.
_LABELS = ("category", "categorical", "object", "str", "large_string", "enum", "dictionary")
_DATES = ("date", "time", "duration", "period")


def _has_categories(X: Any) -> bool:
    """Whether some column of a table holds labels, or dates, which are refused by name."""
    kinds = X.schema.types if library_of(X) == "pyarrow" else getattr(X, "dtypes", None)
    if not hasattr(X, "columns") or kinds is None:
        return False
    return any(str(kind).lower().startswith(_LABELS + _DATES) for kind in kinds)


def _learn_features(estimator: Any, flat: FlatGraphs) -> None:
    estimator.n_features_in_ = flat.n_features
    if flat.feature_names is not None:
        estimator.feature_names_in_ = np.array(flat.feature_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _compare_graph_features(fitted: FittedTrees, given: tuple[str, ...]) -> None:
    known = fitted.features.graph_feature_names
    if given != known:
        raise ValueError(
            f"{fitted.estimator} was fitted with {_listed(known)}; the graphs of X have "
            f"{_listed(given)}. See graph_features of graphtrees.Graphs"
        )


def _listed(names: tuple[str, ...]) -> str:
    if not names:
        return "no graph features"
    return f"the graph feature{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"


def _compare_features(fitted: FittedTrees, flat: FlatGraphs) -> None:
    known, n_features = fitted.features.names, fitted.features.n_features
    if flat.n_features != n_features:
        raise ValueError(
            f"X has {flat.n_features} features, but {fitted.estimator} is expecting "
            f"{n_features} features as input.{_lacking(known, flat.feature_names)}"
        )
    if known is None or flat.feature_names is None:
        return
    for place, (ours, theirs) in enumerate(zip(known, flat.feature_names, strict=True)):
        if ours != theirs:
            raise ValueError(
                f"feature {place} of X is named {theirs!r}, but {fitted.estimator} was "
                f"fitted with {ours!r} there: the features must have the same names and order."
            )


def _lacking(fitted: Any, given: tuple[str, ...] | None) -> str:
    """The first feature that was fitted and is not there."""
    lacking = [] if fitted is None or given is None else [n for n in fitted if n not in given]
    return f" There is no {lacking[0]!r} in X." if lacking else ""


def chosen_categories(
    flat: FlatGraphs, chosen: Any, communicator: Communicator = ALONE
) -> dict[int, tuple]:
    """The labels of every categorical feature, as `categorical_features` asks.

    'from_dtype': those that came as categories; None: none of them; else a list of names or
    numbers of features, whose distinct values become the labels.
    """
    if chosen is None:
        return {}
    if isinstance(chosen, str) and chosen == "from_dtype":
        return dict(flat.categories)
    labels = {}
    for entry in np.atleast_1d(np.asarray(chosen, dtype=object)):
        feature = feature_number(flat, entry, "categorical_features")
        if feature in flat.categories:
            labels[feature] = flat.categories[feature]
        else:
            column = dense(flat.features[:, [feature]])
            values = communicator.all_gather(np.unique(column[~np.isnan(column)]))
            distinct = np.unique(np.concatenate(values))
            labels[feature] = tuple(int(v) if v == int(v) else float(v) for v in distinct)
    return labels


def feature_number(flat: FlatGraphs, entry: Any, parameter: str) -> int:
    """The place of a feature that a parameter names."""
    if isinstance(entry, str):
        if flat.feature_names is None or entry not in flat.feature_names:
            known = "none have names" if flat.feature_names is None else f"{flat.feature_names}"
            raise ValueError(f"{parameter} names {entry!r}; the features: {known}")
        return flat.feature_names.index(entry)
    if not isinstance(entry, (int, np.integer)) or not 0 <= entry < flat.n_features:
        other = "'auto'" if parameter == "colour_features" else "'from_dtype', None"
        raise ValueError(
            f"{parameter} must be {other}, or names or numbers below {flat.n_features}; "
            f"got {entry!r}"
        )
    return int(entry)


def refuse_odd_numbers(values: Any, what: str, advice: str = "") -> None:
    """Refuse text, objects, times and complex numbers by name, before scikit-learn reads them.

    `advice` follows where they are text.
    """
    if is_frame(values):
        refuse_twin_columns(values, what)
    array = as_array(values, what)
    if array.dtype.kind in "cmMV":  # complex numbers, times, records
        raise ValueError(f"{what} must be numbers: got {array.dtype}")
    if array.dtype.kind not in "OUS":
        return
    for item in array.flat:
        if is_missing(item):
            continue
        try:
            float(item)
        except OverflowError:
            continue
        except (TypeError, ValueError):
            text = f"could not convert string to float: {plain(item)!r:.60}{advice}"
            came = text if isinstance(item, str) else f"got {kind_of(item)}"
            raise ValueError(f"{what} must be numbers: {came}") from None


def refuse_twin_columns(frame: Any, what: str) -> None:
    names = column_names(frame)
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise ValueError(f"{what} has two columns named {twice[0]!r}; every column needs its own")


def read_weight(sample_weight: Any, n: int, name: str = "sample_weight") -> np.ndarray:
    """One finite, non-negative weight per example, not all zero; ones by default."""
    if sample_weight is None:
        return np.ones(n)
    refuse_odd_numbers(sample_weight, name)
    try:
        weight = check_array(
            missing_as_nan(sample_weight), ensure_2d=False, dtype=np.float64,
            input_name=name,
        )  # fmt: skip
    except OverflowError:
        raise ValueError(f"{name} holds a number beyond {LARGEST_WEIGHT:g}") from None
    if weight.ndim != 1 or len(weight) != n:
        raise ValueError(
            f"{name} has shape {weight.shape}; one weight for each of the {n} examples is wanted"
        )
    if (weight < 0).any():
        raise ValueError(f"{name}[{int(np.argmax(weight < 0))}] is negative")
    if weight.max() > LARGEST_WEIGHT:
        at = int(np.argmax(weight))
        raise ValueError(f"{name}[{at}] is {weight[at]:g}, beyond {LARGEST_WEIGHT:g}")
    if not weight.any():
        raise ValueError(f"{name} is zero for every example")
    return weight
