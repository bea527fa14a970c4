"""Bad input: one sentence with file, row and field, exit code 2, nothing half-written."""

from __future__ import annotations

import sys

import pytest

from cli.data import graphml_folder, smiles_file, table, table_folder, tu_tables, tu_zip, write

VERTICES = table(("graph_id", "id", "size"), ("g", "a", 1), ("g", "b", 2), ("h", "a", 3))
EDGES = table(("graph_id", "source", "target"), ("g", "a", "b"))
GRAPHS = table(("graph_id", "y"), ("g", 0), ("h", 1))

TABLES = {
    "missing column": (
        {"vertices.csv": "graph_id,name\ng,a\n"},
        "d/vertices.csv: no column 'id' (there is: graph_id, name); name another with --id-column",
    ),
    "missing target": (
        {"graphs.csv": "graph_id,z\ng,0\nh,1\n"},
        "d (graphs or vertices or edges): no column 'y' (there is: graph_id, z, id, size, source",
    ),
    "unknown vertex": (
        {"edges.csv": EDGES + "g,a,zz\n"},
        "d/edges.csv: line 3: 'target' 'zz' is no vertex of graph 'g'",
    ),
    "two vertices of one id": (
        {"vertices.csv": VERTICES + "g,a,7\n"},
        "d/vertices.csv: line 5: 'id' 'a' of graph 'g' came before, in line 2",
    ),
    "two graphs of one id": (
        {"graphs.csv": GRAPHS + "g,1\n"},
        "d/graphs.csv: line 4: 'graph_id' 'g' came before, in line 2",
    ),
    "unknown graph": (
        {"vertices.csv": VERTICES + "k,a,7\n"},
        "d/vertices.csv: line 5: 'graph_id' 'k' is not in graphs",
    ),
    "mixed types": (
        {"vertices.csv": VERTICES.replace("b,2", "b,two")},
        "d/vertices.csv: line 3: 'size' is 'two' among numbers; add --as-text size if they are",
    ),
    "mixed labels": (
        {"graphs.csv": GRAPHS.replace("h,1", "h,yes")},
        "d/graphs.csv: line 3: 'y' is 'yes' among numbers",
    ),
    "infinite value": (
        {"vertices.csv": VERTICES.replace("b,2", "b,inf")},
        "d/vertices.csv: line 3: 'size' is infinite",
    ),
    "missing id": (
        {"edges.csv": EDGES + "g,,b\n"},
        "d/edges.csv: line 3: 'source' is missing",
    ),
    "short row": (
        {"vertices.csv": VERTICES + "h,b\n"},
        "d/vertices.csv: line 5: 2 fields; the header has 3",
    ),
    "column twice": (
        {"vertices.csv": "graph_id,id,id\ng,a,b\n"},
        "d/vertices.csv: line 1: two columns are called 'id'",
    ),
    "open quote": ({"vertices.csv": VERTICES + 'h,"b,1\n'}, "d/vertices.csv: line 5: "),
    "empty file": ({"edges.csv": ""}, "d/edges.csv: is empty"),
    "no edges file": ({"edges.csv": None}, "d: there is no edges.csv"),
    "not text": ({"vertices.csv": "\udcff\udcfe"}, "d/vertices.csv: is not a CSV file"),
    "not parquet": (
        {"vertices.csv": None, "vertices.parquet": VERTICES},
        "d/vertices.parquet: is not a Parquet file",
    ),
    "both forms": (
        {"vertices.parquet": VERTICES},
        "d: holds both vertices.csv and vertices.parquet; keep one",
    ),
}


def said(run, *words: str) -> str:
    ran = run(*words)
    assert ran.code == 2, ran
    assert ran.out == ""
    assert ran.err.startswith("graphtrees: error: ")
    assert ran.err.count("\n") == 1
    return ran.err


