"""What stands in the blocks: the numbers of the model, beside those of others."""

import numpy as np
import pytest
from builders import a_graph, some_graphs
from models import small
from sklearn import metrics

import graphtrees as gt
from graphtrees.explain import importance
from graphtrees.plot.report.trees import describe_tree


def headline(written):
    return {m["name"]: m["value"] for m in written.parsed.block("page")["metrics"]}


def test_the_metrics_of_classes_are_those_of_scikit_learn(of_classes):
    model, X, y = of_classes.model, of_classes.X, of_classes.y
    said, chances = model.predict(X), model.predict_proba(X)
    assert headline(of_classes) == {
        "accuracy": f"{100 * metrics.accuracy_score(y, said):.1f} %",
        "mistakes": str((said != y).sum()),
        "balanced accuracy": f"{100 * metrics.balanced_accuracy_score(y, said):.1f} %",
        "ROC AUC": f"{metrics.roc_auc_score(y, chances[:, 1]):.3f}",
        "log loss": f"{metrics.log_loss(y, chances):.3f}",
    }


def test_the_metrics_of_numbers_are_those_of_scikit_learn(of_numbers):
    y, said = of_numbers.y, of_numbers.model.predict(of_numbers.X)
    found = headline(of_numbers)
    assert found["R²"] == f"{metrics.r2_score(y, said):.3f}"
    assert float(found["RMSE"]) == pytest.approx(metrics.root_mean_squared_error(y, said), rel=1e-3)
    assert float(found["mean error"]) == pytest.approx(
        metrics.mean_absolute_error(y, said), rel=1e-3
    )
    assert float(found["largest error"]) == pytest.approx(metrics.max_error(y, said), rel=1e-3)


def test_confusions_count_every_example_once(of_vertices):
    page = of_vertices.parsed.block("page")
    table = np.zeros((3, 3), int)
    for true, said, n in page["confusion"]:
        table[true, said] = n
    said = of_vertices.model.predict(of_vertices.X)
    np.testing.assert_array_equal(table, metrics.confusion_matrix(of_vertices.y, said))


def test_mistakes_come_first_and_the_surest_on_top(of_classes):
    rows = of_classes.parsed.block("page")["examples"]
    wrong = np.array(rows["true"]) != np.array(rows["said"])
    n_wrong = wrong.sum()
    assert 0 < n_wrong < 30
    assert wrong[:n_wrong].all()
    assert (np.diff(rows["sure"][:n_wrong]) <= 0).all()
    assert (np.diff(rows["sure"][n_wrong:]) >= 0).all()
    order = of_classes.listed()
    np.testing.assert_array_equal(np.array(rows["true"]), of_classes.y[order])


def test_the_largest_errors_come_first(of_numbers):
    rows = of_numbers.parsed.block("page")["examples"]
    assert (np.diff(np.abs(rows["off"])) <= 0).all()
    said = of_numbers.model.predict(of_numbers.X)
    off = (of_numbers.y - said)[of_numbers.listed()]
    np.testing.assert_allclose(rows["off"], off, rtol=1e-3)
    points = of_numbers.parsed.block("page")["residuals"]
    np.testing.assert_allclose(points["y"], of_numbers.y - said, rtol=1e-3)
    assert [of_numbers.listed()[at] for at in points["at"]] == list(range(25))


def test_importances_are_those_of_the_model(of_classes):
    page = of_classes.parsed.block("page")
    parts = {part["by"]: part for part in page["importances"]}
    assert list(parts) == [
        "feature", "question", "walk length", "walk type", "aggregator", "subset",
    ]  # fmt: skip
    for by, part in parts.items():
        shares = list(importance(of_classes.model, by=by.replace(" ", "_")).values())
        shown = [share for _, share in part["bars"]]
        assert shown == pytest.approx(shares[:12], rel=1e-3)
        rest = 0 if part["rest"] is None else part["rest"][1]
        assert sum(shown) + rest == pytest.approx(1, rel=1e-3)


