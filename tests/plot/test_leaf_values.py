"""What a leaf says is the same wherever it is read: what is added to the prediction."""

import re

import pytest
from boosting_tasks import classes, examples, numbers

import graphtrees as gt
from graphtrees.questions.text import number

X = examples("graphs", 40)
EXPLAINED = 5


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.fixture(scope="module", params=[0.1, 0.5])
def boosted(request):
    """One round, so that a prediction less its start is what one leaf adds."""
    model = gt.GraphBoostingRegressor(
        1, learning_rate=request.param, max_leaf_nodes=3, min_samples_leaf=5
    )
    return model.fit(X, numbers(X))


def added(model) -> str:
    moved = model.predict(X[EXPLAINED : EXPLAINED + 1])[0] - model.init_[0]
    return number(moved).replace("-", "−") if moved < 0 else f"+{number(moved)}"


def leaf_of(model) -> int:
    return int(model.apply(X[EXPLAINED : EXPLAINED + 1])[0, 0])


def test_the_picture_shows_what_is_added(boosted):
    [leaf] = [t for t in texts(gt.plot_tree(boosted)) if t.startswith(f"leaf {leaf_of(boosted)}\n")]
    assert leaf.splitlines()[1] == added(boosted)


def test_the_rules_say_the_same(boosted):
    assert f"adds {added(boosted)} to the prediction" in str(boosted.explain(X[EXPLAINED]).rules())


def test_the_text_shows_what_is_added(boosted):
    shown = {float(v) for v in re.findall(r"value: \[(.*)\]", gt.export_text(boosted))}
    moved = {float(number(v)) for v in boosted.predict(X) - boosted.init_[0]}
    assert shown == moved


def test_the_report_shows_what_is_added(boosted, tmp_path):
    page = boosted.report(X, numbers(X), tmp_path / "report.html").read_text(encoding="utf-8")
    said = set(re.findall(r'"says":"([^"]*)"', page.replace("\\u2212", "−")))
    moved = {number(v) for v in boosted.predict(X) - boosted.init_[0]}
    assert said == {v.replace("-", "−") if v.startswith("-") else f"+{v}" for v in moved}


def test_a_leaf_of_several_classes_shows_what_is_added():
    model = gt.GraphBoostingClassifier(
        1, multi_strategy="multi_output_tree", max_leaf_nodes=3, min_samples_leaf=5
    ).fit(X, classes(X, 3))
    shown = re.findall(r"value: \[(.*)\]", gt.export_text(model))
    moved = model.decision_function(X) - model.init_
    assert set(shown) == {", ".join(number(v) for v in row) for row in moved}


def test_the_table_holds_what_was_learned_before_the_learning_rate(boosted):
    table = boosted.trees_to_dataframe().set_index("node")
    assert boosted.init_[0] + boosted.learning_rate * table.loc[leaf_of(boosted), "value"] == (
        pytest.approx(boosted.predict(X[EXPLAINED : EXPLAINED + 1])[0])
    )
