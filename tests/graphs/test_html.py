"""What notebooks show."""

from __future__ import annotations

import numpy as np

import graphtrees as gt


def test_a_notebook_shows_names_from_the_data_as_text():
    names = ["<script>alert(1)</script>", "b"]
    g = gt.Graph(np.zeros((2, 2)), [(0, 1)], feature_names=names, edge_types=["<b>"])
    for shown in (g._repr_html_(), gt.Graphs([g, g])._repr_html_()):
        assert "<script>" not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
        assert "&lt;b&gt;" in shown


def test_a_notebook_shows_sizes_of_many_graphs():
    graphs = gt.Graphs([gt.Graph(None, [(0, 1)]), gt.Graph(None, [(0, 1), (1, 2), (2, 3)])])
    assert "6 (2 to 4, 3.0 on average)" in graphs._repr_html_()
    assert "0" in graphs[:0]._repr_html_()
