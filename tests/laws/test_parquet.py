"""What is written to Parquet files is read back, whatever graphs are and however they are cut."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from parquet_files import assert_same
from strategies import a_graph, busy_graphs, classes, related_graphs, some_graphs

import graphtrees as gt

ROWS_PER_FILE = st.sampled_from((1, 2, 3, 100))
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=4)
LABELS = (
    TEXTS | st.integers(-(2**70), 2**70) | st.booleans() | st.dates() | st.binary(max_size=3)
    | st.floats(allow_nan=False) | st.tuples(TEXTS, st.integers())
)  # fmt: skip


def written_and_read(graphs: gt.Graphs, rows_per_file: int) -> tuple[gt.Graphs, list[gt.Graphs]]:
    """All graphs at once, and file by file."""
    with tempfile.TemporaryDirectory() as folder:
        files = gt.scan_parquet(graphs.to_parquet(Path(folder, "graphs"), rows_per_file))
        return files.read_all(), [files.read(k) for k in range(files.n_files)]


def assert_kept(graphs: gt.Graphs, rows_per_file: int) -> None:
    whole, parts = written_and_read(graphs, rows_per_file)
    assert_same(whole, graphs)
    for k, part in enumerate(parts):
        assert_same(part, graphs[k * rows_per_file : (k + 1) * rows_per_file])


@given(some_graphs(min_size=0), ROWS_PER_FILE)
def test_graphs_are_read_back_as_they_were(graphs, rows_per_file):
    assert_kept(gt.Graphs(graphs), rows_per_file)


@settings(max_examples=50)
@given(related_graphs(), ROWS_PER_FILE, st.data())
def test_types_categories_and_features_of_edges_are_read_back(graphs, rows_per_file, data):
    kept = data.draw(st.lists(st.integers(0, len(graphs) - 1), max_size=6))
    assert_kept(gt.Graphs(graphs), rows_per_file)
    assert_kept(gt.Graphs(graphs)[kept], rows_per_file)


@given(st.lists(a_graph(n_features=3), min_size=1, max_size=5), ROWS_PER_FILE, st.data())
def test_precision_names_and_sparse_matrices_are_read_back(graphs, rows_per_file, data):
    names = data.draw(st.none() | st.lists(TEXTS, min_size=3, max_size=3, unique=True))
    form = data.draw(st.sampled_from((np.float32, np.float64, sp.csr_array)))
    made = [
        gt.Graph(
            form(g.features) if form is sp.csr_array else g.features.astype(form),
            g.edge_index.T,
            feature_names=names,
        )
        for g in graphs
    ]
    assert_kept(gt.Graphs(made), rows_per_file)


@given(st.lists(st.none() | LABELS, min_size=1, max_size=6), ROWS_PER_FILE, st.booleans())
def test_labels_of_any_kind_are_read_back(values, rows_per_file, are_categories):
    known = list(dict.fromkeys(value for value in values if value is not None))
    codes = [np.nan if value is None else known.index(value) for value in values]
    n = len(values)
    graphs = gt.Graphs.from_flat(
        vertex_ptr=np.arange(n + 1), edge_ptr=np.arange(n + 1), edges=np.zeros((2, n), int),
        features=np.array(codes)[:, None],
        categories={0: known},
        feature_names=["label"] if are_categories else None,
        edge_types=["none" if value is None else value for value in values],
        vertex_names=values,
    )  # fmt: skip
    assert_kept(graphs, rows_per_file)


@given(some_graphs(min_size=1), ROWS_PER_FILE, st.data())
def test_features_of_graphs_are_read_back(graphs, rows_per_file, data):
    few = st.sampled_from((0.5, -1.0, np.nan))
    n = len(graphs)
    table = pd.DataFrame({
        "mass": data.draw(st.lists(few, min_size=n, max_size=n)),
        "assay": pd.Categorical(data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))),
    })  # fmt: skip
    assert_kept(gt.Graphs(graphs, graph_features=table), rows_per_file)


@settings(max_examples=25)
@given(busy_graphs() | related_graphs(), ROWS_PER_FILE, st.data())
def test_a_model_of_what_was_read_is_the_same_to_the_byte(graphs, rows_per_file, data):
    graphs, y = gt.Graphs(graphs), data.draw(classes(len(graphs)))
    weights = np.linspace(0.5, 2, len(graphs))
    with tempfile.TemporaryDirectory() as folder:
        path = graphs.to_parquet(Path(folder, "g"), rows_per_file, y=y, sample_weight=weights)
        files = gt.scan_parquet(path)
        saved = []
        for X, labels, w in (
            (graphs, y, weights),
            (files.read_all(), files.labels(), files.weights()),
        ):
            model = gt.GraphBoostingClassifier(3, min_samples_leaf=1, random_state=0)
            model.fit(X, labels, sample_weight=w).save(Path(folder, "model.json"))
            saved.append(Path(folder, "model.json").read_bytes())
    assert saved[0] == saved[1]
