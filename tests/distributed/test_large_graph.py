"""One graph in Parquet tables, trained on a cluster whose workers read a part of it each."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from graph_tables import random_tables, write_tables

import graphtrees as gt
from graphtrees.distributed import (
    DaskGraphBoostingClassifier,
    DaskGraphBoostingRegressor,
    DaskGraphForestClassifier,
)
from graphtrees.estimators.saving import file_text

MODEL = {"min_samples_leaf": 2, "random_state": 0}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graph")
    return gt.scan_graph(*write_tables(folder, *random_tables()), edge_type="relation")


@pytest.fixture(scope="module")
def examples(tables):
    rows, y = tables.labelled("label")
    return tables.read_all().vertices[rows], y


def test_boosting_gives_the_model_of_one_machine(client, tables, examples):
    given = dict(MODEL, operators=("adjacency", "relations"))
    remote = DaskGraphBoostingClassifier(3, **given).fit(tables, "label")
    local = gt.GraphBoostingClassifier(3, **given).fit(*examples)
    assert file_text(remote) == file_text(local)
    assert remote.cluster_report_.n_workers == 3


def test_forests_grow_their_trees_together(client, tables, examples):
    remote = DaskGraphForestClassifier(3, **MODEL).fit(tables, "label")
    assert file_text(remote) == file_text(gt.GraphForestClassifier(3, **MODEL).fit(*examples))


def test_labels_weights_and_sets_to_watch(client, tables, examples):
    """Labels may also be an array for all vertices; those that are missing are left out."""
    graph, (rows, _) = tables.read_all(), tables.labelled("label")
    y = np.where(np.arange(90) % 3 == 0, np.nan, np.arange(90) % 7)
    known = np.flatnonzero(~np.isnan(y))
    weight = tables.weights("sample_weight")
    remote = DaskGraphBoostingRegressor(3, **MODEL).fit(
        tables, y, "sample_weight", eval_set={"labels": (tables, "label")}
    )
    local = gt.GraphBoostingRegressor(3, **MODEL).fit(
        graph.vertices[known], y[known], weight[known],
        eval_set={"labels": (graph.vertices[rows], examples[1])},
    )  # fmt: skip
    assert file_text(remote) == file_text(local)
    assert remote.evals_result_ == local.evals_result_


def test_training_goes_on_from_a_checkpoint(client, tables, examples, tmp_path):
    path = tmp_path / "run.json"
    DaskGraphBoostingClassifier(10, **MODEL).fit(tables, "label", checkpoint=path)
    assert path.exists()
    remote = DaskGraphBoostingClassifier(14, **MODEL).fit(tables, "label", checkpoint=path)
    local = gt.GraphBoostingClassifier(14, **MODEL).fit(*examples)
    assert file_text(remote) == file_text(local)


def test_predictions_for_all_vertices_are_lazy_and_the_same(client, tables, examples):
    remote = DaskGraphBoostingClassifier(5, **MODEL).fit(tables, "label")
    local, everyone = remote.to_local(), tables.read_all().vertices
    lazy = remote.predict(tables)
    assert isinstance(lazy, da.Array)
    assert lazy.shape == (90,)
    np.testing.assert_array_equal(lazy.compute(), local.predict(everyone))
    np.testing.assert_array_equal(lazy[:3].compute(), local.predict(everyone)[:3])
    chances = remote.predict_proba(tables)
    np.testing.assert_array_equal(chances.compute(), local.predict_proba(everyone))
    assert remote.score(tables, "label") == local.score(*examples)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("area", "column 'area' is among the features; name it in labels of scan_graph"),
        ("height", "vertices: no column 'height'"),
        ([1, 0], "y must be the name of a column of vertices, or have an entry for each of the 90"),
    ],
)
def test_labels_that_do_not_fit_are_refused(client, tables, y, message):
    with pytest.raises(ValueError, match=message):
        DaskGraphBoostingClassifier(2).fit(tables, y)


def test_rows_that_are_wrong_are_refused_by_file(client, tmp_path):
    vertices, edges = random_tables()
    edges.loc[100, "target"] = 10**6
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges))
    with pytest.raises(ValueError, match=r"part-2.parquet: row 20: 'target' 1000000 is no vertex"):
        DaskGraphBoostingClassifier(2).fit(tables, "label")


def test_colours_are_refused(client, tables):
    with pytest.raises(ValueError, match="colours=1 cannot be learned on a graph in parts"):
        DaskGraphBoostingClassifier(2, colours=1).fit(tables, "label")


def test_a_model_with_colours_predicts_on_one_machine(client, tables, examples):
    local = gt.GraphBoostingClassifier(2, colours=1, colour_features=["kind"], **MODEL)
    local.fit(*examples)
    remote = DaskGraphBoostingClassifier(2, colours=1, colour_features=["kind"], **MODEL)
    remote._take_over(local, None)
    with pytest.raises(ValueError, match="predict on one machine, on the graph that read_all"):
        remote.predict(tables).compute()
