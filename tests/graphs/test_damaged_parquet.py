"""Files that are damaged, or made to do harm, end in an error that names them."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtrees as gt

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from parquet_files import full_graphs, two_graphs, write  # noqa: E402

LISTS = pa.list_(pa.list_(pa.float64()))
FAULTS = {
    "an edge out of range": (
        {"target": [[1, 9], []]}, r"graph 0: edge \(1, 9\) points outside its 3 vertices"),
    "a negative vertex": (
        {"source": [[0, -1], []]}, r"graph 0: edge \(-1, 2\) points outside its 3 vertices"),
    "an edge in the wrong graph": (
        {"source": [[], [0, 1]], "target": [[], [0, 0]]},
        r"graph 1: edge \(1, 0\) points outside its 1 vertices"),
    "no target": ({"target": None}, r"has no column 'target', .* \(there is: n_vertices, source\)"),
    "ends of unequal length": (
        {"target": [[1], []]}, "graph 0: column 'target' has 1 entries for 2 edges"),
    "a null list": ({"source": [[0, 1], None]}, "graph 1: column 'source' is null; an empty list"),
    "a null vertex": (
        {"source": [[0, None], []]}, "graph 0: column 'source' holds null for a vertex number"),
    "ends that are no integers": (
        {"source": [[0.0, 1.0], []]}, "column 'source' must hold lists of integers, .*; got list<"),
    "ends that are no lists": (
        {"source": [0, 1]}, "column 'source' must hold lists of integers, .*; got int64"),
    "a number beyond int64": (
        {"source": pa.array([[0, 2**64 - 1], []], pa.list_(pa.uint64()))}, "18446744073709551615"),
    "a null count": ({"n_vertices": [3, None]}, "graph 1: column 'n_vertices' is null; a count"),
    "a negative count": ({"n_vertices": [3, -1]}, "graph 1: column 'n_vertices' is -1"),
    "a huge count": ({"n_vertices": [3, 2**40]}, "graph 1: column 'n_vertices' is 1099511627776"),
    "a huge vertex without a count": (
        {"n_vertices": None, "target": [[1, 2**62], []]}, "a graph has at most 2147483647 vert"),
    "features of too few vertices": (
        {"vertex__a": [[1.0, 2.0], [1.0]]},
        "graph 0: column 'vertex:a' has 2 entries for 3 vertices"),
    "a null list of features": (
        {"vertex__a": [[1.0, 2.0, 3.0], None]}, "graph 1: column 'vertex:a' is null; an empty"),
    "an infinite feature": (
        {"vertex__a": [[1.0, np.inf, 3.0], [1.0]]}, "graph 0: vertex 1: feature 'a' is infinite"),
    "dates as features": (
        {"vertex__a": pa.array([[0] * 3, [0]], pa.list_(pa.date32()))},
        "column 'vertex:a' must hold lists of numbers or text; .*Give a number in their place"),
    "records as features": (
        {"vertex__a": [[{"b": 1}] * 3, [{"b": 1}]]}, "column 'vertex:a' must hold lists of num"),
    "lists of unequal width": (
        {"features": [[[1], [1], [1, 2]], [[1]]]},
        "graph 0: vertex 2: column 'features' has 2 numbers; other vertices have 1"),
    "a vertex without a list": (
        {"features": pa.array([[[1], None, [1]], [[1]]], LISTS)},
        "column 'features' is null"),
    "features in two ways": (
        {"features": [[[1]] * 3, [[1]]], "vertex__a": [[1] * 3, [1]]}, "features are either in"),
    "an index without values": ({"feature_index": [[[0]] * 3, [[0]]]}, "go together"),
    "an index that is negative": (
        {"feature_index": [[[0], [-5], [0]], [[0]]], "feature_value": [[[1]] * 3, [[1]]]},
        "graph 0: vertex 1: column 'feature_index' holds -5 for 1 features"),
    "an index that is too large": (
        {"feature_index": [[[0], [2**40], [0]], [[0]]], "feature_value": [[[1]] * 3, [[1]]]},
        "1099511627776 is no number of a feature"),
    "an index that is null": (
        {"feature_index": [[[0], [None], [0]], [[0]]], "feature_value": [[[1]] * 3, [[1]]]},
        "column 'feature_index' is null; the number of a feature is wanted"),
    "an index of unequal length": (
        {"feature_index": [[[0], [0, 1], [0]], [[0]]], "feature_value": [[[1]] * 3, [[1]]]},
        "graph 0: vertex 1: column 'feature_index' has 2 entries, 'feature_value' has 1"),
    "a null weight": ({"weight": [[1, None], []]}, "graph 0: edge 1: its weight is NaN"),
    "a weight that is text": ({"weight": [["1", "2"], []]}, "column 'weight' must hold lists of n"),
    "a weight for no edge": ({"weight": [[1], []]}, "column 'weight' has 1 entries for 2 edges"),
    "an edge without a type": (
        {"edge_type": [["a", None], []]}, "graph 0: column 'edge_type' holds null; every edge"),
    "a null edge feature": (
        {"edge__toll": [[1.0, None], []]}, "graph 0: edge 1: edge feature 'toll' .* is NaN"),
    "an infinite graph feature": (
        {"graph__mass": [1.0, np.inf]}, "graph 1: graph feature 'mass' is infinite"),
    "a list as a graph feature": ({"graph__mass": [[1.0], [2.0]]}, "column 'graph:mass' must hold"),
    "names of too few vertices": (
        {"vertex_name": [["a"], ["b"]]}, "column 'vertex_name' has 1 entries for 3 vertices"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_contents_that_are_no_graphs_are_refused_by_file_and_place(tmp_path, fault):
    columns, wanted = FAULTS[fault]
    given = {name: c for name, c in (two_graphs() | columns).items() if c is not None}
    write(tmp_path / "a.parquet", **given)
    with pytest.raises(ValueError, match=rf"a\.parquet: .*{wanted}"):
        gt.scan_parquet(tmp_path).read_all()


METADATA = {
    b"{": "are no JSON",
    b"\xff": "are no JSON",
    b"[" * 100_000: "are no JSON",
    b"[]": "must be an object",
    b'{"version": 2}': "was written by a newer version of graphtrees",
    b'{"version": "1"}': "must have a version of at least 1",
    b'{"directed": 1}': "must have true or false as 'directed'",
    b'{"dtype": "object"}': "must have 'float32' or 'float64' as 'dtype'",
    b'{"dtype": ["float32"]}': "must have 'float32' or 'float64' as 'dtype'",
    b'{"n_features": -1}': "must have a count as 'n_features'",
    b'{"n_features": 1e9}': "must have a count as 'n_features'",
    b'{"feature_names": ["a", 1]}': "must have a list of texts as 'feature_names'",
    b'{"feature_names": ["a", "a"]}': "must have each of the 'feature_names' once",
    b'{"feature_names": "ab"}': "must have a list of texts as 'feature_names'",
    b'{"categories": ["a"]}': "must have lists of labels as 'categories'",
    b'{"categories": {"vertex:k": ["a", "a"]}}': "must have each label of 'vertex:k' once",
    b'{"categories": {"vertex:k": [NaN]}}': "'vertex:k' .*a label that holds NaN",
    b'{"categories": {"vertex:k": [{"os": "x"}]}}': "unknown kind of label 'os'",
    b'{"categories": {"vertex:k": [{"date": "x"}]}}': "the categories of 'vertex:k'",
    b'{"categories": {"vertex:k": ["b"]}}': "column 'vertex:k' holds 'a', which is not among the",
    b'{"categories": {"features:0": ["b"]}}': "have categories of 'features:0', which is not there",
    b'{"codes": {"a": 1}}': "must have a list of texts as 'codes'",
    b'{"json_columns": ["vertex_name"]}': "the vertex name 'n' is no JSON of a name",
    b'{"label_dtypes": {"y": "O"}}': "must have str or datetime64",
    b'{"label_dtypes": {"y": ["O"]}}': "must have str or datetime64",
}


@pytest.mark.parametrize("metadata", METADATA, ids=lambda one: one[:40].decode("latin-1"))
def test_metadata_that_make_no_sense_are_refused_by_file(tmp_path, metadata):
    columns = {"vertex__k": [["a"] * 3, ["a"]], "vertex_name": [["n"] * 3, ["n"]]}
    path = write(tmp_path / "a.parquet", metadata, **two_graphs(**columns))
    with pytest.raises(ValueError, match=rf"a\.parquet: .*{METADATA[metadata]}"):
        gt.scan_parquet(path).read_all()


@pytest.mark.parametrize("code", [-1, 2, 0.5, 1e300])
@pytest.mark.parametrize("column", ["vertex:k", "features:0"])
def test_codes_without_labels_are_refused(tmp_path, code, column):
    said = {"categories": {column: ["a", "b"]}, "codes": [column], "n_features": 1}
    named = {"vertex__k": [[0.0, code, 1.0], [0.0]]}
    unnamed = {"features": [[[0.0], [code], [1.0]], [[0.0]]]}
    columns = named if column == "vertex:k" else unnamed
    path = write(tmp_path / "a.parquet", json.dumps(said).encode(), **two_graphs(**columns))
    wanted = rf"a\.parquet: column '{column}' holds the code .* for 2 labels"
    with pytest.raises(ValueError, match=wanted):
        gt.scan_parquet(path).read_all()


def test_a_claim_of_many_features_takes_no_memory_of_its_own(tmp_path):
    said = b'{"n_features": 2000000000}'
    path = write(tmp_path / "a.parquet", said, **two_graphs(features=[[[1]] * 3, [[1]]]))
    with pytest.raises(ValueError, match="has 1 numbers; other vertices have 2000000000"):
        gt.scan_parquet(path).read_all()


def test_categories_of_features_that_are_not_there_are_refused(tmp_path):
    empty = {"n_vertices": [0], "source": [[]], "target": [[]], "features": pa.array([[]], LISTS)}
    for number in ("2000000000", "-1", "x", "²", "1" * 5000):
        said = {"n_features": 2_000_000_000, "categories": {f"features:{number}": ["a"]}}
        path = write(tmp_path / "a.parquet", json.dumps(said).encode(), **empty)
        with pytest.raises(ValueError, match=r"a\.parquet: .* which is not there"):
            gt.scan_parquet(path).read_all()


@pytest.mark.parametrize(
    ("y", "wanted"),
    [
        ([[1, 2], [1]], r"a\.parquet: graph 1: column 'y' has 1 labels; the graphs before have 2"),
        ([[1], None], r"a\.parquet: graph 1: column 'y' is null"),
        ([{"a": 1}, {"a": 2}], r"a\.parquet: column 'y' must hold numbers, .* got struct<"),
        ([b"a", b"b"], r"a\.parquet: column 'y' must hold numbers, .* got binary"),
    ],
)
def test_labels_that_make_no_sense_are_refused_by_file(tmp_path, y, wanted):
    files = gt.scan_parquet(write(tmp_path / "a.parquet", **two_graphs(y=y)))
    with pytest.raises(ValueError, match=wanted):
        files.labels()


@pytest.mark.parametrize(
    ("weights", "wanted"),
    [
        ([1.0, None], r"a\.parquet: graph 1: column 'sample_weight' is null"),
        ([1.0, np.nan], r"a\.parquet: graph 1: column 'sample_weight' is NaN"),
        (["a", "b"], r"a\.parquet: column 'sample_weight' must hold numbers; got string"),
    ],
)
def test_weights_that_make_no_sense_are_refused_by_file(tmp_path, weights, wanted):
    files = gt.scan_parquet(write(tmp_path / "a.parquet", **two_graphs(sample_weight=weights)))
    with pytest.raises(ValueError, match=wanted):
        files.weights()


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.table([[[0]], [[0]], [[0]]], names=["source", "target", "source"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: two columns are called 'source'"):
        gt.scan_parquet(tmp_path)


def test_what_is_no_parquet_file_is_said_to_be_none(tmp_path):
    for content in (b"", b"PAR1", b"source,target\n0,1\n", b"PAR1" + bytes(100) + b"PAR1"):
        (tmp_path / "a.parquet").write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.parquet: is not a Parquet file: "):
            gt.scan_parquet(tmp_path)


def test_an_empty_folder_and_no_folder_are_told_apart(tmp_path):
    with pytest.raises(ValueError, match=r"holds no Parquet files \(NAME\.parquet\)"):
        gt.scan_parquet(tmp_path)
    with pytest.raises(ValueError, match="nothing: there is no such folder or file"):
        gt.scan_parquet(tmp_path / "nothing")
    with pytest.raises(TypeError, match="path must be a path"):
        gt.scan_parquet(3)


def test_a_file_that_is_cut_off_or_overwritten_is_told_as_damaged(tmp_path):
    path = full_graphs().to_parquet(tmp_path / "g") / "part-00000.parquet"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"part-00000\.parquet: is not a Parquet file"):
        gt.scan_parquet(tmp_path / "g")
    path.write_bytes(whole[:40] + bytes(40) + whole[80:])
    with pytest.raises(ValueError, match=r"part-00000\.parquet: is a damaged Parquet file"):
        gt.scan_parquet(tmp_path / "g").read_all()


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("whole") / "g"
    return (full_graphs().to_parquet(folder) / "part-00000.parquet").read_bytes()


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1))
@settings(max_examples=150)
def test_any_damage_ends_in_graphs_or_in_an_error_that_names_the_file(
    whole_file, tmp_path_factory, damage
):
    content = bytearray(whole_file)
    for place, byte in damage:
        content[int(place * len(content))] = byte
    path = tmp_path_factory.mktemp("damaged") / "a.parquet"
    path.write_bytes(content)
    try:
        files = gt.scan_parquet(path)
        assert len(files.read_all()) == len(files)
    except ValueError as error:
        assert "a.parquet" in str(error)  # noqa: PT017 - both ends are right


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    for module in [m for m in sys.modules if m.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").touch()
    with pytest.raises(ImportError, match=r"^scan_parquet needs pyarrow: .*graphtrees\[arrow\]'$"):
        gt.scan_parquet(tmp_path)
    with pytest.raises(ImportError, match=r"^to_parquet needs pyarrow: .*graphtrees\[arrow\]'$"):
        gt.Graphs([gt.Graph([[1]], [])]).to_parquet(tmp_path / "g")
