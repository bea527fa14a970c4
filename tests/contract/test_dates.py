"""Dates, names and ids among the columns of a table: refused or pointed out by name."""

from __future__ import annotations

import datetime
import re
import warnings

import numpy as np
import pandas
import pytest
from models import SIX, name_of, small

import graphtrees as gt

polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

N = 40
DAYS = pandas.Series(pandas.date_range("2020-01-30", periods=N, freq="36h"))
WHOLE_DAYS = (DAYS - pandas.Timestamp("2000-01-01")).dt.days.to_numpy()
AGES = np.arange(N) % 9
Y = np.arange(N) % 2
PAYMENTS = pandas.DataFrame({"source": range(N - 1), "target": range(1, N)})

COLUMNS = {
    "datetime64": DAYS,
    "zoned": DAYS.dt.tz_localize("UTC"),
    "period": DAYS.dt.to_period("D"),
    "objects": DAYS.dt.date.astype(object),
    "arrow in pandas": DAYS.astype("timestamp[us][pyarrow]"),
    "arrow dates in pandas": DAYS.dt.date.astype("date32[day][pyarrow]"),
    "polars dates": polars.Series(DAYS.dt.date.tolist()),
    "polars times": polars.Series([day.to_pydatetime() for day in DAYS]),
    "arrow dates": pyarrow.array(DAYS.dt.date.tolist()),
    "arrow times": pyarrow.array(DAYS.tolist(), pyarrow.timestamp("us")),
    "zoned arrow times": pyarrow.array(DAYS.tolist(), pyarrow.timestamp("us", "UTC")),
}


def a_frame(column, name: str = "opened"):
    if isinstance(column, polars.Series):
        return polars.DataFrame({"id": range(N), name: column, "age": AGES})
    if isinstance(column, pyarrow.Array):
        return pyarrow.table({"id": range(N), name: column, "age": AGES})
    return pandas.DataFrame({"id": range(N), name: column, "age": AGES})


def remedy_of(error: pytest.ExceptionInfo) -> str:
    """The expression that a message proposes."""
    found = re.search(r"in their place: (.*)$", str(error.value))
    assert found is not None, str(error.value)
    return found[1]


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_error_for_dates_says_how_to_make_numbers_of_them(kind):
    column = COLUMNS[kind]
    with pytest.raises(TypeError, match=r"vertices: column 'opened' .*; got dates \(") as error:
        gt.from_tables(a_frame(column), PAYMENTS)
    names = {"pandas": pandas, "datetime": datetime, "column": column}
    days = eval(remedy_of(error), names)
    np.testing.assert_array_equal(np.asarray(days), WHOLE_DAYS)
    if isinstance(column, pandas.Series):
        gt.from_tables(a_frame(days), PAYMENTS)


@pytest.mark.parametrize("model", SIX, ids=name_of)
def test_a_table_of_dates_is_refused_by_fit_and_predict(model):
    wanted = r"column 'opened' must hold numbers, booleans or categories; got dates \("
    for kind in ("datetime64", "zoned", "period", "objects", "polars dates"):
        with pytest.raises(TypeError, match=wanted):
            small(model).fit(a_frame(COLUMNS[kind]), Y)
    fitted = small(model).fit(a_frame(WHOLE_DAYS), Y)
    with pytest.raises(TypeError, match=wanted):
        fitted.predict(a_frame(DAYS))


@pytest.mark.parametrize(
    "column",
    [DAYS - DAYS[0], np.array([datetime.timedelta(hours=36 * k) for k in range(N)])],
    ids=["timedelta64", "objects"],
)
def test_durations_become_seconds(column):
    frame = pandas.DataFrame({"took": pandas.Series(column)})
    with pytest.raises(TypeError, match=r"column 'took' .*; got durations \(timedelta") as error:
        gt.Graph(frame, [])
    seconds = eval(remedy_of(error), {"pandas": pandas, "column": frame["took"]})
    np.testing.assert_array_equal(seconds, np.arange(N) * 36 * 3600)


def test_times_of_day_are_refused():
    with pytest.raises(TypeError, match=r"got times of day \(time\)"):
        gt.Graph(pandas.DataFrame({"at": DAYS.dt.time}), [])


