"""A fit after which no tree has a split says so, and why."""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytest
from boosting_tasks import classes, examples, numbers

import graphtrees as gt
from graphtrees.cli import main

X = examples("graphs", 12)
NO_SPLIT = "no tree has a split: the model predicts the same for every example. "
SIX = (
    gt.GraphTreeClassifier,
    gt.GraphTreeRegressor,
    gt.GraphForestClassifier,
    gt.GraphForestRegressor,
    gt.GraphBoostingClassifier,
    gt.GraphBoostingRegressor,
)


def labels(kind, X=X):
    return classes(X) if "Classifier" in kind.__name__ else numbers(X)


def few(kind, **given):
    return kind(**({} if "Tree" in kind.__name__ else {"n_estimators": 3}), **given)


@pytest.mark.parametrize("kind", SIX)
def test_too_few_examples_for_min_samples_leaf_are_told(kind):
    reason = (
        "min_samples_leaf=10 with 12 training examples is the reason: a split needs at least 20"
    )
    with pytest.warns(UserWarning, match=NO_SPLIT + reason) as caught:
        model = few(kind, min_samples_leaf=10).fit(X, labels(kind))
    assert [one.filename for one in caught] == [__file__]
    assert model.get_depth() == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert few(kind, min_samples_leaf=2).fit(X, labels(kind)).get_depth() > 0


def test_the_defaults_of_boosting_on_a_dozen_graphs_are_told():
    with pytest.warns(UserWarning, match="min_samples_leaf=10 with 12 training examples"):
        gt.GraphBoostingClassifier().fit(X, classes(X))


def test_subsample_is_part_of_the_reason():
    more = examples("graphs", 30)
    model = gt.GraphBoostingRegressor(2, subsample=0.5)
    with pytest.warns(
        UserWarning, match=r"with 15 training examples in each round \(subsample=0.5"
    ):
        model.fit(more, numbers(more))


@pytest.mark.parametrize("kind", SIX)
def test_constant_features_are_told(kind):
    y = np.arange(30) % 2
    with pytest.warns(UserWarning, match=NO_SPLIT + "Every feature is the same for all examples"):
        few(kind).fit(np.ones((30, 2)), y)


def test_equal_graphs_with_different_labels_are_told():
    twins = gt.Graphs([gt.Graph(None, [(0, 1)])] * 8)
    with pytest.warns(UserWarning, match=NO_SPLIT + "No question separates .*graphtrees.inspect"):
        gt.GraphTreeClassifier().fit(twins, np.arange(8) % 2)


def test_min_gain_and_a_constant_target_are_told():
    with pytest.warns(UserWarning, match=NO_SPLIT + r"min_gain=1e\+09 may be too large"):
        gt.GraphTreeRegressor(min_gain=1e9).fit(X, numbers(X))
    with pytest.warns(UserWarning, match=NO_SPLIT + "y is the same for every example"):
        gt.GraphTreeRegressor().fit(X, np.ones(12))


def test_a_linear_start_that_needs_no_trees_is_told_in_other_words():
    table = np.random.default_rng(0).normal(size=(60, 2))
    model = gt.GraphBoostingRegressor(3, init="linear", min_gain=1e9)
    text = r"the model predicts what it starts from \(init='linear'\) alone"
    with pytest.warns(UserWarning, match=text):
        model.fit(table, table[:, 0])
    assert len(np.unique(model.predict(table))) > 1


def test_a_tree_that_is_pruned_to_its_root_and_a_run_that_never_began_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gt.GraphTreeRegressor(ccp_alpha=1e9).fit(X, numbers(X))

        class Never:
            def before_round(self, state):
                return True

        gt.GraphBoostingRegressor(3).fit(X, numbers(X), callbacks=[Never()])


def test_auto_tells_it_of_the_models_that_are_kept_alone():
    with pytest.warns(UserWarning, match=NO_SPLIT) as caught:
        gt.AutoGraphRegressor(
            None, cv=3, recipes=("table", "walks"), random_state=0, n_jobs=1
        ).fit(X, numbers(X))  # fmt: skip
    assert {str(one.message).partition(" with ")[2][:20] for one in caught} == {
        "12 training examples"
    }


def test_the_command_line_notes_it(tmp_path, capsys):
    rows = "".join(f"{k},{k},{k % 3}.5\n" for k in range(12))
    (tmp_path / "vertices.csv").write_text("id,age,y\n" + rows)
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n")
    command = ["train", str(tmp_path), "--target", "y", "-o", str(tmp_path / "model.json")]
    assert main(command) == 0
    written = capsys.readouterr()
    assert "note: no tree has a split" in written.out + written.err


@pytest.mark.parametrize("kind", SIX)
def test_a_fit_never_changes_what_is_done_with_warnings(kind, monkeypatch):
    """That is one setting for all threads: two fits side by side would lose each other's."""
    users, enter = [], warnings.catch_warnings

    def watched(*given, **named):
        users.append(sys._getframe(1).f_globals["__name__"])
        return enter(*given, **named)

    model, table = few(kind, min_samples_leaf=1), np.ones((12, 2))
    monkeypatch.setattr(warnings, "catch_warnings", watched)
    with pytest.warns(UserWarning, match="Every feature is the same for all examples"):
        model.fit(table, np.arange(12) % 2)
    assert not [name for name in users if name.startswith("graphtrees")]
