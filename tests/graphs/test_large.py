"""One graph in Parquet tables: workers that read parts of it train the model of one machine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from communicators import run_workers
from graph_tables import random_tables, write_tables

import graphtrees as gt
from graphtrees._communicator import Part, Share
from graphtrees.estimators.saving import file_text
from graphtrees.graphs.large.loading import load_part, own_vertices

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def fit_on_workers(model, tables, n_workers, label="label"):
    labelled, y = tables.labelled(label)

    def fit(communicator):
        flat, halo = load_part(tables, 2, communicator)
        examples, mine = own_vertices(flat, halo, labelled)
        share = Share(communicator, mine, len(labelled), halo)
        return gt.GraphBoostingClassifier(**model).fit(Part(examples, share), y)

    return run_workers(fit, n_workers)


MODEL = {"n_estimators": 3, "min_samples_leaf": 2, "random_state": 0}
OF_EDGES = {"weight": "hours", "edge_type": "relation", "edge_features": ["km"]}
GIVEN = [
    {},
    OF_EDGES,
    {"directed": True, "edge_type": "relation"},
    {"partition_by": "area"},
    {"partition_by": "kind", "features": ["size"]},
    {"features": ["old", "kind"], "labels": ["label"]},
]


@pytest.mark.parametrize("text_ids", [False, True])
@pytest.mark.parametrize("given", GIVEN, ids=str)
def test_workers_that_read_parts_train_the_model_of_one_machine(tmp_path, given, text_ids):
    tables = gt.scan_graph(*write_tables(tmp_path, *random_tables(text_ids=text_ids)), **given)
    model = dict(MODEL, operators=("adjacency", "relations") if "edge_type" in given else "mean")
    rows, y = tables.labelled("label")
    graph = tables.read_all()
    expected = file_text(gt.GraphBoostingClassifier(**model).fit(graph.vertices[rows], y))
    for n_workers in (1, 2, 5):
        for one in fit_on_workers(model, tables, n_workers):
            assert file_text(one) == expected, n_workers


def test_reading_all_gives_what_from_tables_gives(tmp_path):
    vertices, edges = random_tables()
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges), **OF_EDGES)
    features = ["size", "kind", "old", "area"]
    expected = gt.from_tables(vertices, edges, features=features, **OF_EDGES)
    graph = tables.read_all()
    assert tables.feature_names == graph.feature_names == tuple(features)
    np.testing.assert_array_equal(graph.features, expected.features)
    np.testing.assert_array_equal(graph.edge_index, expected.edge_index)
    assert (tables.n_vertices, tables.n_edges, tables.n_features, len(tables)) == (90, 170, 4, 90)
    assert repr(tables) == "GraphTables(n_vertices=90, n_edges=170, n_features=4)"
    known = vertices["label"].notna().to_numpy()
    rows, y = tables.labelled("label")
    np.testing.assert_array_equal(rows, np.flatnonzero(known))
    np.testing.assert_array_equal(y, vertices["label"][known].to_numpy(int))
    assert y.dtype.kind == "i"
    np.testing.assert_array_equal(tables.weights("sample_weight"), vertices["sample_weight"])


def test_labels_of_all_kinds(tmp_path):
    vertices, edges = random_tables()
    vertices["class"] = [None if k % 3 else f"c{k % 2}" for k in range(90)]
    vertices["height"] = np.where(np.arange(90) % 3, np.nan, np.arange(90))
    tables = gt.scan_graph(
        *write_tables(tmp_path, vertices, edges), labels=["class", "height"], features=["size"]
    )
    assert tables.labelled("class")[1].tolist() == [f"c{k % 2}" for k in range(0, 90, 3)]
    rows, numbers = tables.labelled("height")
    assert rows.tolist() == numbers.tolist() == list(range(0, 90, 3))


def test_a_column_of_text_that_is_missing_everywhere_is_a_feature_without_labels(tmp_path):
    vertices, edges = random_tables()
    vertices["note"] = pd.array([None] * 90, dtype="string")
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges))
    rows, y = tables.labelled("label")
    local = gt.GraphBoostingClassifier(**MODEL).fit(tables.read_all().vertices[rows], y)
    for one in fit_on_workers(MODEL, tables, 2):
        assert file_text(one) == file_text(local)


def test_files_are_read_in_the_order_of_their_numbers(tmp_path):
    vertices, edges = random_tables()
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges, rows_per_file=8))
    assert tables.read_all()._flat.vertex_names.tolist() == vertices["id"].tolist()


def test_same_values_of_the_column_go_to_the_same_worker(tmp_path):
    vertices, edges = random_tables()
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges), partition_by="area")

    def own(communicator):
        _, halo = load_part(tables, 1, communicator)
        return halo.numbers[halo.is_own]

    areas = [set(vertices["area"][rows]) for rows in run_workers(own, 3)]
    assert sorted(area for one in areas for area in one) == [0, 1, 2, 3]
    sizes = [len(rows) for rows in run_workers(own, 3)]
    assert sum(sizes) == 90
    assert min(sizes) > 0


def test_an_explanation_says_how_to_read_the_tables(tmp_path):
    tables = gt.scan_graph(*write_tables(tmp_path, *random_tables()))
    model = gt.GraphBoostingClassifier(**MODEL).fit(tables, "label")
    wanted = r"got a GraphTables. Its read_all\(\).vertices are Vertices"
    with pytest.raises(TypeError, match=wanted):
        gt.explain_many(model, tables)


def test_a_graph_without_edges(tmp_path):
    vertices, edges = random_tables()
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges[:0]))
    rows, y = tables.labelled("label")
    local = gt.GraphBoostingClassifier(**MODEL).fit(tables.read_all().vertices[rows], y)
    for one in fit_on_workers(MODEL, tables, 3):
        assert file_text(one) == file_text(local)


def refused(tmp_path, vertices, edges, message, **given):
    with pytest.raises((ValueError, TypeError), match=message):
        gt.scan_graph(*write_tables(tmp_path, vertices, edges), **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"vertex_id": "key"}, "vertices: no column 'key' in .*; there is: 'id', 'size'"),
        ({"source": "from"}, "edges: no column 'from'"),
        ({"weight": "relation"}, "edges: column 'relation' must hold numbers; got"),
        ({"edge_type": "hours"}, "edges: column 'hours' must hold text or integers; got double"),
        ({"features": ["width"]}, "vertices: no column 'width'"),
        ({"features": "size"}, "features"),
        ({"vertex_id": "size"}, "vertices: column 'size' must hold integers or text"),
        ({"vertex_id": "kind"}, "edges: column 'source' must hold ids as 'kind' of vertices does"),
        ({"directed": 1}, "directed must be True or False"),
        ({"partition_by": "size"}, "vertices: column 'size' must hold text or integers"),
    ],
)
def test_wrong_columns_are_refused_when_scanned(tmp_path, given, message):
    refused(tmp_path, *random_tables(), message, **given)


def test_dates_and_lists_are_refused_by_name(tmp_path):
    vertices, edges = random_tables()
    vertices["born"] = pd.Timestamp("2020-01-01")
    refused(tmp_path, vertices, edges, "column 'born' must hold numbers, booleans or text; got ti")


def test_a_folder_without_files_is_refused(tmp_path):
    with pytest.raises(ValueError, match="there is no such folder"):
        gt.scan_graph(tmp_path / "nothing", tmp_path / "nothing")


def test_labels_among_the_features_are_refused(tmp_path):
    tables = gt.scan_graph(*write_tables(tmp_path, *random_tables()))
    with pytest.raises(ValueError, match="column 'area' is among the features; name it in labels"):
        tables.labelled("area")


@pytest.mark.parametrize(
    ("table", "row", "column", "value", "message"),
    [
        (
            0,
            41,
            "id",
            1,
            r"vertices.part-1.parquet: row 1: 'id' 1 came before, in .*part-0.*: row 0",
        ),
        (0, 3, "id", None, r"vertices.part-0.parquet: row 3: 'id' is missing"),
        (
            0,
            45,
            "size",
            1e300,
            r"vertices.part-1.parquet: row 5: 'size' is 1e\+300, beyond the ran",
        ),
        (1, 169, "target", 2, r"edges.part-4.parquet: row 9: 'target' 2 is no vertex"),
        (1, 3, "source", None, r"edges.part-0.parquet: row 3: 'source' is missing"),
        (1, 3, "hours", np.nan, r"edges.part-0.parquet: row 3: 'hours' is NaN"),
        (1, 3, "relation", None, r"edges.part-0.parquet: row 3: 'relation' is missing"),
    ],
)
def test_wrong_rows_are_refused_by_file_and_row(tmp_path, table, row, column, value, message):
    vertices, edges = random_tables()
    vertices["id"] = np.arange(1, 270, 3)
    edges["source"] = edges["target"] = np.resize(vertices["id"], 170)
    frame = (vertices, edges)[table]
    frame[column] = pd.array(
        [value if k == row else item for k, item in enumerate(frame[column])],
        dtype="Int64" if value is None and column != "relation" else None,
    )
    tables = gt.scan_graph(*write_tables(tmp_path, vertices, edges), **OF_EDGES)
    with pytest.raises(ValueError, match=message):
        run_workers(lambda communicator: load_part(tables, 2, communicator), 2)


def test_a_file_that_changed_since_the_scan_is_refused(tmp_path):
    vertices, edges = random_tables()
    paths = write_tables(tmp_path, vertices, edges)
    tables = gt.scan_graph(*paths)
    pq.write_table(pa.Table.from_pandas(vertices[:3]), paths[0] / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1.*: has changed since it was scanned"):
        tables.read_all()
