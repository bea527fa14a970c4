"""What was numbers in `fit` is never read by the codes of its labels, nor the other way round."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from models import SIX, name_of, small

import graphtrees as gt

six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
EDGES = [(0, 1), (1, 2), (2, 3)]


def columns(age, kind=("a", "b", "a", "c")) -> pd.DataFrame:
    return pd.DataFrame({"age": list(age), "kind": pd.Categorical(list(kind))})


def as_examples(table: pd.DataFrame, about: str):
    """The table itself, or a graph whose vertices carry its rows."""
    graph = gt.Graph(table, EDGES)
    return {"rows": table, "graphs": [graph] * 4, "vertices": graph.vertices, "edges": graph.edges}[
        about
    ]


def fitted(kind, about: str, **given):
    X = as_examples(columns([3.0, 1.0, 4.0, 2.0]), about)
    y = np.arange(4)[: 3 if about == "edges" else 4] % 2
    return small(kind, **given).fit(X, y)


everything = pytest.mark.parametrize("about", ["rows", "graphs", "vertices"])


@everything
@six_kinds
def test_numbers_that_arrive_as_text_are_refused_by_name(kind, about):
    model = fitted(kind, about)
    text = as_examples(columns(["3.0", "N/A", "4.0", "2.0"]), about)
    with pytest.raises(ValueError, match=r"feature 'age' was numbers when .* such as 'N/A'"):
        model.predict(text)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_text_among_numbers_is_refused_in_explanations_too(about):
    model = fitted(gt.GraphTreeClassifier, about)
    text = as_examples(columns(["3.0", "N/A", "4.0", "2.0"]), about)
    with pytest.raises(ValueError, match="feature 'age' was numbers"):
        model.explain(text[:1])


def test_text_among_the_numbers_of_an_edge_is_refused_by_name():
    model = fitted(gt.GraphTreeClassifier, "edges")
    with pytest.raises(ValueError, match="There is no 'sum of age' in X"):
        model.predict(as_examples(columns(["3.0", "N/A", "4.0", "2.0"]), "edges"))


@everything
def test_text_among_the_numbers_of_an_eval_set_is_refused_by_name(about):
    X = as_examples(columns([3.0, 1.0, 4.0, 2.0]), about)
    text = as_examples(columns(["3.0", "N/A", "4.0", "2.0"]), about)
    model = small(gt.GraphBoostingRegressor)
    with pytest.raises(ValueError, match="feature 'age' was numbers"):
        model.fit(X, np.arange(4.0), eval_set=(text, np.arange(4.0)))


@everything
def test_labels_that_are_numbers_become_these_numbers_with_a_warning(about):
    model = fitted(gt.GraphTreeClassifier, about)
    numbers = [3.0, 1.0, 4.0, 2.0]
    same = columns(pd.Categorical(numbers, categories=[9.0, 4.0, 3.0, 2.0, 1.0]))
    same["age"] = pd.Categorical(numbers, categories=[9.0, 4.0, 3.0, 2.0, 1.0])
    with pytest.warns(UserWarning, match="'age' was numbers .* are read as such"):
        again = model.predict(as_examples(same, about))
    np.testing.assert_array_equal(again, model.predict(as_examples(columns(numbers), about)))


@everything
def test_a_column_of_numbers_may_arrive_all_missing(about):
    model = fitted(gt.GraphTreeClassifier, about)
    nothing = columns([None] * 4)
    nothing["age"] = pd.Categorical([None] * 4, categories=["N/A"])
    unknown = columns([np.nan] * 4)
    np.testing.assert_array_equal(
        model.predict(as_examples(nothing, about)), model.predict(as_examples(unknown, about))
    )


@everything
@pytest.mark.parametrize(
    "came", [[1, 2, 1, 3], pd.Categorical([1, 2, 1, 3])], ids=["number", "cat"]
)
def test_labels_of_text_that_arrive_as_numbers_are_refused_by_name(about, came):
    model = fitted(gt.GraphTreeClassifier, about)
    table = columns([3.0, 1.0, 4.0, 2.0])
    table["kind"] = came
    with pytest.raises(ValueError, match="feature 'kind' held labels that are text, such as 'a'"):
        model.predict(as_examples(table, about))


@everything
def test_labels_that_were_numbers_and_arrive_as_text_are_refused_by_name(about):
    table = columns([3.0, 1.0, 4.0, 2.0], [1, 2, 1, 3])
    model = small(gt.GraphTreeClassifier).fit(as_examples(table, about), [0, 1, 0, 1])
    text = columns([3.0, 1.0, 4.0, 2.0], ["1", "2", "1", "3"])
    with pytest.raises(ValueError, match=r"'kind' held labels that are numbers, such as 1"):
        model.predict(as_examples(text, about))


@everything
def test_categories_are_known_by_their_labels_in_whatever_order(about):
    model = fitted(gt.GraphTreeClassifier, about)
    table = columns([3.0, 1.0, 4.0, 2.0])
    turned = table.assign(kind=pd.Categorical(table["kind"], categories=list("zcba")))
    np.testing.assert_array_equal(
        model.predict(as_examples(table, about)), model.predict(as_examples(turned, about))
    )


def test_text_cannot_be_left_out_of_the_categories():
    table = pd.DataFrame({"kind": list("abca"), "size": [1.0, 2.0, 3.0, 4.0]})
    for chosen in (None, ["size"]):
        with pytest.raises(
            ValueError, match="'kind' holds labels, such as 'a', but categorical_fea"
        ):
            small(gt.GraphTreeRegressor, categorical_features=chosen).fit(table, np.arange(4.0))


def test_numbers_left_out_of_the_categories_are_the_numbers_and_not_their_codes():
    values = [30.0, 10.0, 20.0, 40.0]
    labels = pd.DataFrame({"x": pd.Categorical(values, categories=[40.0, 30.0, 20.0, 10.0])})
    model = small(gt.GraphTreeRegressor, categorical_features=None).fit(labels, values)
    plain = small(gt.GraphTreeRegressor).fit(pd.DataFrame({"x": values}), values)
    assert sorted(model.trees_to_dataframe()["threshold"].dropna()) == [15.0, 25.0, 35.0]
    np.testing.assert_array_equal(plain.predict(pd.DataFrame({"x": values})), values)
    with pytest.warns(UserWarning, match="read as such"):
        np.testing.assert_array_equal(model.predict(labels), values)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_every_library_may_hold_labels_and_are_compared(library):
    module = pytest.importorskip(library)
    table = module.table if library == "pyarrow" else module.DataFrame
    X = table({"age": [3.0, 1.0, 4.0, 2.0], "kind": ["a", "b", "a", "c"]})
    model = small(gt.GraphTreeClassifier).fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="feature 'age' was numbers when"):
        model.predict(table({"age": ["3", "N/A", "4", "2"], "kind": ["a", "b", "a", "c"]}))


def test_an_enum_of_polars_is_a_category_in_a_table():
    polars = pytest.importorskip("polars")
    enum = polars.Enum(["b", "a"])
    X = polars.DataFrame({"kind": ["a", "b", "a", "b"]}, schema={"kind": enum})
    model = small(gt.GraphTreeClassifier).fit(X, [0, 1, 0, 1])
    assert model.predict(X).tolist() == [0, 1, 0, 1]


def test_graphs_that_differ_in_the_kind_of_a_feature_are_refused():
    numbers, labels = gt.Graph(columns([1, 2, 3, 4]), EDGES), gt.Graph(columns("abcd"), EDGES)
    with pytest.raises(ValueError, match="graph 1 has column 0 categorical: True"):
        gt.Graphs([numbers, labels])


@pytest.mark.parametrize("large", [10**2000, 10**60, float("inf")])
def test_a_label_that_is_too_large_to_be_a_number_is_refused_by_feature(large):
    labels = pd.Index([large, 1], dtype=object)
    X = pd.DataFrame({"size": pd.Categorical.from_codes([0, 1, 0, 1], categories=labels)})
    model = gt.GraphTreeRegressor(categorical_features=None)
    with pytest.raises(ValueError, match="'size' holds a label beyond the range of float32"):
        model.fit(X, [0.0, 1.0, 0.0, 1.0])
    model.fit(X[1::2], [1.0, 2.0])  # it does not occur
