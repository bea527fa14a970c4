"""Trees as pictures: asserted on the Axes, never on pixels."""

import itertools

import numpy as np
import pytest
from builders import some_graphs
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from models import SIX, name_of, small

import graphtrees as gt
from graphtrees.plot import plot_tree


@pytest.fixture(scope="module")
def red():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=300, n_vertices=20, random_state=0)
    return gt.GraphBoostingClassifier(n_estimators=2, random_state=0).fit(data.X, data.y)


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def arrows(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_every_node_has_a_box(kind):
    model = small(kind).fit(some_graphs(12), np.arange(12) % 3)
    tree = model._fitted.trees[0]
    ax = plot_tree(model)
    assert len(boxes(ax)) == tree.n_nodes
    said = [text.splitlines()[0] for text in texts(ax) if text.startswith(("node ", "leaf "))]
    wanted = [f"{'leaf' if leaf else 'node'} {k}" for k, leaf in enumerate(tree.is_leaf)]
    assert sorted(said) == sorted(wanted)
    n_splits = int((~tree.is_leaf).sum())
    assert texts(ax).count("no") == texts(ax).count("yes") == n_splits


def test_pointers_are_dashed_arrows_with_their_sign(red):
    tree = red._fitted.trees[0]
    ax = plot_tree(red)
    signs = tree.sign[~tree.is_leaf]
    assert (signs != 0).any()
    assert len(arrows(ax)) == (signs != 0).sum()
    assert all(arrow.get_linestyle() != "-" for arrow in arrows(ax))
    assert texts(ax).count("S+") == (signs == 1).sum()
    assert texts(ax).count("S-") == (signs == 2).sum()


def test_the_two_kinds_of_subsets_are_explained_below(red):
    legend = [text for text in texts(plot_tree(red)) if "of a node: " in text]
    assert legend == [
        "S+ of a node: the vertices above its threshold",
        "S- of a node: the others of the vertices it used",
    ]
    alone = gt.GraphTreeRegressor(max_ancestor_distance=0).fit(some_graphs(8), np.arange(8.0))
    assert not [text for text in texts(plot_tree(alone)) if "of a node: " in text]


def crosses(start, end, span) -> bool:
    """Whether a line from start to end enters the inside of a box."""
    for t in np.linspace(0.02, 0.98, 60):
        x, y = start + t * (end - start)
        if span[0] + 0.1 < x < span[2] - 0.1 and span[1] + 0.1 < y < span[3] - 0.1:
            return True
    return False


@pytest.mark.parametrize("seed", range(6))
def test_dashed_arrows_cross_no_box_and_stay_in_the_picture(seed):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=120, n_vertices=12, random_state=seed)
    y = np.random.default_rng(seed).integers(0, 4, 120)
    model = gt.GraphTreeClassifier(max_leaf_nodes=14, max_ancestor_distance=4, random_state=0)
    ax = plot_tree(model.fit(data.X, y))
    spans = [box.get_bbox().extents for box in boxes(ax)]
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    assert arrows(ax)
    for arrow in arrows(ax):
        points = arrow._path_original.vertices
        assert (points[:, 0] > left).all()
        assert (points[:, 0] < right).all()
        assert (points[:, 1] > low).all()
        assert (points[:, 1] < high).all()
        for start, end in itertools.pairwise(points):
            assert not any(crosses(start, end, span) for span in spans)


def test_leaves_of_many_classes_have_a_colour_for_each():
    X = gt.Graphs([gt.Graph([[float(k % 4)]], []) for k in range(40)])
    model = gt.GraphTreeClassifier().fit(X, [f"class {k % 4}" for k in range(40)])
    ax = plot_tree(model)
    said = [text for text in texts(ax) if text.startswith("leaf ")]
    fills = [box.get_facecolor() for box in boxes(ax) if box.get_facecolor()[:3] != (1, 1, 1)]
    assert len(said) == 4
    assert len(set(fills)) == 4


def test_one_example_is_not_one_examples():
    X = gt.Graphs([gt.Graph([[float(k > 0)]], []) for k in range(5)])
    ax = plot_tree(gt.GraphTreeRegressor().fit(X, [9.0, 0.0, 0.0, 0.0, 0.0]))
    assert any(text.endswith("\n1 example") for text in texts(ax))
    assert not any("1 examples" in text for text in texts(ax))


def test_a_tree_goes_by_the_name_of_lightgbm_too(red):
    assert texts(plot_tree(red, tree_index=1)) == texts(plot_tree(red, tree=1))
    assert texts(plot_tree(red, tree_index=1)) != texts(plot_tree(red))
    with pytest.raises(IndexError, match="tree_index must be a number below 2; got 2"):
        plot_tree(red, tree_index=2)


