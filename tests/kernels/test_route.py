"""`route` leads where asking one question after the other leads."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router
from graphtrees.trees.training_data import TrainingData
from graphtrees.trees.tree import Tree
from kernels.builders import (
    ALONE,
    KINDS,
    Kind,
    a_batch,
    a_tree,
    ask,
    graphs_of_examples,
    some_data,
    some_graphs,
)
from kernels.twins import answers

NOBODY = np.empty(0, np.uint8)


def step_by_step(data: TrainingData, tree: Tree, example: int) -> int:
    """The leaf of one example, one question after the other."""
    batch, node, made = data.batch, 0, {}
    graphs = graphs_of_examples(data)[[example]]
    rows = answers.vertices_of(graphs[0], batch.vertex_ptr)
    while tree.left[node] >= 0:
        want, walk_type = int(tree.sign[node]), int(tree.walk_type[node])
        codes = made[tree.pointer[node]] if want else NOBODY
        z = ask(
            data, graphs, int(tree.column[node]), int(tree.operator[node]),
            int(tree.walk_length[node]), walk_type, codes, want,
        )  # fmt: skip
        aggregator, threshold = int(tree.aggregator[node]), tree.threshold[node]
        inside = answers.inside_of(codes[rows], want, rows.stop - rows.start)
        if aggregator < 0:
            phi = z[data.vertices[example]]
        else:
            phi = answers.aggregate(z[rows], inside, walk_type, aggregator)
        made[node] = np.zeros(batch.n_vertices, np.uint8)
        made[node][rows] = answers.subsets_of(
            z[rows], inside, aggregator, threshold, tree.missing_left[node]
        )
        goes_left = tree.missing_left[node] if np.isnan(phi) else phi <= threshold
        node = tree.left[node] if goes_left else tree.right[node]
    return node


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("of_graphs", [True, False], ids=["graphs", "vertices"])
@pytest.mark.parametrize("lane_major", [True, False], ids=["lane by lane", "vertex by vertex"])
def test_route_leads_where_one_question_after_the_other_leads(kind: Kind, of_graphs, lane_major):
    data, rng = some_data(kind, of_graphs), np.random.default_rng(3)
    trees = [a_tree(rng, data, depth=4) for _ in range(8)]
    router = Router(a_batch(some_graphs(kind), kind, lane_major), data.vertices, ALONE)
    said = router.leaves(PackedTrees(tuple(trees)))
    wanted = [[step_by_step(data, tree, e) for tree in trees] for e in range(data.n_examples)]
    np.testing.assert_array_equal(said, wanted)
    if kind.filled == 1 and data.batch.n_columns:
        assert (said != said[0]).any(), "examples go different ways"
