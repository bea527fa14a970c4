"""Each form of DATA: what is read, whole and in pieces."""

from __future__ import annotations

import gc
import gzip
import tracemalloc

import networkx as nx
import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

import graphtrees as gt
from cli.data import (
    N_GRAPHS,
    graphml_folder,
    one_graph_folder,
    rings_and_paths,
    smiles_file,
    table,
    table_folder,
    tu_tables,
    tu_zip,
    write,
)
from graphtrees.cli.data import Reading, find_source
from graphtrees.cli.data.grouping import SeenKeys
from graphtrees.cli.data.source import NotInPieces, load_small

QUICK = ("--n-estimators", "3", "--min-samples-leaf", "1")
KINDS = [label for _, label, _, _ in rings_and_paths()]
SIZES = [len(rows) for _, _, rows, _ in rings_and_paths()]
EDGES = [len(pairs) for _, _, _, pairs in rings_and_paths()]


def load(path, need_target=True, **reading):
    return find_source(str(path), Reading(**reading)).load(need_target)


def assert_rings_and_paths(data):
    assert [g.n_vertices for g in data.X] == SIZES
    assert [g.n_edges for g in data.X] == EDGES


def assert_pieces_are_the_whole(source, size=5):
    whole = source.load(need_target=False)
    pieces = list(source.stream(size))
    assert [len(piece) for piece in pieces] == [5, 5, 5, 5, 4]
    names = next(iter(whole.ids))
    assert [name for piece in pieces for name in piece.ids[names]] == whole.ids[names]
    at = 0
    for piece in pieces:
        for graph in piece.X:
            same = whole.X[at]
            np.testing.assert_array_equal(graph.edge_index, same.edge_index)
            assert list(labels(graph)) == list(labels(same))
            at += 1


def labels(graph):
    """Features with categories by name: pieces number them differently."""
    features = (
        graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
    )
    for row in features:
        yield tuple(
            graph.categories[k][int(v)] if k in graph.categories else float(v)
            for k, v in enumerate(row)
        )


# ---- tables -------------------------------------------------------------------------------


def test_tables_of_many_graphs(here):
    data = load(table_folder(here / "d"), target="kind")
    assert_rings_and_paths(data)
    assert data.X.feature_names == ("size", "element")
    assert data.y.tolist() == KINDS
    assert data.ids == {"graph_id": [f"g{k}" for k in range(24)]}


def test_tables_of_one_graph_have_vertices_for_examples(here):
    data = load(one_graph_folder(here / "d"), target="kind")
    assert type(data.X).__name__ == "Vertices"
    assert data.X.graphs.feature_names == ("size",)
    assert data.y[:5].tolist() == ["small", "small", "big", "big", None]
    assert data.ids["id"][:2] == ["0", "1"]


def test_a_target_among_the_vertices_of_many_graphs(here):
    folder = table_folder(here / "d")
    data = load(folder, target="size")
    assert type(data.X).__name__ == "Vertices"
    assert data.X.graphs.feature_names == ("element",)
    assert data.y[:6].tolist() == [0, 1, 0, 1, 0, 1]
    assert data.ids["graph_id"][3:5] == ["g0", "g1"]


@pytest.mark.parametrize("with_graph", [True, False])
def test_a_target_among_the_edges(here, with_graph):
    write(here / "d" / "vertices.csv", "graph_id,id,x\ng,a,1\ng,b,2\nh,c,3\nh,d,4\n")
    rows = ["graph_id,source,target,busy", "h,c,d,7", "g,a,b,5", "h,d,c,6"]
    if not with_graph:
        rows = [row.partition(",")[2] for row in rows]
    write(here / "d" / "edges.csv", "\n".join(rows))
    data = load(here / "d", target="busy")
    assert type(data.X).__name__ == "Edges"
    assert data.y.tolist() == [5, 7, 6]
    assert data.ids == {"graph_id": ["g", "h", "h"], "source": ["a", "c", "d"],
                        "target": ["b", "d", "c"]}  # fmt: skip
    assert data.X.graph_of.tolist() == [0, 1, 1]