def test_learning_curves_are_those_of_the_training(of_classes, of_numbers):
    (curve,) = of_classes.parsed.block("page")["curves"]
    results = of_classes.model.evals_result_
    assert [name for name, _ in curve["lines"]] == list(results)
    for name, line in curve["lines"]:
        assert [k for k, _ in line] == list(range(1, 8))
        assert [v for _, v in line] == pytest.approx(results[name]["loss"], rel=1e-4)
    assert of_numbers.parsed.block("page")["curves"] == []


@pytest.mark.parametrize("pages", ["of_classes", "of_numbers", "of_vertices", "of_edges"])
def test_paths_and_subsets_are_those_of_the_explanation(pages, request):
    written = request.getfixturevalue(pages)
    page = written.parsed
    for k, at in enumerate(written.listed()[:6]):
        explanation = written.model.explain(written.X[[at]])
        example = page.block(f"example-{k}")
        drawn = _drawn_items(example["drawing"], explanation, pages == "of_edges")
        speaking = [tree for tree in explanation.trees() if explanation.contributions[tree]]
        assert [path["tree"] for path in example["paths"]] == speaking[:5]
        for told in example["paths"]:
            path = explanation.path(told["tree"])
            assert told["leaf"] == path.leaf
            assert told["adds"] == pytest.approx(path.contribution, rel=1e-3)
            assert [step["n"] for step in told["steps"]] == [step.node for step in path.steps]
            for step, real in zip(told["steps"], path.steps, strict=True):
                assert f"node {step['n']}: {step['s']}" == real.sentence
                assert step["k"] == [len(real.used), len(real.plus), len(real.minus)]
                marks = np.array(list(step["c"]))
                assert set(drawn[marks == "1"]) == set(real.plus) & set(drawn)
                assert set(drawn[marks == "2"]) == set(real.minus) & set(drawn)


def _drawn_items(drawing, explanation, of_edges):
    vertices = np.array(drawing["v"])
    if not of_edges:
        return vertices
    return np.flatnonzero(np.isin(explanation.graph.edge_index, vertices).all(axis=0))


def test_drawings_carry_the_importances(of_classes):
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[0]])
    drawing = of_classes.parsed.block("example-0")["drawing"]
    np.testing.assert_allclose(
        np.array(drawing["vi"]) / 10_000, explanation.vertex_importance, atol=1e-4
    )
    np.testing.assert_allclose(
        np.array(drawing["ei"]) / 10_000, explanation.edge_importance, atol=1e-4
    )
    np.testing.assert_array_equal(
        np.array(drawing["e"]).reshape(-1, 2).T, explanation.graph.edge_index
    )
    strength = np.array(drawing["vs"])
    assert strength.max() <= 100
    assert (np.diff(strength[np.argsort(drawing["vi"], kind="stable")]) >= 0).all()


def test_a_vertex_is_drawn_with_its_surroundings(of_vertices):
    reach = of_vertices.model.explain(of_vertices.X[[20]]).reach
    place = of_vertices.listed().index(20)
    drawing = of_vertices.parsed.block(f"example-{place}")["drawing"]
    assert drawing["v"] == list(range(20 - reach, 21 + reach))
    assert [drawing["v"][k] for k in drawing["asked"]] == [20]
    assert drawing["note"].startswith(f"{2 * reach + 1} of 40 vertices")


def test_without_labels_the_page_tells_what_the_model_says(of_classes, write):
    page = write(of_classes.model, of_classes.X).parsed.block("page")
    assert page["metrics"] == []
    assert page["confusion"] is None
    assert "true" not in page["examples"]
    assert (np.diff(page["examples"]["sure"]) >= 0).all()


