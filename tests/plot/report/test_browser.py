"""The page in a real browser: opened, clicked, stepped through, sorted, read at night."""

import re

import numpy as np
import pytest
from builders import some_graphs
from models import small

import graphtrees as gt
from graphtrees.explain import importance


def rows(page):
    """The positions in the file of the listed examples, from the top."""
    return page.eval_on_selector_all("#rows tr", "all => all.map(row => Number(row.dataset.k))")


def marked(page, name):
    """Which drawn vertices (edges) carry a class."""
    found = f"#shown .graph [data-v].{name}, #shown .graph [data-e].{name}"
    return page.eval_on_selector_all(
        found, "all => all.map(e => Number(e.dataset.v ?? e.dataset.e))"
    )


def drawn(page):
    return page.locator("#shown .graph .vertex").count()


def where(page):
    return page.inner_text(".where")


def test_the_page_opens_and_tells_how_good_the_model_is(show, of_classes):
    page = show(of_classes)
    assert page.title() == "GraphBoostingClassifier · 30 graphs · 7 trees"
    assert page.inner_text("#metrics dd.value").endswith("%")
    assert page.locator("#rows tr").count() == 30
    assert page.locator(".confusion tbody button").count() == 4
    page.locator(".chart .curve").nth(1).wait_for(state="attached")  # drawn with the next frame
    assert page.locator(".chart .curve").count() == 2
    assert page.locator(".bars li").count() == len(importance(of_classes.model))


def test_bars_are_as_long_as_their_shares(show, of_classes):
    page = show(of_classes)
    page.select_option("#importance-by", "question")
    widths = page.eval_on_selector_all(".bars .fill", "all => all.map(bar => bar.offsetWidth)")
    parts = of_classes.parsed.block("page")["importances"]
    (shares,) = ([bar[1] for bar in part["bars"]] for part in parts if part["by"] == "question")
    assert widths[0] > 50
    for width, share in zip(widths, shares, strict=False):
        assert width == pytest.approx(widths[0] * share / shares[0], abs=1)


def test_nothing_is_drawn_or_read_before_it_is_asked_for(show, write):
    X = some_graphs(1000, n_vertices=(2, 3))
    y = np.arange(1000) % 2
    model = small(gt.GraphBoostingClassifier, n_estimators=2).fit(X[:100], y[:100])
    page = show(write(model, X, y))
    assert page.locator("#rows tr").count() == 1000
    assert page.evaluate("window.parsed") == 1
    assert page.locator("#shown svg > *").count() == 0
    page.click("#rows tr >> nth=700")
    assert page.evaluate("window.parsed") == 3  # one example, one tree
    assert drawn(page) in (2, 3)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("window.parsed") == 3


def test_a_click_shows_the_graph_with_its_importances(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=2")
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[2]])
    assert drawn(page) == explanation.graph.n_vertices
    assert page.locator("#shown .edge").count() == explanation.graph.n_edges
    assert page.inner_text("#shown h3") == f"graph {of_classes.listed()[2]}"
    assert page.get_attribute("#rows tr >> nth=2", "aria-selected") == "true"
    sizes = page.eval_on_selector_all(
        "#shown [data-v]",
        "all => all.sort((a, b) => a.dataset.v - b.dataset.v)"
        ".map(v => parseFloat(v.querySelector('.dot').style.getPropertyValue('r')))",
    )
    order = np.argsort(explanation.vertex_importance, kind="stable")
    assert (np.diff(np.array(sizes)[order]) >= -1e-6).all()


@pytest.mark.parametrize("pages", ["of_classes", "of_numbers", "of_vertices", "of_edges"])
def test_stepping_lights_up_the_subset_used_and_the_two_it_made(show, request, pages):
    written = request.getfixturevalue(pages)
    page = show(written)
    page.click("#rows tr >> nth=0")
    explanation = written.model.explain(written.X[[written.listed()[0]]])
    path = explanation.path(explanation.trees(1)[0])
    vertices = written.parsed.block("example-0")["drawing"]["v"]
    ends = np.isin(explanation.graph.edge_index, vertices).all(axis=0)
    items = np.flatnonzero(ends) if pages == "of_edges" else np.array(vertices)
    assert where(page) == "Importance"
    assert marked(page, "in-plus") == marked(page, "in-minus") == []
    for k, step in enumerate(path.steps):
        page.click("text=Next →")
        assert where(page) == f"Question {k + 1} of {len(path.steps)}"
        assert set(items[marked(page, "in-plus")]) == set(step.plus) & set(items)
        assert set(items[marked(page, "in-minus")]) == set(step.minus) & set(items)
        assert page.inner_text(".now .rule") == step.sentence.removeprefix(f"node {step.node}: ")
        assert page.inner_text(".now .phi").startswith("φ ")
        assert page.inner_text(".now .phi .turn") == f"→ {step.direction}"
        assert page.get_attribute(".map .here", "data-node") == str(step.node)
        assert page.locator(".map .pointer").count() == (step.sign is not None)
        assert f"S+ {len(step.plus)}" in page.inner_text(".legend")
    page.click("text=Next →")
    assert where(page) == "Leaf"
    assert page.inner_text(".now .rule") == path.sentence.removeprefix(f"leaf {path.leaf}: ")
    assert page.get_attribute(".map .here", "data-node") == str(path.leaf)
    assert page.is_disabled("text=Next →")