def test_order_and_labels_are_those_of_the_table_of_graphs(here):
    folder = table_folder(here / "d", 3)
    write(folder / "graphs.csv", "graph_id,y\ng2,2\ng0,0\nempty,9\ng1,1\n")
    data = load(folder, target="y")
    assert data.y.tolist() == [2, 0, 9, 1]
    assert [g.n_vertices for g in data.X] == [6, 4, 0, 5]
    vertices = load(folder, target="size")
    assert vertices.ids["graph_id"][0] == "g2"


def test_parquet_and_packed_csv_say_what_csv_says(here):
    folder = table_folder(here / "d")
    plain = load(folder, target="kind")
    pyarrow.parquet.write_table(
        pyarrow.csv.read_csv(folder / "vertices.csv"), folder / "vertices.parquet"
    )
    (folder / "vertices.csv").unlink()
    packed = gzip.compress((folder / "edges.csv").read_bytes())
    (folder / "edges.csv.gz").write_bytes(packed)
    (folder / "edges.csv").unlink()
    other = load(folder, target="kind")
    assert [list(labels(g)) for g in other.X] == [list(labels(g)) for g in plain.X]
    np.testing.assert_array_equal(other.X.flat.edges, plain.X.flat.edges)
    assert_pieces_are_the_whole(find_source(str(folder), Reading(target="kind", examples="graphs")))


def test_columns_of_edges_become_weights_types_and_relations(here):
    write(here / "d" / "vertices.csv", "id,x\na,1\nb,2\n")
    write(here / "d" / "edges.csv", "from;to;w;kind;length\na;b;2.5;road;7\n".replace(";", "\t"))
    data = load(
        here / "d", need_target=False, source_column="from", target_column="to", weight="w",
        edge_type="kind", edge_features=("length",), directed=True,
    )  # fmt: skip
    graph = data.X.graphs[0]
    assert graph.directed
    assert graph.edge_weights.tolist() == [2.5]
    assert graph.edge_types.tolist() == ["road"]
    assert graph.edge_features.tolist() == [[7.0]]


def test_words_for_missing_and_for_truth_are_read(here):
    write(here / "d" / "vertices.csv", "id,x,t,Na\na,NA,true,Na\nb,1.5,FALSE,\nc,,true,C\n")
    write(here / "d" / "edges.csv", "source,target\na,b\n")
    graph = load(here / "d", need_target=False).X.graphs[0]
    np.testing.assert_array_equal(graph.features[:, 0], [np.nan, 1.5, np.nan])
    assert graph.features[:, 1].tolist() == [1, 0, 1]
    assert graph.categories == {2: ("C", "Na")}
    as_text = load(here / "d", need_target=False, as_text=("t",)).X.graphs[0]
    assert as_text.categories[1] == ("FALSE", "true")


def test_a_hundred_thousand_edges_load_in_seconds(here):
    n = 20_000
    rng = np.random.default_rng(0)
    write(here / "d" / "vertices.csv", table(("id", "x"), *((v, v % 7) for v in range(n))))
    ends = rng.integers(0, n, (100_000, 2)).tolist()
    write(here / "d" / "edges.csv", table(("source", "target"), *ends))
    data = load(here / "d", target="x")
    assert data.X.graphs[0].n_edges == 100_000


@pytest.mark.parametrize("with_table", [True, False])
def test_tables_in_pieces_are_the_whole(here, with_table):
    folder = table_folder(here / "d")
    if not with_table:
        (folder / "graphs.csv").unlink()
    assert_pieces_are_the_whole(find_source(str(folder), Reading(target="kind", examples="graphs")))