def test_a_class_the_model_never_saw_is_a_mistake(of_classes, write):
    y = of_classes.y.copy()
    y[7] = 9
    written = write(of_classes.model, of_classes.X, y)
    page = written.parsed.block("page")
    assert page["labels"] == ["0", "1", "9"]
    place = written.listed().index(7)
    assert page["labels"][page["examples"]["true"][place]] == "9"
    assert "log loss" not in headline(written)


def test_the_list_may_be_cut_but_metrics_are_of_all(of_classes, write):
    written = write(of_classes.model, of_classes.X, of_classes.y, max_examples=4, n_trees=2)
    page = written.parsed
    assert page.names("example-") == [f"example-{k}" for k in range(4)]
    assert written.listed() == of_classes.listed()[:4]
    assert page.block("page")["of"] == 30
    assert headline(written) == headline(of_classes)
    assert all(len(page.block(name)["paths"]) <= 2 for name in page.names("example-"))


def test_examples_and_vertices_have_the_names_they_are_given(write):
    X = some_graphs(4, feature_names=["charge", "mass"])
    model = small(gt.GraphTreeRegressor).fit(X, np.arange(4.0))
    page = write(model, X, names=list("abcd"), labels="charge", title="Atoms").parsed
    assert page.block("page")["examples"]["name"] == list("abcd")
    assert page.block("page")["title"] == "Atoms"
    wanted = [f"{value:.3g}" for value in X[0].features[:, 0]]
    assert page.block("example-0")["drawing"]["l"] == wanted
    page = write(model, X, labels=lambda graph: ["v"] * graph.n_vertices).parsed
    assert set(page.block("example-1")["drawing"]["l"]) == {"v"}


def test_vertices_and_edges_go_by_their_ends(write):
    graph = gt.Graph([[0.0], [1.0], [2.0]], [(0, 1), (1, 2)], vertex_names=["x", "y", "z"])
    model = small(gt.GraphTreeRegressor).fit(graph.vertices, [0.0, 1.0, 2.0])
    page = write(model, graph.vertices).parsed.block("page")
    assert page["examples"]["name"] == ["x", "y", "z"]
    two = gt.Graphs([graph, graph]).edges
    model = small(gt.GraphTreeRegressor).fit(two, np.arange(4.0))
    names = write(model, two).parsed.block("page")["examples"]["name"]
    assert names == ["x – y of graph 0", "y – z of graph 0", "x – y of graph 1", "y – z of graph 1"]


def test_one_output_of_several_is_shown(write):
    X, Y = some_graphs(12), np.random.default_rng(0).normal(size=(12, 3))
    model = small(gt.GraphForestRegressor).fit(X, Y)
    written = write(model, X, Y, class_=2)
    rows = written.parsed.block("page")["examples"]
    np.testing.assert_allclose(rows["true"], Y[written.listed(), 2], rtol=1e-3)
    np.testing.assert_allclose(rows["said"], model.predict(X)[written.listed(), 2], rtol=1e-3)
    with pytest.raises(ValueError, match="y has 1 outputs"):
        write(model, X, Y[:, 0])


def test_large_graphs_are_cut_and_large_trees_shown_along_the_way(write):
    X = [a_graph(30, seed=k, density=0.3) for k in range(50)]
    model = small(gt.GraphTreeRegressor, max_leaf_nodes=None)
    model.fit(X, np.random.default_rng(0).normal(size=50))
    page = write(model, X, max_vertices=8).parsed
    drawing = page.block("example-0")["drawing"]
    assert len(drawing["v"]) == 8
    assert drawing["size"][0] == 30
    tree = page.block("tree-0")
    assert not tree["whole"]
    visited = {
        node
        for name in page.names("example-")
        for path in page.block(name)["paths"]
        for node in (*(step["n"] for step in path["steps"]), path["leaf"])
    }
    assert {int(node) for node in tree["nodes"]} == visited


def test_many_importances_are_worked_out_in_parts(of_vertices, write, monkeypatch):
    monkeypatch.setattr("graphtrees.plot.report.examples.ROOM", 300)
    again = write(of_vertices.model, of_vertices.X, of_vertices.y)
    assert again.path.read_bytes() == of_vertices.path.read_bytes()