def test_arrays_of_dates_are_refused_with_the_days_to_give():
    with pytest.raises(TypeError, match=r"features must be numbers; got dates") as error:
        gt.Graph(DAYS.to_numpy()[:, None], [])
    words = re.search(r"place: (.*), for durations", str(error.value))
    days = eval(words[1], {"numpy": np, "array": DAYS.to_numpy()})
    np.testing.assert_array_equal(np.floor(days), WHOLE_DAYS)


def test_dates_of_edges_and_of_graphs_are_refused_too():
    edges = PAYMENTS.assign(when=DAYS[1:].to_numpy())
    with pytest.raises(TypeError, match=r"edges: column 'when' .*got dates"):
        gt.from_tables(a_frame(AGES), edges, edge_features=["when"])
    with pytest.raises(TypeError, match=r"graph_features: column 'when' .*got dates"):
        gt.Graphs([gt.Graph([[1]], [])] * N, graph_features=pandas.DataFrame({"when": DAYS}))


def test_who_makes_a_category_of_dates_means_it():
    frame = pandas.DataFrame({"opened": DAYS.dt.date.astype("category"), "age": AGES})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(gt.GraphTreeClassifier).fit(frame, Y)


# ---- text --------------------------------------------------------------------------------------

IBANS = [f"DE{k:020}" for k in range(N)]
UNIQUE = r"feature 'iban' is text that differs from row to row \(40 labels in 40 rows\), as names"


def examples(about: str, texts, name: str = "iban"):
    """A column of text at rows of a table, vertices of a graph, or whole graphs."""
    frame = pandas.DataFrame({"id": range(N), name: texts, "age": AGES})
    if about == "rows":
        return frame[[name, "age"]]
    if about == "vertices":
        return gt.from_tables(frame, PAYMENTS).vertices
    alone = [gt.Graph([[k % 7], [1]], [(0, 1)]) for k in range(N)]
    return gt.Graphs(alone, graph_features=frame[[name]])


every_x = pytest.mark.parametrize("about", ["rows", "vertices", "graphs"])


@every_x
@pytest.mark.parametrize("model", SIX, ids=name_of)
def test_fit_names_text_that_is_unique(model, about):
    with pytest.warns(UserWarning, match=UNIQUE) as caught:
        small(model).fit(examples(about, IBANS), Y)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@every_x
def test_text_that_holds_dates_is_pointed_out(about):
    texts = DAYS.dt.strftime("%d.%m.%Y").tolist()
    with pytest.warns(UserWarning, match=r"feature 'opened' is text that holds dates") as caught:
        small(gt.GraphTreeClassifier).fit(examples(about, texts, "opened"), Y)
    assert len(caught) == 1
    assert "pandas.to_datetime(column)" in str(caught[0].message)


@every_x
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "texts",
    [["red", "blue"] * 20, IBANS[:20] * 2, IBANS[:9] + [None] * 31],
    ids=["categories", "pairs", "few"],
)
def test_categories_are_passed_over(about, texts):
    small(gt.GraphTreeClassifier).fit(examples(about, texts), Y)


@pytest.mark.filterwarnings("error")
def test_who_lists_the_categories_hears_nothing():
    model = small(gt.GraphTreeClassifier, categorical_features=["iban"])
    assert list(model.fit(examples("rows", IBANS), Y).feature_names_in_) == ["iban", "age"]


@pytest.mark.filterwarnings("error")
def test_names_that_come_again_in_every_graph_are_categories():
    atoms = pandas.DataFrame({"atom": [f"C{k}" for k in range(12)]})
    ring = [(k, (k + 1) % 12) for k in range(12)]
    graphs = [gt.Graph(atoms, ring[: 2 + k % 10]) for k in range(N)]
    small(gt.GraphTreeClassifier).fit(graphs, Y)


@every_x
def test_inspect_lists_odd_texts_among_its_warnings(about):
    found = gt.inspect(examples(about, IBANS), Y)
    assert [one.name for one in found.features.odd_texts] == ["iban"]
    assert any(re.search(UNIQUE, line) for line in found.warnings)