@pytest.mark.parametrize("fault", TABLES)
def test_tables_with_a_fault_are_refused_with_its_place(run, here, fault):
    changed, words = TABLES[fault]
    files = {"vertices.csv": VERTICES, "edges.csv": EDGES, "graphs.csv": GRAPHS} | changed
    for name, text in files.items():
        if text is not None:
            path = here / "d" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert words in said(run, "inspect", "d", "--target", "y")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.csv", "smiles,y\nCCO,1\nC[Xx],0\n", "x.csv: line 3: 'smiles': RDKit cannot read"),
        ("x.csv", "smiles,y\nCCO,1\n,0\n", "x.csv: line 3: 'smiles' is missing"),
        ("x.csv", "mol,y\nCCO,1\n", "x.csv: no column is called 'smiles' (there is: mol, y)"),
        ("x.csv", "smiles,z\nCCO,1\n", "x.csv: no column 'y' (there is: smiles, z)"),
        ("x.csv", "smiles,y\nCCO,1\nCCO,a\n", "x.csv: line 3: 'y' is 'a' among numbers"),
        ("x.xlsx", "PK", "x.xlsx: is no kind of file that can be read"),
        ("x.zip", "PK", "x.zip is damaged"),
        ("x.graphml", "<graphml>", "x.graphml: could not be read as GraphML"),
        ("x.gml", "graph [", "x.gml: could not be read as GML"),
    ],
)
def test_files_of_the_wrong_kind_are_named(run, here, name, content, words):
    write(here / name, content)
    assert words in said(run, "inspect", name, "--target", "y")


def test_attributes_that_are_text_in_one_file_and_numbers_in_another(run, here):
    folder = graphml_folder(here / "g", 3)
    other = folder / "g1.graphml"
    text = other.read_text()
    other.write_text(
        text.replace('attr.name="size" attr.type="long"', 'attr.name="size" attr.type="string"')
    )
    assert "g/g1.graphml: vertex 'v0': 'size' is '0' among numbers" in said(run, "inspect", "g")


def test_a_file_is_named_whose_edges_lack_an_attribute(run, here):
    graphml_folder(here / "g", 3)
    words = "the edge ('v0', 'v1') has no attribute 'bond'"
    asked = ("--edge-type", "bond")
    assert f"error: g: g0.graphml: {words}" in said(run, "inspect", "g", *asked)
    assert f"error: g/g1.graphml: {words}" in said(run, "inspect", "g/g1.graphml", *asked)


def test_a_parquet_file_with_two_columns_of_one_name(run, here):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = [["CCO", "CC"], [1, 0], [2, 3]]
    parquet.write_table(
        arrow.table([arrow.array(c) for c in columns], names=["smiles", "y", "y"]),
        here / "m.parquet",
    )
    assert "m.parquet: two columns are called 'y'" in said(run, "inspect", "m.parquet")


def test_a_target_that_no_graph_has(run, here):
    graphml_folder(here / "g", 2)
    assert "g: no graph has the attribute 'y' (there is: kind)" in said(
        run, "inspect", "g", "--target", "y"
    )