def test_a_relation_walked_backwards_is_said_to_be(write):
    edges, types = [(0, 1), (0, 2), (3, 1)], ["cites"] * 3
    graph = gt.Graph(None, edges, directed=True, edge_types=types)
    model = small(gt.GraphTreeRegressor, operators=("reverse:cites",), max_walk_length=1)
    model.fit(graph.vertices, [3.0, 0.0, 0.0, 1.0])
    page = write(model, graph.vertices).parsed
    questions = [
        node["q"]
        for name in page.names("tree-")
        for node in page.block(name)["nodes"].values()
        if "q" in node
    ]
    assert any("out-neighbours along cites" in question for question in questions), questions


def test_metrics_are_of_examples_that_were_not_seen_in_training(write):
    X, y = gt.Graphs(some_graphs(40)), np.arange(40) % 2
    model = gt.GraphTreeClassifier(random_state=0).fit(X[:25], y[:25])
    page = write(model, X, y).parsed.block("page")
    of_test = {m["name"]: m["value"] for m in page["metrics"]}
    of_training = {m["name"]: m["value"] for m in page["seen"]["metrics"]}
    assert of_test["accuracy"] == f"{100 * model.score(X[25:], y[25:]):.1f} %"
    assert of_training["accuracy"] == f"{100 * model.score(X[:25], y[:25]):.1f} %"
    assert of_test["accuracy"] != of_training["accuracy"]
    assert (page["seen"]["n"], page["seen"]["fresh"]) == (25, 15)
    assert page["examples"]["seen"] == [0] * 15 + [1] * 25
    assert sum(n for _, _, n in page["confusion"]) == 15
    assert write(model, X[25:], y[25:]).parsed.block("page")["seen"] is None
    assert write(model, X[:25], y[:25]).parsed.block("page")["seen"]["fresh"] == 0


def test_ids_stand_beside_the_examples(write):
    X, y = gt.Graphs(some_graphs(6)), np.arange(6) % 2
    model = gt.GraphTreeClassifier(random_state=0).fit(X, y)
    ids = {"smiles": [f"C{k}" for k in range(6)], "batch": range(6)}
    rows = write(model, X, y, ids=ids).parsed.block("page")["examples"]
    order = [int(name) for name in rows["name"]]
    assert rows["ids"] == [["smiles", [f"C{k}" for k in order]], ["batch", [str(k) for k in order]]]
    with pytest.raises(ValueError, match="ids: 'smiles' must have one entry for each of the 6"):
        write(model, X, y, ids={"smiles": ["C"]})


def test_leaves_of_many_classes_carry_their_class(of_vertices):
    parsed = of_vertices.parsed
    model = of_vertices.model
    assert len(model.classes_) == 3
    forest = gt.GraphForestClassifier(n_estimators=1, random_state=0).fit(
        of_vertices.X, of_vertices.y
    )
    told = describe_tree(forest._fitted, 0, set())
    for node, said in told["nodes"].items():
        if "says" in said:
            assert said["hue"] == forest._fitted.trees[0].value[node].argmax()
    for name in parsed.names("tree-"):  # one tree a class: a side, not a class
        assert all("hue" not in node for node in parsed.block(name)["nodes"].values())


def test_what_vertices_and_edges_add_is_in_the_drawing(of_classes):
    explanation = of_classes.model.explain(of_classes.X[of_classes.listed()[0]])
    drawing = of_classes.parsed.block("example-0")["drawing"]
    np.testing.assert_allclose(drawing["va"], explanation.vertex_attribution, rtol=5e-3)
    np.testing.assert_allclose(drawing["ea"], explanation.edge_attribution, rtol=5e-3)
    assert drawing["absence"] == pytest.approx(explanation.absence, rel=5e-3)
    largest = np.abs(explanation.vertex_attribution).max()
    share = 100 * np.abs(explanation.vertex_attribution) / largest
    np.testing.assert_allclose(drawing["vs"], share, atol=0.51)


