"""Folders of Parquet files: what is read of them, and files of other tools."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest

import graphtrees as gt
from graphtrees.graphs.parquet import footers

pl = pytest.importorskip("polars")
pq = pytest.importorskip("pyarrow.parquet")

from parquet_files import (  # noqa: E402
    assert_same,
    full_graphs,
    there_and_back,
    two_graphs,
    write,
)


def test_everything_that_graphs_have_is_read_back(tmp_path):
    graphs = full_graphs()
    assert_same(there_and_back(graphs, tmp_path / "g"), graphs)


@pytest.mark.parametrize("labels", [[2**70, 1], ["\ud800", "a"], [0.5, "a"], [True, False]])
def test_labels_that_no_column_can_hold_are_read_back(tmp_path, labels):
    graphs = gt.Graphs.from_flat(
        vertex_ptr=[0, 2], edge_ptr=[0, 2], edges=[[0, 1], [1, 0]], features=[[1.0], [0.0]],
        feature_names=["kind"], categories={0: labels}, edge_types=labels, vertex_names=labels,
    )  # fmt: skip
    assert_same(there_and_back(graphs, tmp_path / "g"), graphs)


def test_a_name_that_no_file_can_hold_is_refused(tmp_path):
    graphs = gt.Graphs([gt.Graph([[1.0]], [], feature_names=["\ud800"])])
    with pytest.raises(ValueError, match="a feature has a name that is no valid text"):
        graphs.to_parquet(tmp_path / "g")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_so_many_graphs_in_each_file(tmp_path):
    files = gt.scan_parquet(full_graphs(5).to_parquet(tmp_path / "g", rows_per_file=2))
    assert [(one.path.name, one.n_graphs) for one in files.files] == [
        ("part-00000.parquet", 2), ("part-00001.parquet", 2), ("part-00002.parquet", 1),
    ]  # fmt: skip
    assert (files.n_graphs, len(files), files.n_files) == (5, 5, 3)
    assert files.feature_names == ("size", "kind", "code")
    assert files.n_features == 3
    assert files.directed
    assert repr(files) == "GraphFiles(n_graphs=5, n_files=3)"


def test_no_graphs_are_a_file_without_rows(tmp_path):
    graphs = full_graphs()[:0]
    files = gt.scan_parquet(graphs.to_parquet(tmp_path / "g", y=[]))
    assert (files.n_files, files.n_graphs, files.labels().shape) == (1, 0, (0,))
    assert_same(files.read_all(), graphs)


def test_a_lone_file_is_read_too(tmp_path):
    graphs = full_graphs()
    graphs.to_parquet(tmp_path / "g")
    assert_same(gt.scan_parquet(str(tmp_path / "g" / "part-00000.parquet")).read(0), graphs)


def test_only_the_footers_are_read_at_first(tmp_path, monkeypatch):
    path = full_graphs().to_parquet(tmp_path / "g", 2, y=list("ababa"))

    def refuse(*args, **kwargs):
        raise AssertionError("rows are read")

    monkeypatch.setattr(pq.ParquetFile, "read", refuse)
    files = gt.scan_parquet(path)
    assert (len(files), files.n_features, files.label_columns) == (5, 3, ("y",))
    pickle.dumps(files)


def test_labels_are_read_without_the_graphs(tmp_path, monkeypatch):
    files = gt.scan_parquet(full_graphs().to_parquet(tmp_path / "g", 2, y=np.arange(5) * 2))
    read = []
    monkeypatch.setattr(
        "graphtrees.graphs.parquet.files.read_columns",
        lambda footer, columns: read.extend(columns) or footers.read_columns(footer, columns),
    )
    np.testing.assert_array_equal(files.labels(), [0, 2, 4, 6, 8])
    np.testing.assert_array_equal(files.labels(k=1), [4, 6])
    assert set(read) == {"y"}


@pytest.mark.parametrize(
    "y",
    [
        np.arange(5), np.arange(5, dtype=np.uint8), np.array([True, False, True, True, False]),
        np.array([0.5, np.nan, 1, 2, 3]), np.arange(5, dtype=np.float32), np.array(list("abcde")),
        np.array(["a", "bcd", "", "é", "a"]), np.array(["a", "b", None, "b", "a"], dtype=object),
        np.array(list("abcde"), dtype=object), np.arange(10).reshape(5, 2),
        np.array(list("abcdefghij")).reshape(5, 2), np.arange(5).astype("datetime64[s]"),
    ],
    ids=lambda y: f"{y.dtype}{y.shape}",
)  # fmt: skip
@pytest.mark.parametrize("rows_per_file", [1, 2, 10])
def test_labels_are_read_back_with_their_type(tmp_path, y, rows_per_file):
    files = gt.scan_parquet(full_graphs().to_parquet(tmp_path / "g", rows_per_file, y=y))
    assert files.labels().dtype == y.dtype
    assert repr(files.labels()) == repr(y)


def test_weights_are_read_and_none_where_there_are_none(tmp_path):
    graphs, weights = full_graphs(), [1, 2.5, 0, 1, 3]
    files = gt.scan_parquet(graphs.to_parquet(tmp_path / "g", 2, sample_weight=weights))
    np.testing.assert_array_equal(files.weights(), weights)
    np.testing.assert_array_equal(files.weights(k=2), [3])
    assert gt.scan_parquet(graphs.to_parquet(tmp_path / "h")).weights() is None


def test_labels_that_are_not_there_are_named_with_those_that_are(tmp_path):
    path = write(tmp_path / "a.parquet", **two_graphs(price=[1.0, 2.0], kind=["a", "b"]))
    files = gt.scan_parquet(path)
    assert files.label_columns == ("price", "kind")
    np.testing.assert_array_equal(files.labels("price"), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"a\.parquet: has no column 'y' \(.*: price, kind\)"):
        files.labels()


# ---- one list of labels for all files ----------------------------------------------------------


def test_every_file_has_the_categories_of_all_files(tmp_path):
    for k, kind in enumerate(["b", "a", "c"]):
        write(
            tmp_path / f"{k}.parquet", source=[[0]], target=[[0]], edge_type=[[kind * 2]],
            vertex__kind=[[kind]], graph__assay=[kind.upper()],
        )  # fmt: skip
    files = gt.scan_parquet(tmp_path)
    for k, kind in enumerate(["b", "a", "c"]):
        graphs = files.read(k)
        assert graphs[0].categories == {0: ("a", "b", "c")}
        assert graphs.flat.edge_type_names == ("aa", "bb", "cc")
        assert graphs.graph_feature_categories == {0: ("A", "B", "C")}
        assert graphs[0].edge_types.tolist() == [kind * 2]
        assert graphs[0].graph_features == {"assay": kind.upper()}
    whole = gt.Graphs(
        [
            gt.Graph(pd.DataFrame({"kind": [kind]}), [(0, 0)], edge_types=[kind * 2])
            for kind in "bac"
        ],
        graph_features=pd.DataFrame({"assay": list("BAC")}),
    )
    assert_same(files.read_all(), gt.Graphs([*files.read(0), *files.read(1), *files.read(2)]))
    assert files.read_all().flat.categories == whole.flat.categories
    np.testing.assert_array_equal(files.read_all().flat.features, whole.flat.features)


def test_two_folders_in_one_have_the_labels_of_both(tmp_path):
    def of(labels):
        frame = pd.DataFrame({"kind": pd.Categorical(labels[:1], labels)})
        return gt.Graph(frame, [(0, 0)], edge_types=[labels[0]])

    one, two = of([(1, "a"), (0, "b")]), of([(2, "c"), (0, "b")])
    (tmp_path / "g").mkdir()
    for k, graph in enumerate([one, two]):
        gt.Graphs([graph]).to_parquet(tmp_path / str(k))
        (tmp_path / str(k) / "part-00000.parquet").rename(tmp_path / "g" / f"{k}.parquet")
    assert_same(gt.scan_parquet(tmp_path / "g").read_all(), gt.Graphs([one, two]))


def test_a_copy_in_another_process_knows_the_labels(tmp_path, monkeypatch):
    for k in "ab":
        write(tmp_path / f"{k}.parquet", source=[[]], target=[[]], vertex__kind=[[k]])
    copy = pickle.loads(pickle.dumps(gt.scan_parquet(tmp_path)))
    (tmp_path / "b.parquet").unlink()
    assert copy.read(0)[0].categories == {0: ("a", "b")}


def test_files_that_say_the_same_share_it(tmp_path):
    kinds = [f"kind number {k}" for k in range(2000)]
    frame = pd.DataFrame({"kind": pd.Categorical(kinds[:1], kinds)})
    graphs = gt.Graphs([gt.Graph(frame, [])] * 40)
    sizes = [
        len(pickle.dumps(gt.scan_parquet(graphs.to_parquet(tmp_path / str(n), n)))) for n in (1, 40)
    ]
    assert sizes[0] < 2 * sizes[1]


# ---- files of other tools ----------------------------------------------------------------------


def test_a_file_of_pandas_is_read_by_its_columns(tmp_path):
    frame = pd.DataFrame({
        "source": [[0, 1], []], "target": [[1, 2], []],
        "vertex:size": [[0.5, None, 2.0], [1.0]], "vertex:kind": [["x", "y", None], ["x"]],
        "vertex:red": [[True, False, True], [False]], "weight": [np.array([1, 2]), np.array([])],
        "edge_type": [["far", "near"], []], "edge:toll": [[0.5, 1.0], []],
        "graph:mass": [1, 2], "graph:assay": pd.Categorical(["q", "p"]), "y": ["no", "yes"],
    })  # fmt: skip
    frame.to_parquet(tmp_path / "part.parquet")
    files = gt.scan_parquet(tmp_path)
    made = gt.Graphs(
        [
            gt.Graph(
                pd.DataFrame({"size": [0.5, np.nan, 2.0], "kind": ["x", "y", None],
                              "red": [True, False, True]}),
                [(0, 1), (1, 2)], edge_weights=[1, 2], edge_types=["far", "near"],
                edge_features=pd.DataFrame({"toll": [0.5, 1.0]}),
            ),
            gt.Graph(pd.DataFrame({"size": [1.0], "kind": ["x"], "red": [False]}), []),
        ],
        graph_features=pd.DataFrame({"mass": [1, 2], "assay": ["q", "p"]}),
    )  # fmt: skip
    assert_same(files.read_all(), made)
    assert files.labels().tolist() == ["no", "yes"]


def test_a_file_of_polars_is_read_by_its_columns(tmp_path):
    pl.DataFrame(
        {
            "source": [[0], []], "target": [[1], []], "features": [[[1, 2], [3, 4]], [[5, None]]],
            "y": [1, 0], "sample_weight": [2, 1],
        },
        schema_overrides={"features": pl.List(pl.List(pl.Float32))},
    ).write_parquet(tmp_path / "a.parquet")  # fmt: skip
    files = gt.scan_parquet(tmp_path)
    graphs = files.read_all()
    assert graphs.feature_names is None
    assert files.n_features == 2
    assert graphs.flat.features.dtype == np.float32
    np.testing.assert_array_equal(graphs.flat.features, [[1, 2], [3, 4], [5, np.nan]])
    assert (files.labels().tolist(), files.weights().tolist()) == ([1, 0], [2.0, 1.0])


def test_without_vertices_listed_edges_tell_how_many_there_are(tmp_path):
    path = write(tmp_path / "a.parquet", source=[[0, 4], []], target=[[2, 1], []])
    assert [g.n_vertices for g in gt.scan_parquet(path).read_all()] == [5, 0]


def test_sparse_features_have_as_many_columns_as_the_widest_file(tmp_path):
    for k, (index, value) in enumerate([([[0, 2]], [[1.0, 5.0]]), ([[]], [[]])]):
        write(
            tmp_path / f"{k}.parquet", source=[[]], target=[[]],
            feature_index=pl.Series([index], dtype=pl.List(pl.List(pl.Int64))).to_arrow(),
            feature_value=pl.Series([value], dtype=pl.List(pl.List(pl.Float64))).to_arrow(),
        )  # fmt: skip
    files = gt.scan_parquet(tmp_path)
    assert files.read(0)[0].features.toarray().tolist() == [[1.0, 0.0, 5.0]]
    assert files.read(1)[0].features.shape == (1, 3)


def test_edges_have_a_direction_where_the_caller_says_so(tmp_path):
    path = write(tmp_path / "a.parquet", **two_graphs())
    assert not gt.scan_parquet(path).read(0).directed
    assert gt.scan_parquet(path, directed=True).read(0).directed
    said = write(tmp_path / "b.parquet", b'{"directed": true}', **two_graphs())
    assert gt.scan_parquet(said).read(0).directed
    wanted = r"b\.parquet says directed=True; the argument says False"
    with pytest.raises(ValueError, match=wanted):
        gt.scan_parquet(said, directed=False)


def test_files_are_taken_by_their_numbers(tmp_path):
    for k in (10, 2, 1):
        write(tmp_path / f"part.{k}.parquet", **two_graphs(y=[k, k]))
    write(tmp_path / "_hidden.parquet", a=[1])
    (tmp_path / "_SUCCESS").touch()
    assert gt.scan_parquet(tmp_path).labels().tolist() == [1, 1, 2, 2, 10, 10]


def test_a_column_without_values_is_what_it_is_in_other_files(tmp_path):
    write(tmp_path / "a.parquet", source=[[]], target=[[]], vertex__kind=[[None]])
    write(tmp_path / "b.parquet", source=[[]], target=[[]], vertex__kind=[["x"]])
    files = gt.scan_parquet(tmp_path)
    assert files.read(0)[0].categories == {0: ("x",)}
    assert np.isnan(files.read(0)[0].features).all()


def test_whole_numbers_may_be_of_other_types_in_other_files(tmp_path):
    write(tmp_path / "a.parquet", **two_graphs(vertex__a=[[1, 2, 3], [4]]))
    write(tmp_path / "b.parquet", **two_graphs(vertex__a=[[1.5, 2, 3], [4]]))
    assert gt.scan_parquet(tmp_path).read_all().flat.features[:, 0].sum() == 20.5


# ---- files that do not agree -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "wanted"),
    [
        ({"weight": [[1, 1], []]}, {}, "b.parquet: has no column 'weight'; .*a.parquet has one"),
        ({}, {"vertex__a": [[1, 2, 3], [4]]}, "a.parquet: has no column 'vertex:a'; .*b.parq"),
        (
            {"vertex__a": [[1, 2, 3], [4]]}, {"vertex__a": [["x", "y", "z"], ["x"]]},
            "b.parquet: column 'vertex:a' holds labels; in .*a.parquet it holds numbers",
        ),
        (
            {"features": [[[1]] * 3, [[1]]]}, {"features": [[[1, 2]] * 3, [[1, 2]]]},
            "b.parquet: column 'features' has 2 numbers for each vertex; in .*a.parquet it has 1",
        ),
        ({"y": [0, 1]}, {"y": ["a", "b"]}, "b.parquet: column 'y' holds string; in .*int64"),
        ({"y": [0, 1]}, {}, "b.parquet: has no column 'y'"),
    ],
)  # fmt: skip
def test_files_that_do_not_agree_are_named_with_the_column(tmp_path, one, two, wanted):
    write(tmp_path / "a.parquet", **two_graphs(**one))
    write(tmp_path / "b.parquet", **two_graphs(**two))
    with pytest.raises(ValueError, match=wanted):
        _read_all(tmp_path, labels="y" in one)


def _read_all(path, labels=False):
    files = gt.scan_parquet(path)
    files.read_all()
    if labels:
        files.labels()


def test_files_that_say_other_directions_are_refused(tmp_path):
    write(tmp_path / "a.parquet", b'{"directed": true}', **two_graphs())
    write(tmp_path / "b.parquet", b'{"directed": false}', **two_graphs())
    with pytest.raises(ValueError, match=r"b\.parquet says directed=False; .*a\.parquet says True"):
        gt.scan_parquet(tmp_path)


# ---- writing -----------------------------------------------------------------------------------


def test_a_folder_that_is_used_is_refused_and_left_alone(tmp_path):
    graphs = full_graphs()
    (tmp_path / "empty").mkdir()
    graphs.to_parquet(tmp_path / "empty")
    before = sorted(path.name for path in (tmp_path / "empty").iterdir())
    with pytest.raises(FileExistsError, match="empty: is there already; a new or an empty folder"):
        graphs[:1].to_parquet(tmp_path / "empty", 1)
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == before
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        graphs.to_parquet(tmp_path / "file")


def test_a_folder_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    real, calls = pq.write_table, []

    def write_one(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*args, **kwargs)

    monkeypatch.setattr(pq, "write_table", write_one)
    with pytest.raises(KeyboardInterrupt):
        full_graphs().to_parquet(tmp_path / "g", 2)
    assert list(tmp_path.iterdir()) == []


def test_the_draft_of_a_killed_process_is_removed_by_the_next(tmp_path):
    draft = tmp_path / ".g.0123abcd.draft-folder"
    draft.mkdir()
    (draft / ".lock").touch()
    (draft / "part-00000.parquet").touch()
    full_graphs().to_parquet(tmp_path / "g")
    assert [path.name for path in tmp_path.iterdir()] == ["g"]
    assert [path.name for path in (tmp_path / "g").iterdir()] == ["part-00000.parquet"]


def test_folders_on_the_way_are_made(tmp_path):
    assert full_graphs().to_parquet(tmp_path / "a" / "b") == tmp_path / "a" / "b"


@pytest.mark.parametrize(
    ("given", "error", "wanted"),
    [
        ({"rows_per_file": 0}, ValueError, "rows_per_file must be an integer of at least 1; got 0"),
        (
            {"y": [1, 2]},
            ValueError,
            r"y must have a label, or a row, for each of the 5 graphs; got",
        ),
        ({"y": [1, "a", None, 2, 3.5]}, TypeError, "y must be numbers, booleans, text or dates"),
        ({"y": np.ones(5) * 1j}, TypeError, "y must be numbers, booleans, text or dates"),
        ({"y": np.array([{}] * 5)}, TypeError, "y must be numbers, booleans, text or dates"),
        ({"sample_weight": [1]}, ValueError, "sample_weight must have a number for each of the 5"),
        ({"sample_weight": [1, 1, np.nan, 1, 1]}, ValueError, "graph 2: its weight is NaN"),
        ({"sample_weight": list("abcde")}, TypeError, "sample_weight must be numbers"),
    ],
)
def test_bad_arguments_are_refused_and_nothing_is_written(tmp_path, given, error, wanted):
    with pytest.raises(error, match=wanted):
        full_graphs().to_parquet(tmp_path / "g", **given)
    assert list(tmp_path.iterdir()) == []


def test_labels_that_no_file_can_hold_are_refused_by_name(tmp_path):
    frame = pd.DataFrame({"kind": pd.Categorical.from_codes([0], [frozenset("a")])})
    with pytest.raises(TypeError, match=r"feature 'kind': the label frozenset.* cannot be written"):
        gt.Graphs([gt.Graph(frame, [])]).to_parquet(tmp_path / "g")
    odd = gt.Graph([[1]], [], vertex_names=[object()])
    with pytest.raises(TypeError, match=r"the vertex name <object .* cannot be written"):
        gt.Graphs([odd]).to_parquet(tmp_path / "g")


def test_the_columns_are_plain(tmp_path):
    path = full_graphs(3).to_parquet(tmp_path / "g", y=[0, 1, 0]) / "part-00000.parquet"
    table = pq.read_table(path)
    assert table.column_names == [
        "n_vertices", "vertex_name", "vertex:size", "vertex:kind", "vertex:code", "source",
        "target", "weight", "edge_type", "edge:toll", "graph:mass", "graph:assay", "y",
    ]  # fmt: skip
    row = table.slice(1, 1).to_pylist()[0]
    assert set(row["vertex:kind"]) <= {"red", "blue"}
    assert row["vertex:code"] == [None, 7]
    assert set(row["edge_type"]) <= {"far", "near"}
    assert row["vertex_name"] == ["v0", "v1"]
    said = json.loads(table.schema.metadata[b"graphtrees"])
    assert said["categories"]["vertex:kind"] == ["red", "blue", "unused"]
    assert said["directed"] is True


def test_a_file_that_changes_after_the_scan_is_refused(tmp_path):
    path = write(tmp_path / "a.parquet", **two_graphs())
    files = gt.scan_parquet(path)
    write(path, source=[[0]], target=[[0]])
    with pytest.raises(ValueError, match=r"a\.parquet: has changed since it was scanned"):
        files.read(0)


def test_a_file_that_is_not_there_is_an_index_error(tmp_path):
    files = gt.scan_parquet(full_graphs().to_parquet(tmp_path / "g"))
    for k in (1, -1):
        with pytest.raises(IndexError, match=re.escape(f"there is no file {k} among 1 (from 0)")):
            files.read(k)