def test_phi_and_the_threshold_are_told(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    page.keyboard.press("ArrowRight")
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[0]])
    step = explanation.path(explanation.trees(1)[0]).steps[0]
    text = " ".join(page.inner_text(".now .phi").split())
    value, relation, threshold = re.fullmatch(r"φ = (\S+) (>|≤) θ = (\S+) → \w+", text).groups()
    assert float(value) == pytest.approx(step.value, rel=1e-3)
    assert float(threshold) == pytest.approx(step.threshold, rel=1e-3)
    assert relation == (">" if step.direction == "right" else "≤")


def test_another_tree_can_be_picked(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[0]])
    wanted = explanation.trees(3)[2]
    page.select_option("#tree", index=2)
    page.keyboard.press("End")
    path = explanation.path(wanted)
    assert page.get_attribute(".map svg", "aria-label").startswith(f"The way through tree {wanted}")
    assert page.locator(".way li").count() == len(path.steps) + 2
    page.click(".way li >> nth=-1")
    assert page.inner_text(".now .rule") == path.sentence.removeprefix(f"leaf {path.leaf}: ")


def test_a_node_on_the_way_leads_to_its_step(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    page.click(".map .met >> nth=0")
    assert where(page).startswith("Question 1 of")
    page.click(".way li button >> nth=0")
    assert where(page) == "Importance"


def test_the_list_is_sorted_by_any_column(show, of_classes):
    page = show(of_classes)
    data = of_classes.parsed.block("page")["examples"]
    assert rows(page) == list(range(30))
    page.click("th button >> text=prob.")
    sure = [data["sure"][k] for k in rows(page)]
    assert sure == sorted(sure, reverse=True)
    assert page.get_attribute("th:has-text('prob.')", "aria-sort") == "descending"
    page.click("th button >> text=prob.")
    assert [data["sure"][k] for k in rows(page)] == sorted(sure)
    page.click("th button >> text=graph")
    assert [int(data["name"][k]) for k in rows(page)] == list(range(30))  # 2 before 10
    page.click("th button >> text=✕")
    assert rows(page) == list(range(30))


def test_the_list_is_filtered(show, of_classes):
    page = show(of_classes)
    data = of_classes.parsed.block("page")["examples"]
    wrong = [k for k in range(30) if data["true"][k] != data["said"][k]]
    page.click("#which >> text=Mistakes")
    assert rows(page) == wrong
    page.click("#which >> text=Right")
    assert rows(page) == [k for k in range(30) if k not in wrong]
    page.click("#which >> text=All")
    page.fill("#find", "no such thing")
    assert page.inner_text("#rows") == "No example matches."
    page.fill("#find", "")
    page.click(".confusion tbody tr >> nth=0 >> button >> nth=1")
    assert rows(page) == [k for k in wrong if data["true"][k] == 0]
    page.click("#filtered button")
    assert len(rows(page)) == 30


def test_what_was_seen_in_training_is_told_and_examples_are_found_by_their_ids(show, write):
    X, y = some_graphs(20), np.arange(20) % 2
    model = small(gt.GraphTreeClassifier).fit(X[:12], y[:12])
    ids = {"smiles": [f"C{k}O" for k in range(20)]}
    written = write(model, X, y, ids=ids)
    page = show(written)
    told = page.inner_text("#seen")
    assert "8 not seen in training. 12 were seen in training: accuracy" in told
    page.fill("#find", "c13o")
    assert [written.listed()[k] for k in rows(page)] == [13]
    page.fill("#find", "seen in training")
    assert sorted(written.listed()[k] for k in rows(page)) == list(range(12))
    page.click("#rows tr >> nth=0")
    assert "seen in training" in page.inner_text("#shown")
    page = show(write(model, X[:12], y[:12]))
    assert "All of these examples were seen in training" in page.inner_text("#seen")


def test_everything_can_be_done_from_the_keyboard(show, of_classes):
    page = show(of_classes)
    page.focus("#find")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#rows tr')"):
            break
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"
    page.keyboard.press("Enter")
    assert page.inner_text("#shown h3") == f"graph {of_classes.listed()[1]}"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert where(page).startswith("Question 1 of")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.inner_text("#shown h3") == f"graph {of_classes.listed()[29]}"


def test_arrows_in_a_field_do_not_step(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    page.focus("#find")
    page.keyboard.press("ArrowRight")
    assert where(page) == "Importance"


def test_buttons_lead_to_the_next_example(show, of_classes):
    page = show(of_classes)
    page.click("#first")
    assert page.is_disabled("[aria-label='previous example']")
    page.click("[aria-label='next example']")
    assert page.inner_text("#shown h3") == f"graph {of_classes.listed()[1]}"


def lightness(page, what="document.body"):
    colour = page.evaluate(f"getComputedStyle({what}).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3


def test_it_is_dark_where_the_system_is_and_when_asked(show, of_classes):
    assert lightness(show(of_classes, color_scheme="light")) > 200
    page = show(of_classes, color_scheme="dark")
    assert lightness(page) < 50
    page.click("#theme")
    assert page.inner_text("#theme-name") == "Light"
    assert lightness(page) > 200
    page.click("#theme")
    assert page.inner_text("#theme-name") == "Dark"
    assert lightness(page) < 50
    page.reload()
    page.click("#rows tr >> nth=0")
    assert drawn(page) > 0


def test_hostile_text_is_shown_as_text(show, hostile):
    page = show(hostile)
    parts = hostile.parsed
    data = parts.block("page")
    assert page.text_content("h1") == data["title"]
    assert page.text_content("#rows tr >> nth=0 >> td") == data["examples"]["name"][0]
    assert page.text_content(".confusion tbody th[scope=row]") == data["labels"][0]
    for k in range(6):
        page.click(f"#rows tr >> nth={k}")
        while page.is_enabled("text=Next →"):
            page.click("text=Next →")
        page.hover("#shown .vertex >> nth=0", force=True)
    page.click("text=The picture in words")
    page.wait_for_selector(".table li")
    assert "</script><script>window.harmed = 2</script>" in page.text_content(".table")
    for by in page.eval_on_selector_all("#importance-by option", "all => all.map(o => o.value)"):
        page.select_option("#importance-by", by)
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, b, body script:not([type]) ~ script:not([type])").count() == 0


def test_no_other_script_runs_in_the_page(browser, of_classes):
    page = browser.new_page()
    page.goto(of_classes.path.as_uri())
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.harmed = 1';"
        "document.body.append(s);"
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.harmed = 2\">')"
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.harmed") is None
    page.close()


@pytest.mark.parametrize("pages", ["of_classes", "of_numbers", "of_vertices", "hostile"])
def test_a_phone_shows_all_of_it(show, request, pages):
    page = show(request.getfixturevalue(pages), 390, 844, has_touch=True)
    page.tap("#rows tr >> nth=0")
    page.tap("text=Next →")
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wide) <= 0
    top = page.evaluate("document.querySelector('#shown .graph').getBoundingClientRect().top")
    assert 0 <= top < 500
    small_ones = page.eval_on_selector_all(
        "#shown button", "all => all.filter(b => b.offsetParent && b.offsetHeight < 38).length"
    )
    assert small_ones == 0
    page.tap("text=↑ List")


def test_a_vertex_is_ringed_in_its_surroundings(show, of_vertices):
    page = show(of_vertices)
    page.click("#rows tr >> nth=0")
    (place,) = page.eval_on_selector_all(
        "#shown .vertex:has(.ring)", "all => all.map(v => Number(v.dataset.v))"
    )
    drawing = of_vertices.parsed.block("example-0")["drawing"]
    assert drawing["v"][place] == of_vertices.listed()[0]
    assert "of 40 vertices" in page.inner_text(".readout")


def test_a_point_of_the_residuals_leads_to_its_example(show, of_numbers):
    page = show(of_numbers)
    page.click("#rows tr >> nth=4")
    ring = page.locator(".chart .picked")
    x, y = float(ring.get_attribute("cx")), float(ring.get_attribute("cy"))
    page.click("#rows tr >> nth=0")
    page.click(".chart.clickable", position={"x": x, "y": y})
    assert page.inner_text("#shown h3") == f"graph {of_numbers.listed()[4]}"


def test_a_vertex_under_the_pointer_is_told(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    page.keyboard.press("ArrowRight")
    page.hover("#shown [data-v='1'] .dot", force=True)
    assert re.match(
        r"vertex 1: importance [\d.]+ % · z = \S+ (→ S[+-]|· not in S)", page.inner_text(".readout")
    )


def test_rows_of_a_table_have_a_way_but_no_graph(show, write):
    X = np.random.default_rng(0).normal(size=(30, 3))
    page = show(write(small(gt.GraphTreeClassifier).fit(X, X[:, 0] > 0), X, X[:, 1] > 0))
    page.click("#rows tr >> nth=0")
    assert page.is_hidden("#shown .graph")
    page.click("text=Next →")
    assert page.inner_text(".now .phi").startswith("φ = ")


def test_everything_to_press_has_a_name(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    nameless = page.eval_on_selector_all(
        "button, select, input, a, summary",
        "all => all.filter(e => !(e.textContent.trim() || e.getAttribute('aria-label')"
        " || (e.labels && e.labels.length))).map(e => e.outerHTML)",
    )
    assert nameless == []


def test_a_page_without_labels_or_with_many_classes_opens(show, write, of_classes):
    page = show(write(of_classes.model, of_classes.X))
    assert page.locator("#metrics > div").count() == 0
    page.click("#rows tr >> nth=0")
    assert drawn(page) > 0
    X, y = some_graphs(60), np.arange(60) % 20
    page = show(write(small(gt.GraphTreeClassifier).fit(X, y), X, y[::-1]))
    page.click(".mixups button >> nth=0")
    assert len(rows(page)) >= 1


def test_twelve_long_class_names_fit_above_their_columns(show, write):
    X = gt.Graphs([gt.Graph([[float(k % 12)]], [], feature_names=["x"]) for k in range(120)])
    y = np.array([f"a rather long name of class number {k % 12:02d}" for k in range(120)])
    page = show(write(gt.GraphTreeClassifier().fit(X, y), X, y), 1280, 900)
    cut = "e => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
    assert page.eval_on_selector(".panel .wide", cut) == [0, 0]
    heads = page.eval_on_selector_all(
        ".confusion th[scope=col]",
        "all => all.map(h => [h.innerText, h.title, h.offsetWidth, h.offsetHeight])",
    )
    assert [head[1] for head in heads] == sorted(set(y.tolist()))
    for k, (text, _, width, height) in enumerate(heads):
        assert text.startswith("a rather")
        assert text.endswith(f"{k:02d}")
        assert height > 3 * width  # one upright line, not letters in a stack
    page.click(".confusion tbody tr >> nth=3 >> button >> nth=3")
    assert len(rows(page)) == 10


def test_vertices_that_speak_for_and_against_are_told_apart(show, of_classes):
    page = show(of_classes)
    page.click("#rows tr >> nth=0")
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[0]])
    against = page.eval_on_selector_all(
        "#shown .vertex:has(.dot.against)", "all => all.map(v => Number(v.dataset.v))"
    )
    assert sorted(against) == np.flatnonzero(explanation.vertex_attribution < 0).tolist()
    assert page.inner_text(".legend") == "against … for"
    vertex = int(np.abs(explanation.vertex_attribution).argmax())
    page.hover(f"#shown [data-v='{vertex}'] .dot", force=True)
    told = re.fullmatch(
        rf"vertex {vertex}: importance [\d.]+ %, adds ([+−][\d.]+)", page.inner_text(".readout")
    )
    added = float(told[1].replace("−", "-"))
    assert added == pytest.approx(explanation.vertex_attribution[vertex], rel=1e-2)


def test_long_names_of_vertices_lose_their_middle_and_are_told_in_full(show, write):
    names = [f"account-{k:04d}-of-the-bank-{9 * k:05d}" for k in range(12)]
    edges = [(i, i + 1) for i in range(11)]
    graph = gt.Graph(np.sin(np.arange(12.0))[:, None], edges, vertex_names=names)
    model = small(gt.GraphTreeRegressor).fit(graph.vertices, np.arange(12.0))
    page = show(write(model, graph.vertices, np.arange(12.0), max_examples=3))
    page.click("#rows tr >> nth=0")
    written = page.eval_on_selector_all(".vertex text", "all => all.map(t => t.textContent)")
    assert written
    for text in written:
        assert "…" in text[1:-1]
        assert text[-1].isdigit()
    page.hover("#shown [data-v='0'] .dot", force=True)
    assert any(name in page.inner_text(".readout") for name in names)


def test_the_arrow_to_a_subset_stays_in_the_map_and_off_the_nodes(show, write):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=120, n_vertices=10, random_state=1)
    y = np.random.default_rng(0).integers(0, 3, 120)
    model = gt.GraphTreeClassifier(max_leaf_nodes=14, max_ancestor_distance=4).fit(data.X, y)
    page = show(write(model, data.X, y))
    pointed = 0
    for k in range(12):
        page.click(f"#rows tr >> nth={k}")
        while page.is_enabled("text=Next →"):
            page.click("text=Next →")
            pointed += page.locator(".map .pointer").count()
            assert page.evaluate(ARROW_CROSSES) == 0
    assert pointed > 0


# How many points of the dashed arrow lie outside of the map or on a node.
ARROW_CROSSES = """() => {
  const path = document.querySelector(".map .pointer");
  if (!path) return 0;
  const box = path.ownerSVGElement.viewBox.baseVal;
  const nodes = [...document.querySelectorAll(".map [data-node]")].map((g) => {
    const [x, y] = g.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
    const rect = g.querySelector("rect");
    return [x, y, Number(rect.getAttribute("width")) / 2, Number(rect.getAttribute("height")) / 2];
  });
  let bad = 0;
  for (let at = 0; at <= path.getTotalLength(); at += 0.1) {
    const p = path.getPointAtLength(at);
    const [across, down] = [(p.x - box.x) / box.width, (p.y - box.y) / box.height];
    const within = across > 0 && across < 1 && down > 0 && down < 1;
    const near = ([x, y, w, h]) => Math.abs(p.x - x) < w - 0.05 && Math.abs(p.y - y) < h - 0.05;
    if (!within || nodes.some(near)) bad += 1;
  }
  return bad;
}"""


def test_numbers_are_raised_and_lowered_and_classes_have_a_for_and_an_against(
    show, of_numbers, of_classes
):
    words = {}
    for name, written in (("numbers", of_numbers), ("classes", of_classes)):
        page = show(written)
        page.locator("#rows tr").first.click()
        page.wait_for_selector("#shown .graph .vertex")
        words[name] = page.inner_text("#shown")
    assert "raise the prediction" in words["numbers"]
    assert "lowers … raises" in words["numbers"]
    assert "against" not in words["numbers"]
    assert "against … for" in words["classes"]


def test_the_list_and_the_plot_give_a_residual_the_same_sign(show, of_numbers):
    page = show(of_numbers)
    row = page.locator("#rows tr").first
    true, said, residual = (
        float(text.replace("−", "-")) for text in row.locator("td.num").all_inner_texts()
    )
    assert residual == pytest.approx(true - said, abs=2e-3 * max(abs(true), abs(said)))
    row.click()
    page.wait_for_selector("#shown .graph .vertex")
    assert f"residual {row.locator('td.num').last.inner_text()}" in page.inner_text("#shown")
    assert "true − predicted" in page.inner_text("body")


OVERLAPS = """texts => {
  const boxes = texts.filter(t => getComputedStyle(t).visibility === "visible")
    .map(t => t.getBoundingClientRect());
  const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1
    || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  const pairs = boxes.flatMap((a, k) => boxes.slice(k + 1).filter(b => !apart(a, b)));
  return [boxes.length, pairs.length];
}"""


@pytest.mark.parametrize("name", ["{}", "account {:03}"])
def test_no_label_of_a_dense_graph_lies_over_another(show, write, name):
    rng = np.random.default_rng(0)
    names = [name.format(k) for k in range(65)]
    X = [gt.Graph(rng.normal(size=(65, 1)), rng.integers(0, 65, (200, 2)), vertex_names=names)
         for _ in range(8)]  # fmt: skip
    y = np.arange(8) % 2
    model = small(gt.GraphForestClassifier, n_estimators=10, min_samples_leaf=1).fit(X, y)
    page = show(write(model, X, y))
    for place in range(4):
        page.locator("#rows tr").nth(place).click()
        n_labels, n_overlaps = page.eval_on_selector_all("#shown .graph .vertex text", OVERLAPS)
        assert n_labels >= 3
        assert n_overlaps == 0
