"""benchmarks/alternating_walks.py compares what it says it compares."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import graphtrees as gt

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def walks(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("alternating_walks")


def test_an_alternating_relation_counts_walks_of_one_step_along_each(walks):
    path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)], edge_types=["red", "blue", "red"])
    walked = walks.with_two_steps(gt.Graphs([path, path]))
    assert walked.mixed == ("blue.red", "red.blue")
    second = walked.X[1]
    column = second.edge_features[:, [*walked.within, *walked.mixed].index("red.blue")]
    # A_red·A_blue: into a vertex by a red edge, after a blue one.
    assert set(map(tuple, second.edge_index[:, column > 0].T.tolist())) == {(2, 0), (1, 3)}
    assert column.sum() == 2


@pytest.mark.parametrize("probability", [0.25, 1.0])
def test_without_the_alternating_walks_it_is_the_model_with_walks_of_two_steps(walks, probability):
    task = walks.made_up(n_graphs=60, n_vertices=8)
    walked = walks.with_two_steps(task.X)
    settings = {"n_estimators": 8, "walk_type_probability": probability, "random_state": 0}
    plain = gt.GraphBoostingClassifier(
        max_walk_length=2, operators=("adjacency", "relations"), **settings
    ).fit(task.X, task.y)
    columns = gt.GraphBoostingClassifier(
        max_walk_length=1, operators=walked.within, **settings
    ).fit(walked.X, task.y)
    np.testing.assert_array_equal(
        plain.decision_function(task.X), columns.decision_function(walked.X)
    )


def test_the_table_has_scores_and_paired_differences(walks):
    results = {
        "molecules": {
            "adjacency": {"0": [0.5, 0.7], "1": [0.6, 0.6]},
            "relations": {"0": [0.6, 0.8], "1": [0.7, 0.5]},
        }
    }
    assert walks.as_markdown(results).splitlines()[2:] == [
        "| molecules | adjacency | 0.6000 ± 0.0816 | 4 |",
        "| molecules | relations | 0.6500 ± 0.1291 | 4 |",
        "| molecules | relations less adjacency | +0.0500 ± 0.1000 | higher in 3 of 4 |",
    ]