def test_bonds_are_in_the_drawing_of_a_molecule(write):
    pytest.importorskip("rdkit")
    graphs = gt.from_smiles(["C=CC#N", "CCO", "c1ccccc1"])
    model = small(gt.GraphTreeRegressor).fit(graphs, [0.0, 1.0, 2.0])
    page = write(model, graphs).parsed
    drawing = page.block("example-0")["drawing"]
    assert drawing["bonds"] == [2.0, 1.0, 3.0]
    assert drawing["l"] == ["C", "C", "C", "N"]
    assert page.block("example-2")["drawing"]["bonds"] == [1.5] * 6


def beside(written, name):
    [note] = [m["note"] for m in written.parsed.block("page")["metrics"] if m["name"] == name]
    return note


ONE_ANSWER = {
    "tree": gt.GraphTreeRegressor(),
    "forest": gt.GraphForestRegressor(3, random_state=0),
    "boosting": gt.GraphBoostingRegressor(2, min_samples_leaf=1, early_stopping=True),
    "median": gt.GraphBoostingRegressor(2, min_samples_leaf=1, loss="absolute_error"),
}


@pytest.mark.parametrize("model", ONE_ANSWER.values(), ids=ONE_ANSWER)
def test_one_answer_for_numbers_is_the_mean_of_training(write, model):
    X, y = some_graphs(30), np.arange(30.0) ** 2
    written = write(model.fit(X[:20], y[:20]), X[20:], y[20:])
    rmse = np.sqrt(np.mean((y[20:] - y[:20].mean()) ** 2))
    assert beside(written, "RMSE") == f"always the mean of training: {rmse:.4g}"


@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_one_answer_for_classes_is_the_most_frequent_of_training(write, balanced):
    """Of twenty in training twelve are "a"; of the ten others two."""
    X, y = some_graphs(30), np.array(["a"] * 12 + ["b"] * 8 + ["a"] * 2 + ["b"] * 8)
    model = gt.GraphBoostingClassifier(2, min_samples_leaf=1, class_weight=balanced)
    written = write(model.fit(X[:20], y[:20]), X[20:], y[20:])
    assert beside(written, "accuracy") == "always a: 20.0 %"


def test_a_model_that_is_read_again_knows_the_mean_of_its_training(write, tmp_path):
    X, y = some_graphs(30), np.arange(30.0) ** 2
    for model in (gt.GraphTreeRegressor(), gt.GraphBoostingRegressor(2, min_samples_leaf=1)):
        model.fit(X[:20], y[:20]).save(tmp_path / "model.json")
        again = gt.load_model(tmp_path / "model.json")
        told = [beside(write(one, X[20:], y[20:]), "RMSE") for one in (model, again)]
        assert told[0] == told[1]
    forest = gt.GraphForestRegressor(3).fit(X[:20], y[:20])
    forest.save(tmp_path / "model.json")
    note = beside(write(gt.load_model(tmp_path / "model.json"), X[20:], y[20:]), "RMSE")
    assert note == f"always the mean: {y[20:].std():.4g}"


@pytest.mark.parametrize("read_again", [False, True])
def test_an_ensemble_is_compared_with_the_answer_of_its_training(write, tmp_path, read_again):
    X = gt.Graphs(some_graphs(40))
    y = np.arange(40.0) ** 2
    model = gt.AutoGraphRegressor(recipes=["table"], cv=2, random_state=0).fit(X[:30], y[:30])
    if read_again:
        model.save(tmp_path / "model.json")
        model = gt.load_model(tmp_path / "model.json")
    assert len(model.members_) == 1
    rmse = np.sqrt(((y[30:] - y[:30].mean()) ** 2).mean())
    note = beside(write(model, X[30:], y[30:]), "RMSE")
    assert note == f"always the mean of training: {rmse:.4g}"
