"""Estimators read graphs from Parquet files by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from graph_tables import random_tables, write_tables
from models import small

import graphtrees as gt
from graphtrees.estimators.saving import file_text

pytest.importorskip("pyarrow")

DATA = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=8, random_state=0)
WEIGHT = np.arange(60) % 3 + 1.0


@pytest.fixture
def files(tmp_path):
    DATA.X.to_parquet(tmp_path / "graphs", rows_per_file=25, y=DATA.y, sample_weight=WEIGHT)
    return gt.scan_parquet(tmp_path / "graphs")


@pytest.fixture
def tables(tmp_path):
    return gt.scan_graph(*write_tables(tmp_path, *random_tables()))


@pytest.mark.parametrize("kind", [gt.GraphTreeClassifier, gt.GraphForestClassifier])
@pytest.mark.parametrize("limit", [None, "1GB"])
def test_a_folder_of_graphs_gives_the_model_of_its_graphs(files, kind, limit):
    expected = small(kind, memory_limit=limit).fit(DATA.X, DATA.y, WEIGHT)
    found = small(kind, memory_limit=limit).fit(files, "y", "sample_weight")
    assert file_text(found) == file_text(expected)
    np.testing.assert_array_equal(found.predict(files), expected.predict(DATA.X))
    np.testing.assert_array_equal(found.predict_proba(files), expected.predict_proba(DATA.X))
    np.testing.assert_array_equal(found.apply(files), expected.apply(DATA.X))


def test_labels_may_be_given_as_an_array(files):
    expected = small(gt.GraphTreeClassifier).fit(DATA.X, DATA.y)
    assert file_text(small(gt.GraphTreeClassifier).fit(files, DATA.y)) == file_text(expected)


@pytest.mark.parametrize("limit", [None, "1GB"])
def test_tables_of_a_graph_give_the_model_of_its_labelled_vertices(tables, limit):
    rows, y = tables.labelled("label")
    vertices = tables.read_all().vertices
    expected = small(gt.GraphBoostingClassifier, memory_limit=limit).fit(vertices[rows], y)
    found = small(gt.GraphBoostingClassifier, memory_limit=limit).fit(tables, "label")
    assert file_text(found) == file_text(expected)
    np.testing.assert_array_equal(found.predict(tables), expected.predict(vertices))


def test_labels_of_a_graph_may_be_an_entry_for_each_vertex(tables):
    rows, y = tables.labelled("label")
    every = np.full(len(tables), np.nan)
    every[rows] = y
    named = small(gt.GraphBoostingClassifier).fit(tables, "label", "sample_weight")
    weights = tables.weights("sample_weight")
    given = small(gt.GraphBoostingClassifier).fit(tables, every, weights)
    np.testing.assert_array_equal(given.predict_proba(tables), named.predict_proba(tables))
    with pytest.raises(ValueError, match=r"y must be the name of a column of vertices, or have"):
        small(gt.GraphBoostingClassifier).fit(tables, y[:3])
    with pytest.raises(ValueError, match=r"sample_weight must be the name of a column"):
        small(gt.GraphBoostingClassifier).fit(tables, "label", y[:3])


def test_sets_to_watch_may_be_files_too(files):
    expected = small(gt.GraphBoostingClassifier)
    expected.fit(DATA.X, DATA.y, eval_set=(DATA.X, DATA.y, WEIGHT))
    found = small(gt.GraphBoostingClassifier)
    found.fit(files, "y", eval_set=(files, "y", "sample_weight"))
    assert found.evals_result_ == expected.evals_result_


def test_a_column_that_is_not_there_is_named(files, tables):
    with pytest.raises(ValueError, match="mass"):
        small(gt.GraphTreeClassifier).fit(files, "mass")
    with pytest.raises(ValueError, match="mass"):
        small(gt.GraphTreeClassifier).fit(tables, "mass")


def test_a_column_is_not_taken_for_the_labels_of_graphs_in_memory():
    with pytest.raises((TypeError, ValueError), match="y"):
        small(gt.GraphTreeClassifier).fit(DATA.X, "y")