def test_a_box_asks_in_words_with_the_threshold(red):
    ax = plot_tree(red)
    for text in texts(ax):
        if text.startswith("node "):
            node = int(text.split()[1])
            assert f">\u00a0{red._fitted.trees[0].threshold[node]:.4g}\u00a0?" in text
            assert f"{red._fitted.trees[0].n_samples[node]} examples" in text
    assert any("red" in text for text in texts(ax))
    assert ax.get_title() == "tree 0, for class 1"


def test_leaves_show_what_they_say():
    X = some_graphs(12)
    shares = gt.GraphTreeClassifier(max_leaf_nodes=2, min_samples_leaf=4)
    shares.fit(X, np.where(np.arange(12) % 2, "yes", "no"))
    said = "\n".join(text for text in texts(plot_tree(shares)) if text.startswith("leaf"))
    assert "yes: " in said
    assert "%" in said
    numbers = gt.GraphTreeRegressor(max_leaf_nodes=2).fit(X, np.r_[np.zeros(6), np.full(6, 2.5)])
    said = "\n".join(text for text in texts(plot_tree(numbers)) if text.startswith("leaf"))
    assert f"{numbers._fitted.trees[0].n_samples[1]} examples" in said


def test_boxes_never_overlap():
    for seed in range(4):
        X = some_graphs(40, seed=seed)
        model = gt.GraphTreeRegressor(random_state=0).fit(
            X, np.random.default_rng(seed).normal(size=40)
        )
        spans = [box.get_bbox().extents for box in boxes(plot_tree(model))]
        for k, (left, low, right, high) in enumerate(spans):
            for a, b, c, d in spans[k + 1 :]:
                assert right < a or c < left or high < b or d < low


def test_texts_stay_inside_their_boxes(red):
    ax = plot_tree(red)
    ax.figure.canvas.draw()
    inside = {box.get_bbox().bounds: box.get_window_extent() for box in boxes(ax)}
    for text in ax.texts:
        if text.get_text().startswith(("node ", "leaf ")):
            extent = text.get_window_extent()
            assert any(
                box.x0 - 1 <= extent.x0 and extent.x1 <= box.x1 + 1
                and box.y0 - 1 <= extent.y0 and extent.y1 <= box.y1 + 1
                for box in inside.values()
            )  # fmt: skip


def test_children_stand_below_their_parents_left_before_right(red):
    ax = plot_tree(red)
    place = {
        int(text.get_text().split()[1]): text.get_position()
        for text in ax.texts
        if text.get_text().startswith(("node ", "leaf "))
    }
    tree = red._fitted.trees[0]
    for node in np.flatnonzero(~tree.is_leaf):
        left, right = place[int(tree.left[node])], place[int(tree.right[node])]
        assert left[0] < place[node][0] < right[0]
        assert left[1] == right[1] or max(left[1], right[1]) < place[node][1]


def test_a_given_axes_is_filled_with_smaller_letters(red, pyplot):
    _, ax = pyplot.subplots(figsize=(4, 3))
    assert plot_tree(red, ax=ax) is ax
    assert max(text.get_fontsize() for text in ax.texts) < 9


def test_deep_trees_can_be_cut(red):
    whole, cut = plot_tree(red), plot_tree(red, max_depth=1)
    assert len(boxes(cut)) == 3 < len(boxes(whole))
    assert any(text.endswith("…") for text in texts(cut))
    assert len(boxes(plot_tree(red, max_depth=0))) == 1


def test_a_tree_that_is_one_leaf_is_drawn():
    model = gt.GraphTreeRegressor(min_samples_leaf=6).fit(some_graphs(6), np.arange(6.0))
    assert len(boxes(plot_tree(model))) == 1


def test_hostile_names_are_drawn_as_they_are():
    X = [
        gt.Graph([[float(k)]], [], feature_names=[r"$\alpha_{bad} \foo$ <script>"])
        for k in range(8)
    ]
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, add_constant=False).fit(X, np.arange(8.0))
    ax = plot_tree(model)
    ax.figure.canvas.draw()
    assert any("<script>" in text for text in texts(ax))


def test_bad_numbers_are_refused_in_words(red):
    with pytest.raises(IndexError, match="tree must be a number below 2; got 2"):
        plot_tree(red, tree=2)
    with pytest.raises(
        ValueError, match="max_depth must be None or an integer of at least 0; got -1"
    ):
        plot_tree(red, max_depth=-1)
