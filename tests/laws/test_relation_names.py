"""What a relation is called changes nothing: its name is either kept as it is, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from models import small
from pandas.testing import assert_frame_equal

import graphtrees as gt
from graphtrees.questions.operator_name import EVERY_RELATION, PLAIN, OperatorName
from graphtrees.questions.operators import expand_operators

FORMS = ("", "reverse:", "mean:")
FREE = ("reversed", "reverse_", "meaning", "mean ", "a:b", ":", "", " ", "échange", "→", "0", "x'")
TAKEN = (*PLAIN, *EVERY_RELATION, "mean:x", "reverse:x", "reverse:", "mean:adjacency")
few = settings(max_examples=40, deadline=None)


def graphs(relation: str, directed: bool = True, n_graphs: int = 12) -> list[gt.Graph]:
    """Graphs of two relations, of which one has the name asked for."""
    rng = np.random.default_rng(0)
    made = []
    for _ in range(n_graphs):
        n = int(rng.integers(2, 7))
        edges = rng.integers(0, n, (2 * n, 2))
        types = np.where(rng.random(2 * n) < 0.6, relation, "zz another").astype(object)
        made.append(gt.Graph(rng.normal(size=(n, 1)), edges, directed=directed, edge_types=types))
    return made


def arriving(graph: gt.Graph, relation: str) -> np.ndarray:
    """What comes to each vertex along the edges of a relation, forwards."""
    source, target = graph.edge_index[:, graph.edge_types == relation]
    return np.bincount(target, graph.features[source, 0], graph.n_vertices)


def fitted(relation: str, forms: tuple[str, ...], directed: bool = True):
    X = gt.Graphs(graphs(relation, directed)).vertices
    y = np.concatenate([arriving(graph, relation) for graph in X.graphs])
    model = small(gt.GraphTreeRegressor, operators=tuple(form + relation for form in forms))
    return model.fit(X, y), X


def assert_same_but_for_the_name(relation: str, forms: tuple[str, ...], directed: bool) -> None:
    model, X = fitted(relation, forms, directed)
    plain, other = fitted("road", forms, directed)
    named = {form + "road": form + relation for form in FORMS}
    frame = plain.trees_to_dataframe().replace({"operator": named})
    assert_frame_equal(model.trees_to_dataframe(), frame, check_exact=True)
    assert (model.trees_to_dataframe()["walk_length"] > 0).any()
    np.testing.assert_array_equal(model.predict(X), plain.predict(other))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("forms", [("",), FORMS], ids=["forwards", "every form"])
@pytest.mark.parametrize("relation", FREE)
def test_a_relation_is_walked_alike_whatever_its_name(relation, forms, directed):
    assert_same_but_for_the_name(relation, forms, directed)


@pytest.mark.parametrize("relation", TAKEN)
def test_a_name_with_another_meaning_is_refused_and_not_taken_for_it(relation):
    X = gt.Graphs(graphs(relation))
    refused = pytest.raises(ValueError, match=f"a relation is named {relation!r}, which means")
    with refused:
        small(gt.GraphTreeRegressor, operators=("relations",)).fit(X, np.arange(12.0))
    if relation not in (*PLAIN, *EVERY_RELATION, "mean:adjacency"):
        with refused:
            small(gt.GraphTreeRegressor, operators=(relation,)).fit(X, np.arange(12.0))


@few
@given(relation=st.text(max_size=8), form=st.sampled_from(FORMS))
@example("reverse", "")
@example("reversed", "")
@example("reverse:", "reverse:")
@example("mean:x", "mean:")
@example("relations", "reverse:")
def test_a_name_is_read_back_as_it_was_written_or_refused(relation, form):
    if relation in TAKEN or OperatorName.parse(relation) != OperatorName("", relation):
        with pytest.raises(ValueError, match="a relation is named"):
            expand_operators(("relations",), gt.Graphs(graphs(relation)).flat)
        return
    name = OperatorName.parse(form + relation)
    assert name == OperatorName(form.removesuffix(":"), relation)
    assert OperatorName.parse(str(name)) == name


def test_an_explanation_of_a_relation_called_reversed_goes_along_its_edges():
    edges, types = [(0, 1), (2, 1)], ["reversed", "other"]
    X = [gt.Graph([[a], [0.0], [b]], edges, True, edge_types=types) for a in (0, 1) for b in (0, 1)]
    model = gt.GraphTreeRegressor(
        operators=("reversed",), aggregators=("max",), max_walk_length=1, add_constant=False,
        max_ancestor_distance=0, max_depth=1,
    ).fit(gt.Graphs(X).vertices[[1, 4, 7, 10]], [0.0, 0.0, 1.0, 1.0])  # fmt: skip
    assert model.trees_to_dataframe()["operator"][0] == "reversed"
    np.testing.assert_array_equal(model.predict(gt.Graphs(X).vertices[[1, 4, 7, 10]]), [0, 0, 1, 1])
    told = model.explain(X[2].vertices[1])
    assert told.edge_importance[0] > told.edge_importance[1]
    assert "neighbours along reversed" in " ".join(told.rules())


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("relation", ["reversed", "a:b", ""])
def test_a_model_of_any_relation_is_saved_and_read_back(relation, directed, tmp_path):
    model, X = fitted(relation, FORMS[1:], directed)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_two_types_that_read_alike_are_told_apart_or_refused():
    graph = gt.Graph(None, [(0, 1), (1, 2)], edge_types=[1, "1"])
    with pytest.raises(ValueError, match="two relations are named '1'"):
        gt.GraphTreeRegressor(operators=("1",)).fit(graph.vertices, [0.0, 1.0, 2.0])