@pytest.mark.parametrize("file", ["vertices.csv", "edges.csv", "graphs.csv"])
def test_rows_out_of_order_are_noticed_and_read_whole(here, file):
    folder = table_folder(here / "d")
    header, *rows = (folder / file).read_text().splitlines(keepends=True)
    (folder / file).write_text(header + "".join([*rows[1:], rows[0]]))
    source = find_source(str(folder), Reading(target="kind", examples="graphs"))
    with pytest.raises(NotInPieces):
        list(source.stream(5))
    data = load_small(source)
    assert sorted(g.n_vertices for g in data.X) == sorted(SIZES)


def test_keys_are_remembered_through_merges():
    seen = SeenKeys()
    for start in range(0, 1000, 7):
        assert seen.add([f"key {k}" for k in range(start, start + 7)])
    assert "key 0" in seen
    assert "key 999" in seen
    assert "key 5000" not in seen
    assert not seen.add(["new", "key 3"])
    assert not seen.add(["twice", "twice"])
    assert len(seen._levels) < 12


# ---- SMILES, GraphML, TU ------------------------------------------------------------------


def test_smiles_with_labels(here):
    data = load(smiles_file(here / "m.csv", 1), target="alcohol")
    assert data.y.tolist() == [1, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    assert data.X[0].n_vertices == 3
    assert data.ids["smiles"][:2] == ["CCO", "CCN"]


def test_smiles_in_pieces_are_the_whole(here):
    path = write(here / "m.csv", "SMILES\n" + "CCO\nCCN\n" * 12)
    assert_pieces_are_the_whole(find_source(str(path), Reading()))


def test_graphml_in_a_folder_and_labels_of_graphs(here):
    data = load(graphml_folder(here / "g"), target="kind")
    by_name = dict(zip(data.ids["file"], data.y.tolist(), strict=True))
    assert by_name["g0.graphml"] == "ring"
    assert by_name["g1.graphml"] == "path"
    assert data.X.feature_names == ("element", "size")
    assert_pieces_are_the_whole(find_source(str(here / "g"), Reading(examples="graphs")))


def test_graphml_labels_from_a_table_beside_the_files(here):
    folder = graphml_folder(here / "g", 2)
    write(folder / "graphs.csv", "graph_id,y\ng1,5\ng0.graphml,7\n")
    assert load(folder, target="y").y.tolist() == [7, 5]


def test_one_graphml_file_has_vertices_for_examples(here):
    graph = nx.karate_club_graph()
    nx.write_graphml(graph, here / "karate.graphml")
    data = load(here / "karate.graphml", target="club")
    assert len(data) == 34
    assert set(data.y) == {"Mr. Hi", "Officer"}
    assert data.X.graphs.n_features == 0


@pytest.mark.parametrize("with_labels", [True, False])
def test_tu_in_pieces_is_the_whole(here, with_labels):
    tables = tu_tables(labels=with_labels)
    path = tu_zip(here / "RINGS.zip", **tables)
    source = find_source(str(path), Reading())
    assert_pieces_are_the_whole(source)
    assert_rings_and_paths(source.load(need_target=False))
    for name, text in tables.items():
        write(here / "RINGS" / f"RINGS_{name}.txt", text)
    assert_pieces_are_the_whole(find_source(str(here / "RINGS"), Reading()))


def test_tu_pieces_know_the_notes_of_the_whole(here):
    tables = {
        "A": "1,2\n2,1\n3,4\n4,3\n",
        "edge_labels": "0\n0\n1\n1\n",
        "graph_indicator": "1\n1\n2\n2\n",
        "graph_labels": "0\n1\n",
        "label_readme": "Edge labels:\n\n  0  single\n  1  double\n",
    }
    source = find_source(str(tu_zip(here / "T.zip", **tables)), Reading())
    for graphs in ([g for piece in source.stream(1) for g in piece.X], source.load(True).X):
        assert [list(g.edge_types) for g in graphs] == [["single"], ["double"]]


def test_tu_graphs_without_vertices_are_kept_in_pieces(here):
    tables = {
        "A": "1,2\n2,1\n3,4\n4,3\n",
        "graph_indicator": "2\n2\n4\n4\n",
        "graph_labels": "0\n1\n0\n1\n0\n",
    }
    source = find_source(str(tu_zip(here / "T.zip", **tables)), Reading())
    assert [g.n_vertices for piece in source.stream(2) for g in piece.X] == [0, 2, 0, 2, 0]
    assert [piece.ids["graph"] for piece in source.stream(2)] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize(
    "changed",
    [
        {"graph_indicator": "2\n2\n1\n1\n"},
        {"A": "3,4\n4,3\n1,2\n2,1\n"},
        {"A": "1,2\n2,1\n3,9\n9,3\n"},
    ],
    ids=["vertices", "edges", "unknown vertex"],
)
def test_tu_lines_out_of_order_are_noticed(here, changed):
    tables = {
        "A": "1,2\n2,1\n3,4\n4,3\n",
        "graph_indicator": "1\n1\n2\n2\n",
        "graph_labels": "0\n1\n",
    }
    source = find_source(str(tu_zip(here / "T.zip", **tables | changed)), Reading())
    with pytest.raises(NotInPieces):
        list(source.stream(1))


def test_tu_labels_unknown_to_the_model_take_no_column(here):
    path = tu_zip(here / "RINGS.zip")
    reading = Reading(features=("label=0", "label=7", "label=2"), exact=True)
    data = find_source(str(path), reading).load(need_target=False)
    assert data.X.feature_names == ("label=0", "label=7", "label=2")
    np.testing.assert_array_equal(
        data.X[0].features.toarray(), [[1, 0, 0], [0, 0, 0], [0, 0, 1], [1, 0, 0]]
    )


# ---- memory ---------------------------------------------------------------------------------


def peak_of_streaming(path) -> int:
    source = find_source(str(path), Reading(examples="graphs"))
    gc.freeze()  # what other tests left need not be looked through
    tracemalloc.start()
    try:
        for _ in source.stream(50):
            gc.collect()  # what is held counts, not when it is tidied up
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()


@pytest.mark.parametrize("form", ["tables", "smiles", "tu"])
def test_memory_does_not_grow_with_the_number_of_graphs(here, form):
    def make(name, times):
        if form == "tables":
            return table_folder(here / name, 100 * times)
        if form == "smiles":
            return smiles_file(here / f"{name}.csv", 10 * times)
        return tu_zip(here / f"{name}.zip", **tu_tables(100 * times))

    peak_of_streaming(make("first", 1))  # imports and caches
    small = peak_of_streaming(make("small", 10))  # larger than what is read at a time
    large = peak_of_streaming(make("large", 30))
    assert large < 1.5 * small


@pytest.mark.parametrize("damage", ["cut off", "one byte"])
def test_a_damaged_gzip_file_is_told_as_such(run, here, damage):
    text = "smiles,toxic\n" + "".join(f"{'C' * (1 + k % 9)}O,{k % 2}\n" for k in range(500))
    packed = bytearray(gzip.compress(text.encode()))
    if damage == "cut off":
        del packed[len(packed) // 2 :]
    else:
        packed[len(packed) // 2] ^= 0xFF
    (here / "m.csv.gz").write_bytes(packed)
    ran = run("train", "m.csv.gz", "--target", "toxic")
    assert ran.code == 2
    assert "m.csv.gz: is not a whole gzip file" in ran.err


# ---- columns of graphs.csv -----------------------------------------------------------------------


def known_folder(folder):
    """Rings and paths whose graphs have a score and a batch; the kind is in neither."""
    table_folder(folder)
    lines = (folder / "graphs.csv").read_text().splitlines()
    more = [f"{line},{'AB'[k % 2]}" for k, line in enumerate(lines[1:])]
    write(folder / "graphs.csv", "\n".join([f"{lines[0]},batch", *more]) + "\n")
    return folder


def trained_features(run, *words):
    assert run("train", "d", "--target", "kind", "-o", "m.json", *QUICK, *words).code == 0
    model = gt.load_model("m.json")
    return list(model.feature_names_in_), list(model._fitted.features.graph_feature_names)


def test_columns_of_graphs_are_features_where_they_are_named(run, here):
    known_folder(here / "d")
    assert trained_features(run) == (["size", "element"], [])
    every = (["size", "element", "batch", "score"], ["batch", "score"])
    assert trained_features(run, "--features", "batch,score") == every
    some = (["element", "score"], ["score"])
    assert trained_features(run, "--features", "score,element") == some
    assert run("predict", "m.json", "d", "-o", "p.csv", "--chunk-size", "5").code == 0
    write(here / "d" / "graphs.csv", "graph_id\n" + "".join(f"g{k}\n" for k in range(N_GRAPHS)))
    assert "no column 'score'" in run("predict", "m.json", "d", "-o", "p.csv").err


def test_what_columns_of_graphs_are_taken_for_is_listed(run, here):
    known_folder(here / "d")
    ran = run("train", "d", "--target", "kind", "--features", "batch", *QUICK)
    assert "batch: text, 2 categories" in ran.out
    assert "score: not used (use with --features)" in " ".join(ran.out.split())


def test_graphs_without_a_table_of_vertices_have_features_too(run, here):
    known_folder(here / "d")
    (here / "d" / "vertices.csv").unlink()
    assert trained_features(run, "--features", "score") == (["score"], ["score"])
    assert run("predict", "m.json", "d", "-o", "p.csv").code == 0


# ---- Parquet files of graphs ---------------------------------------------------------------


def parquet_folder(here):
    data = load(table_folder(here / "tables"), target="kind")
    data.X.to_parquet(here / "graphs", rows_per_file=5, y=data.y)
    return here / "graphs"


def test_parquet_files_of_graphs_are_read_whole_and_in_pieces(here):
    path = parquet_folder(here)
    data = load(path)
    assert_rings_and_paths(data)
    assert data.y.tolist() == KINDS
    assert load(path, target="y").y.tolist() == KINDS
    assert_pieces_are_the_whole(find_source(str(path), Reading()))
    lone = load(path / "part-00001.parquet")
    assert lone.y.tolist() == KINDS[5:10]


def test_parquet_files_of_graphs_are_trained_on_and_predicted(run, here):
    parquet_folder(here)
    ran = run("train", "graphs", "-o", "model.json", *QUICK)
    assert ran.code == 0, ran.err
    ran = run("predict", "model.json", "graphs", "-o", "out.csv")
    assert ran.code == 0, ran.err
    assert len((here / "out.csv").read_text().splitlines()) == N_GRAPHS + 1


def test_a_target_that_parquet_files_lack_is_named_with_those_that_they_have(run, here):
    path = parquet_folder(here)
    ran = run("train", "graphs", "--target", "price")
    assert ran.code != 0
    assert "graphs: no column 'price' (there is: y)" in ran.err
    assert find_source(str(path), Reading(target="price")).load(need_target=False).y is None
    ran = run("train", "graphs", "--weight", "w")
    assert "--weight has no use for Parquet files of graphs" in ran.err


def test_parquet_files_that_are_no_graphs_are_named(run, here):
    (here / "graphs").mkdir()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), here / "graphs" / "x.parquet")
    ran = run("train", "graphs")
    assert ran.code != 0
    assert "x.parquet: has no column 'source', a list of vertex numbers" in ran.err
    lists = pyarrow.table({"source": [[0]], "target": [["x"]]})
    pyarrow.parquet.write_table(lists, here / "lone.parquet")
    ran = run("train", "lone.parquet")
    assert "lone.parquet: column 'target' must hold lists of integers" in ran.err