def test_tu_lines_are_named_even_when_read_in_pieces(run, here):
    tables = tu_tables()
    tu_zip(here / "good.zip", **tables)
    assert run("train", "good.zip", "-o", "m.json", "--n-estimators", "2").code == 0
    broken = tables | {"A": tables["A"] + "1, 9999\n"}
    tu_zip(here / "bad.zip", **broken)
    n_lines = broken["A"].count("\n")
    words = said(run, "predict", "m.json", "bad.zip", "-o", "p.csv", "--chunk-size", "2")
    assert f"RINGS_A.txt: line {n_lines} joins vertices 1 and 9999" in words
    assert not (here / "p.csv").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["inspect", "nowhere.csv"], "nowhere.csv: there is no such file or folder"),
        (["inspect", "nowhere"], "no data set of that name (`graphtrees datasets` lists them)"),
        (["inspect", "a/b/c"], "a/b/c: there is no such file or folder"),
        (["inspect", "."], ".: holds no graphs that can be read: no vertices.csv"),
        (["inspect", "m.json"], "m.json: there is no such file"),
        (["predict", "bad.json", "d"], "bad.json: truncated, or not a graphtrees model"),
        (["explain", "bad.json", "d", "-o", "r.txt"], "r.txt: the name must end in .html or .htm"),
        (["predict", "bad.json", "d", "-o", "/dev/null"], "/dev/null: the name must end in .csv"),
        (["train", "d", "-o", "m.pkl"], "m.pkl: the name must end in .json or .json.gz"),
        (["train", "d", "-o", "no/m.json"], "no/m.json: there is no folder no"),
        (["train", "d", "--cv", "1"], "--cv must be at least 2; got 1"),
        (["train", "d", "--cv", "3", "--test-size", "0.5"], "give one of --test-size, --cv and"),
        (["train", "d", "--test-size", "2"], "--test-size must be a share"),
        (["train", "d", "--max-depth", "deep"], "--max-depth must be an integer of at least 1 or"),
        (["train", "d", "--config", "no.toml"], "no.toml: No such file or directory"),
        (["train", "d"], "d: name what is to be predicted with --target; there is: kind, score"),
        (["train", "d", "--target", "size", "--examples", "graphs"], "no column 'size'"),
        (["train", "d", "--target", "kind", "--task", "regression"], "the labels are text"),
        (["train", "d", "--target", "kind", "--split", "0"], "folder has no published splits"),
        (["train", "d", "--target", "kind", "--cv", "99"], "--cv 99 is more than the 24 examples"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_checked(run, here, words, told):
    table_folder(here / "table folder")
    (here / "d").symlink_to(here / "table folder")
    (here / "empty").mkdir()
    (here / "bad.json").write_text("{")
    if words[1] == ".":
        words = [words[0], "empty"]
        told = told.replace(".:", "empty:", 1)
    assert told in said(run, *words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["trian"], "invalid choice: 'trian'"),
        (["train"], "the following arguments are required: DATA"),
        (["inspect", "d", "--targt", "y"], "unrecognized arguments: --targt y"),
        (["train", "d", "--estimator", "svm"], "invalid choice: 'svm'"),
        (["train", "d", "--cv", "many"], "argument --cv: invalid int value: 'many'"),
    ],
)
def test_wrong_options_are_told_in_one_sentence(run, words, told):
    assert told in said(run, *words)


def test_a_model_of_other_features_says_which_is_missing(run, here):
    table_folder(here / "d")
    quick = ["--n-estimators", "2", "--min-samples-leaf", "2"]
    assert run("train", "d", "--target", "kind", "-o", "m.json", *quick).code == 0
    text = (here / "d" / "vertices.csv").read_text()
    (here / "d" / "vertices.csv").write_text(text.replace("element", "colour", 1))
    words = said(run, "predict", "m.json", "d", "-o", "p.csv")
    assert "d/vertices.csv: no column 'element'" in words
    (here / "d" / "vertices.csv").write_text(text.replace("v1,1", "v1,one", 1))
    words = said(run, "predict", "m.json", "d", "-o", "p.csv")
    assert "d/vertices.csv: line 3: 'size' is 'one' among numbers" in words
    assert not (here / "p.csv").exists()


def test_a_library_that_is_not_there_is_named_with_its_extra(run, here, monkeypatch):
    smiles_file(here / "m.csv")
    table_folder(here / "d")
    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    assert "needs rdkit: pip install 'graphtrees[chem]'" in said(run, "inspect", "m.csv")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert "needs pandas: pip install 'graphtrees[pandas]'" in said(run, "inspect", "d")


@pytest.mark.parametrize("name", ["hex", "rot13", "zlib", "quopri", "undefined", "no-such-one"])
def test_an_encoding_that_is_not_one_of_text_is_refused(run, here, name):
    table_folder(here / "data")
    ran = run("train", "data", "--target", "kind", "--encoding", name)
    assert ran.code == 2
    assert f"--encoding {name}: there is no such encoding" in ran.err
