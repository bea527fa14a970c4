"""What features of whole graphs add is told apart from what vertices carry."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs

import graphtrees as gt
from graphtrees.explain import explain_many

N = 60


def a_task(about: str, values: np.ndarray, of_vertices: float = 0.0):
    """Numbers that go by MW and assay of the graph and, if wanted, by the feature a of vertices."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"MW": values, "assay": rng.choice(["A", "B"], N)})
    graphs = gt.Graphs(some_graphs(N, feature_names=["a", "b"]), graph_features=table)
    X = graphs if about == "graphs" else getattr(graphs, about)
    owner = np.arange(N) if about == "graphs" else X.graph_of
    y = (np.nan_to_num(values) > 2) * 4.0 + (table["assay"] == "B").to_numpy() * 2.0
    sums = np.array([g.features[:, 0].sum() for g in graphs])
    return X, y[owner] + of_vertices * sums[owner]


def weights() -> np.ndarray:
    """Some are 0 and some are missing: nothing that a vertex could have a part in."""
    values = np.arange(N) % 5.0
    values[::7] = np.nan
    return values


MODELS = (
    gt.GraphTreeRegressor(max_leaf_nodes=8),
    gt.GraphForestRegressor(5, random_state=0),
    gt.GraphBoostingRegressor(6, max_leaf_nodes=5, min_samples_leaf=2),
)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_what_graph_features_add_is_what_vertices_and_absence_lose(model, about):
    X, y = a_task(about, weights(), of_vertices=0.5)
    for e in explain_many(model.fit(X, y), X):
        own = e.without_graph_features()
        whole = sum(e.graph_attribution.values())
        assert set(e.graph_attribution) == {"MW", "assay"}
        total = own.vertex_attribution.sum() + own.absence + whole
        assert total == pytest.approx(e.raw_score - e.start, abs=1e-9)
        assert own.vertex_importance.sum() == pytest.approx(1.0)
        assert own.without_graph_features() is own


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_vertices_carry_nothing_where_only_graph_features_are_asked_about(about):
    X, y = a_task(about, weights())
    model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y)
    assert set(model.trees_to_dataframe()["feature"].dropna()) == {"MW", "assay"}
    painted = 0.0
    for e in explain_many(model, X):
        own = e.without_graph_features()
        assert not own.vertex_attribution.any()
        assert not own.edge_attribution.any()
        assert own.absence == 0.0
        assert np.ptp(own.vertex_importance) == pytest.approx(0.0)
        assert sum(e.graph_attribution.values()) == pytest.approx(e.raw_score - e.start, abs=1e-9)
        painted += np.abs(e.vertex_attribution).sum()
    assert painted > 0


def test_each_graph_feature_has_its_own_share():
    X, y = a_task("graphs", np.arange(N) % 5.0)
    model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y)
    e, table = model.explain(X[4]), model.trees_to_dataframe().set_index("node")
    node, added = 0, {"MW": 0.0, "assay": 0.0}
    for step in e.path(0).steps:
        child = table.loc[node, step.direction]
        added[table.loc[node, "feature"]] += table.loc[child, "value"] - table.loc[node, "value"]
        node = child
    assert e.graph_attribution == pytest.approx(added)


def test_pictures_write_it_below_and_colour_no_vertex_for_it():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = a_task("graphs", np.arange(N) % 5.0)
    e = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y).explain(X[4])
    ax = e.plot()
    assert e.graph_line().startswith("of the whole graph: MW +")
    assert "assay" in e.graph_line()
    assert e.graph_line() in "\n".join(text.get_text() for text in ax.texts)
    [painted] = [c.get_array() for c in ax.collections if c.get_array() is not None]
    assert len(painted) == X[4].n_vertices
    assert not np.asarray(painted).any()
    ax.figure.clear()


def test_many_graph_features_are_summed_up():
    X, y = a_task("graphs", np.arange(N) % 5.0)
    e = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y).explain(X[4])
    many = replace(e, graph_attribution={f"f{k}": float(k) for k in range(6)})
    assert many.graph_line() == "of the whole graph: f5 +5, f4 +4, f3 +3, 2 others +3"
    assert replace(e, graph_attribution={"f": 0.0}).graph_line() == ""


def test_the_report_and_notebooks_tell_it_apart(tmp_path):
    X, y = a_task("graphs", np.arange(N) % 5.0)
    model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(X, y)
    page = model.report(X, y, tmp_path / "r.html").read_text(encoding="utf-8")
    start = page.index('id="example-0"')
    block = page[page.index(">", start) + 1 : page.index("</script>", start)]
    drawing = json.loads(block)["drawing"]
    assert drawing["graph"].startswith("of the whole graph: ")
    assert not any(drawing["va"])
    e = model.explain(X[4])
    assert e.graph_line() in e._repr_html_()
    assert json.loads(json.dumps(e.to_dict()))["graph_attribution"] == e.graph_attribution


def test_an_ensemble_of_recipes_tells_it_too():
    X, y = a_task("graphs", np.arange(N) % 5.0)
    model = gt.AutoGraphRegressor(None, cv=3, recipes=("table", "walks"), random_state=0).fit(X, y)
    e = model.explain(X[4])
    own = e.without_graph_features()
    whole = sum(e.graph_attribution.values())
    assert whole != 0
    total = own.vertex_attribution.sum() + own.absence + whole
    assert total == pytest.approx(e.raw_score - e.start, abs=1e-9)
