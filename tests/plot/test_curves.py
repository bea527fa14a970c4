"""Bars and curves: asserted on the Axes, never on pixels."""

import numpy as np
import pytest
from builders import some_graphs
from models import small

import graphtrees as gt
from graphtrees.explain import importance
from graphtrees.plot import plot_importance, plot_metric


@pytest.fixture(scope="module")
def boosted():
    X, y = some_graphs(20), np.arange(20) % 2
    model = small(gt.GraphBoostingClassifier, n_estimators=6)
    return model.fit(X, y, eval_set={"<held out>": (X[:5], y[:5])})


@pytest.mark.parametrize("by", ["feature", "walk_length", "question"])
def test_a_bar_for_every_share_the_largest_on_top(boosted, by):
    ax = plot_importance(boosted, by=by, max_bars=100)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == pytest.approx(list(importance(boosted, by=by).values()))
    low, high = ax.get_ylim()
    assert low > high
    names = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert names == list(importance(boosted, by=by))


def test_the_rest_is_summed_up(boosted):
    shares = list(importance(boosted, by="question").values())
    ax = plot_importance(boosted, by="question", max_bars=2)
    assert ax.patches[2].get_width() == pytest.approx(sum(shares[2:]))
    assert ax.get_yticklabels()[2].get_text() == f"{len(shares) - 2} others"


def test_splits_are_named_as_such(boosted):
    assert plot_importance(boosted, kind="splits").get_xlabel() == "share of the splits"


def test_a_curve_for_every_set(boosted):
    ax = plot_metric(boosted)
    labels = [line.get_label() for line in ax.lines]
    assert labels[:2] == ["train", "<held out>"]
    for line in ax.lines[:2]:
        scores = boosted.evals_result_[line.get_label()]["loss"]
        np.testing.assert_array_equal(line.get_ydata(), scores)
        assert line.get_xdata().tolist() == list(range(1, 7))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round", "loss")


def test_the_best_round_is_marked_on_the_curve_it_was_chosen_by(boosted):
    ax = plot_metric(boosted)
    (mark,) = (line for line in ax.lines if line.get_label().startswith("best: round "))
    best = boosted.best_iteration_
    score = boosted.evals_result_["<held out>"]["loss"][best]
    assert mark.get_label() == f"best: round {best + 1}, {score:.4g}"
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (best + 1, score)
    assert f"best: round {best + 1}" in ax.get_legend().get_texts()[-1].get_text()


def test_importance_type_is_another_name_for_kind(boosted):
    widths = [
        [bar.get_width() for bar in plot_importance(boosted, **given).patches]
        for given in ({"kind": "splits"}, {"kind": "split"}, {"importance_type": "split"})
    ]
    assert widths[0] == widths[1] == widths[2]
    with pytest.raises(ValueError, match="mean the same; got 'gain' and 'split'"):
        plot_importance(boosted, kind="gain", importance_type="split")


def test_early_stopping_marks_the_best_round():
    X, y = some_graphs(30), np.arange(30) % 2
    model = small(
        gt.GraphBoostingClassifier, n_estimators=20, early_stopping=True, n_iter_no_change=2
    )
    ax = plot_metric(model.fit(X, y))
    assert ax.lines[-1].get_xdata()[0] == model.n_iter_


def test_axes_go_in_and_come_out(boosted, pyplot):
    _, (left, right) = pyplot.subplots(1, 2)
    assert plot_importance(boosted, ax=left) is left
    assert plot_metric(boosted, ax=right) is right


def test_what_cannot_be_drawn_is_refused_in_words(boosted):
    with pytest.raises(ValueError, match="metric must be one of loss; got 'auc'"):
        plot_metric(boosted, metric="auc")
    with pytest.raises(
        ValueError, match="has no evals_result_: plot_metric is for fitted boosting"
    ):
        plot_metric(small(gt.GraphTreeRegressor).fit(some_graphs(6), np.arange(6.0)))
    with pytest.raises(ValueError, match="max_bars must be an integer of at least 1; got 0"):
        plot_importance(boosted, max_bars=0)


def test_the_number_of_bars_goes_by_the_name_of_lightgbm_too():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=10, random_state=0)
    model = gt.GraphBoostingClassifier(5, random_state=0).fit(data.X, data.y)
    drawn = [len(gt.plot_importance(model, "question", **{name: 2}).patches)
             for name in ("max_bars", "max_num_features")]  # fmt: skip
    assert drawn == [3, 3]
