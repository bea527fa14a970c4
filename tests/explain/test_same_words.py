"""A question is put in the same words wherever people read it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import graphtrees as gt

pytest.importorskip("matplotlib")


def some_graphs(both_ways: bool, weighted: bool) -> gt.Graphs:
    """Directed graphs of six vertices with one feature."""
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(30):
        pairs = np.argwhere(np.triu(rng.random((6, 6)) < 0.5, 1))
        edges = np.vstack([pairs, pairs[:, ::-1]]) if both_ways else pairs
        drawn = rng.integers(1, 4, len(pairs))
        weights = np.tile(drawn, 1 + both_ways) if weighted else None
        features = rng.integers(0, 5, (6, 1))
        graphs.append(
            gt.Graph(features, edges, directed=True, edge_weights=weights, feature_names=["size"])
        )
    return gt.Graphs(graphs)


def words_of_rules(model, example) -> dict[int, str]:
    path = model.explain(example).path(0)
    return {step.node: step.question for step in path.steps}


def words_of_text(model) -> dict[int, str]:
    found = re.findall(r"node (\d+): (.*) <= ", gt.export_text(model, max_depth=None))
    return {int(node): question for node, question in found}


def words_of_picture(model) -> dict[int, str]:
    axes = gt.plot_tree(model)
    lines = [text.get_text().replace("-\n", "-").replace("\n", " ") for text in axes.texts]
    texts = [line.replace("\xa0", " ") for line in lines]
    found = [re.match(r"node (\d+) (.*) > \S+ \?", text) for text in texts]
    return {int(one[1]): one[2] for one in found if one}


def words_of_report(model, X, y, folder) -> dict[int, str]:
    page = model.report(X, y, folder / "report.html").read_text()
    block = re.search(r'id="tree-0">(.*?)</script>', page)[1]
    nodes = json.loads(block)["nodes"]
    return {int(node): one["q"] for node, one in nodes.items() if "q" in one}


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("both_ways", [False, True], ids=["one way", "both ways"])
def test_rules_text_picture_and_report_put_questions_in_the_same_words(
    both_ways, weighted, tmp_path
):
    X = some_graphs(both_ways, weighted)
    y = np.array([graph.adjacency().sum() + graph.features.sum() for graph in X])
    model = gt.GraphTreeRegressor(max_leaf_nodes=6, random_state=0).fit(X, y)
    text = words_of_text(model)
    assert words_of_picture(model) == text
    assert words_of_report(model, X, y, tmp_path) == text
    followed = {node: words for graph in X for node, words in words_of_rules(model, graph).items()}
    assert followed == text
    walked = [words for words in text.values() if "neighbours" in words]
    assert walked
    for words in walked:
        assert ("in-neighbours" in words) is not both_ways
        assert ("weighted" in words) is weighted


def test_the_table_of_nodes_names_features_and_operators_as_the_words_do():
    X = some_graphs(both_ways=False, weighted=False)
    y = np.array([graph.adjacency()[0].sum() + graph.features.sum() for graph in X])
    operators = ("adjacency", "reverse")
    model = gt.GraphTreeRegressor(max_leaf_nodes=8, operators=operators).fit(X, y)
    table, text = model.trees_to_dataframe().query("left >= 0"), words_of_text(model)
    assert sorted(text) == table["node"].tolist()
    for row in table.itertuples():
        words = text[row.node]
        assert ("size" in words) is (row.feature == "size")
        if row.walk_length == 1 and row.walk_type != "cycle":
            way = "in-neighbours" if row.operator == "adjacency" else "out-neighbours"
            assert way in words
