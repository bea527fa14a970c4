"""The file itself: one page, nothing from elsewhere, and text that stays text."""

import base64
import hashlib
import re

import numpy as np
import pytest
from builders import a_graph, some_graphs
from models import SIX, name_of, small

import graphtrees as gt
from graphtrees.plot.axes import MINUS, PLUS
from graphtrees.plot.report import write_report
from graphtrees.plot.report.page import to_json

VOID = {"meta", "link", "br", "img", "input", "hr", "path", "circle", "line"}


def test_the_page_is_one_document(of_classes):
    text = of_classes.path.read_text(encoding="utf-8")
    assert text.startswith('<!doctype html>\n<html lang="en">')
    tags = [tag for tag, _ in of_classes.parsed.tags]
    for once in ("html", "head", "body", "title", "style", "main", "h1"):
        assert tags.count(once) == 1, once
    for tag in set(tags) - VOID:
        outside = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
        closed = outside.count(f"</{tag}>") + len(re.findall(rf"<{tag}\b[^>]*/>", outside))
        assert len(re.findall(rf"<{tag}\b", outside)) == closed, tag


def test_every_name_in_the_page_is_given_once(of_classes):
    ids = [given["id"] for _, given in of_classes.parsed.tags if "id" in given]
    assert len(ids) == len(set(ids))


def test_nothing_is_loaded_from_elsewhere(of_classes):
    for tag, given in of_classes.parsed.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in given
        assert given.get("href", "#").startswith("#")
    text = of_classes.path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"')]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in text
    assert "url(" not in text


def test_only_our_own_script_and_style_may_run(of_classes):
    page = of_classes.parsed
    (policy,) = (
        given["content"]
        for tag, given in page.tags
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        known = base64.b64encode(hashlib.sha256(page.texts[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{known}'" in policy
    assert not any(
        name.startswith("on") or name == "style" for _, given in page.tags for name in given
    )


def test_hostile_text_is_data_and_nothing_else(hostile):
    page = hostile.parsed
    plain = [given for tag, given in page.tags if tag == "script" and "type" not in given]
    assert len(plain) == 1
    assert not any(tag in ("img", "b") for tag, _ in page.tags)
    data = page.block("page")
    assert data["labels"] == sorted(str(label) for label in set(hostile.y))
    assert "<script>window.harmed = 1</script>0" in data["examples"]["name"]
    assert (
        page.block("example-0")["drawing"]["l"][1] == "</script><script>window.harmed = 2</script>"
    )
    for name in (*page.names("example-"), *page.names("tree-"), "page"):
        assert not set(page.texts[name]) & set("<>&\u2028\ud800")


def test_json_is_ascii_without_marks_of_markup():
    text = to_json({"<a>&": "</script>\u2028é\ud800"})
    assert text.isascii()
    assert not set(text) & set("<>&")
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json(float("nan"))


def test_an_example_and_a_tree_are_blocks_of_their_own(of_classes):
    page = of_classes.parsed
    assert len(page.names("example-")) == 30
    met = {path["tree"] for name in page.names("example-") for path in page.block(name)["paths"]}
    assert {int(name.removeprefix("tree-")) for name in page.names("tree-")} == met


def test_the_same_report_is_the_same_file(of_classes, write):
    again = write(of_classes.model, of_classes.X, of_classes.y)
    assert again.path.read_bytes() == of_classes.path.read_bytes()


def test_blue_and_orange_are_those_of_the_pictures(of_classes):
    style = of_classes.parsed.texts["style"]
    assert f"--plus: light-dark({PLUS}," in style
    assert f"--minus: light-dark({MINUS}," in style


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize("of", ["graphs", "vertices", "edges", "rows"])
def test_all_models_and_kinds_of_examples_have_a_page(kind, of, write):
    X = some_graphs(12, n_vertices=(3, 5))
    X = {"graphs": X, "vertices": X.vertices, "edges": X.edges}.get(of)
    X = np.random.default_rng(0).normal(size=(20, 3)) if X is None else X
    written = write(small(kind).fit(X, np.arange(len(X)) % 3), X, np.arange(len(X)) % 3)
    page = written.parsed
    assert len(page.names("example-")) == len(X)
    drawing = page.block("example-0")["drawing"]
    assert (drawing is None) == (of == "rows")


@pytest.mark.parametrize(
    "odd",
    [
        gt.Graph(np.zeros((0, 2)), []),
        gt.Graph([[1.0, np.nan]], []),
        gt.Graph(np.ones((3, 2)), [(0, 0), (0, 1), (0, 1), (2, 2)]),
        a_graph(60, seed=1, density=0.02),
    ],
    ids=["no vertices", "one vertex", "loops and doubled edges", "many parts"],
)  # fmt: skip
def test_odd_graphs_are_drawn(odd, write):
    model = small(gt.GraphTreeRegressor).fit(some_graphs(12), np.arange(12.0))
    drawing = write(model, [odd], [1.0]).parsed.block("example-0")["drawing"]
    assert len(drawing["v"]) == odd.n_vertices
    assert len(drawing["xy"]) == 2 * odd.n_vertices
    assert len(drawing["e"]) == 2 * odd.n_edges


def test_a_failure_leaves_the_old_file(tmp_path, of_classes, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        of_classes.model.report(of_classes.X, of_classes.y, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, of_classes):
    model, X, y = of_classes.model, of_classes.X, of_classes.y
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_report(model, X, y, tmp_path / "none" / "report.html")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_report(model, X, y, tmp_path)
    with pytest.raises(ValueError, match="max_examples must be an integer of at least 1; got 0"):
        write_report(model, X, y, tmp_path / "r.html", max_examples=0)
    with pytest.raises(ValueError, match="names must have one entry for each of the 30 examples"):
        write_report(model, X, y, tmp_path / "r.html", names=["a"])
    with pytest.raises(ValueError, match="X holds 30 examples, y 29 labels"):
        write_report(model, X, y[1:], tmp_path / "r.html")
    with pytest.raises(ValueError, match="class_ must be one of"):
        write_report(model, X, y, tmp_path / "r.html", class_="green")
    with pytest.raises(ValueError, match="was fitted on graphs; got vertices"):
        write_report(model, X.vertices, None, tmp_path / "r.html")
    with pytest.raises(ValueError, match="X holds no examples"):
        write_report(model, X[:0], y[:0], tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_the_path_comes_back_and_has_a_default(tmp_path, monkeypatch, of_classes):
    monkeypatch.chdir(tmp_path)
    assert of_classes.model.report(of_classes.X[:3]).read_text().startswith("<!doctype html>")
    assert (tmp_path / "report.html").exists()


def test_without_matplotlib_there_is_a_page_all_the_same(tmp_path, of_classes, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert of_classes.model.report(of_classes.X, of_classes.y, tmp_path / "r.html").exists()
