"""Files that someone made to harm: refused with ModelFileError, fast and in little memory."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builders import some_graphs
from models import small
from peaks import peak_of

import graphtrees as gt
from graphtrees.cli.models import load as load_for_command_line
from graphtrees.files.layout import DEEPEST

N = 30
X, CODES = some_graphs(N, n_vertices=(3, 6)), np.random.default_rng(0).integers(3, size=N)
NAMES = np.array(["red", "green", "blue"])[CODES]
NOT_A_NUMBER = float("nan")


def saved(model, folder) -> dict[str, Any]:
    model.save(folder / "model.json")
    return json.loads((folder / "model.json").read_text())


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> dict[str, dict[str, Any]]:
    """The contents of sound files."""
    folder = tmp_path_factory.mktemp("sound")
    numbers = CODES + 0.5
    return {
        "boosting": saved(small(gt.GraphBoostingClassifier).fit(X, NAMES), folder),
        "tree": saved(small(gt.GraphTreeClassifier).fit(X, CODES), folder),
        "regressor": saved(small(gt.GraphBoostingRegressor).fit(X, numbers), folder),
        "forest": saved(small(gt.GraphForestRegressor).fit(X.vertices[:N], numbers), folder),
        "colours": saved(
            small(gt.GraphTreeClassifier, colours=2, colour_features=[]).fit(X, CODES), folder
        ),
    }


def assert_refused(content: Any, folder, match: str = "a damaged model") -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    path = folder / "model.json"
    path.write_text(text)
    with pytest.raises(gt.ModelFileError, match=match):
        gt.load_model(path)


def put(content: dict, way: str, value: Any) -> dict:
    """A copy with another value at a place such as 'trees.0.value.1'; a function gets the old."""
    changed = copy.deepcopy(content)
    *steps, last = way.split(".")
    place: Any = changed
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    key: Any = int(last) if isinstance(place, list) else last
    place[key] = value(place[key]) if callable(value) else value
    return changed


# ---- values of the wrong kind --------------------------------------------------------------------

# The last node of a tree is a leaf.
OF_LEAVES = [
    (f"trees.0.{field}", lambda old, value=value: [*old[:-1], value])
    for field, value in [
        ("aggregator", 99), ("column", 0), ("column", 10**9), ("threshold", 1e300), ("operator", 1),
        ("missing_left", False), ("gain", 1.0), ("walk_length", 1), ("walk_type", 1),
    ]
]  # fmt: skip


ODD: dict[str, list[tuple[str, Any]]] = {
    "boosting": [
        ("estimator", ["GraphTreeClassifier"]),
        ("kind", ["graphs"]),
        ("features.n_features", 10**9),
        ("features.n_features", 10**30),
        ("features.n_features", -1),
        ("features.n_features", 2.0),
        ("features.n_features", True),
        ("features.has_constant", 1),
        ("features.names", [1, 2]),
        ("features.names", "ab"),
        ("features.offsets", None),
        ("features.offsets", {}),
        ("features.offsets", [[0]]),
        ("features.offsets", [[True, 1.0]]),
        ("features.offsets", [["0", 1.0]]),
        ("features.offsets", [[10**9, 1.0]]),
        ("features.offsets", [[-1, 1.0]]),
        ("features.offsets", [[0, 1.0], [0, 2.0]]),
        ("features.offsets", [[0, "1"]]),
        ("features.offsets", [[0, True]]),
        ("features.offsets", [[0, 1e300]]),
        ("features.offsets", [[0, 10**400]]),
        ("features.offsets", [[0, NOT_A_NUMBER]]),
        ("features.categories", {}),
        ("features.categories", [[0]]),
        ("features.categories", [["0", ["a"]]]),
        ("features.categories", [[0, ["a"]], [0, ["b"]]]),
        ("features.categories", [[0, ["a", "a"]]]),
        ("features.categories", [[0, [["a"]]]]),
        ("features.categories", [[0, [NOT_A_NUMBER]]]),
        ("features.categories", [[0, [{"os.system": "true"}]]]),
        ("features.categories", [[0, [{"decimal": "many"}]]]),
        ("features.categories", [[0, [{"decimal": "1" * 10**5}]]]),
        ("features.categories", [[0, [{"date": "yesterday"}]]]),
        ("features.categories", [[0, [{"timedelta": "1" * 30}]]]),
        ("features.categories", [[0, [{"interval": [1, 0, "left"]}]]]),
        ("questions.max_walk_length", 10**8),
        ("questions.max_walk_length", True),
        ("questions.max_ancestor_distance", NOT_A_NUMBER),
        ("questions.walk_types", [0, 0]),
        ("questions.walk_types", [7]),
        ("questions.aggregators", "sum"),
        ("questions.walk_type_probability", NOT_A_NUMBER),
        ("questions.walk_type_probability", "half"),
        ("questions.of_graphs", False),
        ("questions.of_graphs", 1),
        ("questions.operators", ["adjacency", "adjacency"]),
        ("questions.operators", [1]),
        ("questions.directed", 1),
        ("questions.directed", "no"),
        ("questions.edge_features", "weight"),
        ("questions.edge_features", [1]),
        ("questions.edge_features", [["weight"]]),
        ("parameters.learning_rate", NOT_A_NUMBER),
        ("parameters.learning_rate", "fast"),
        ("parameters.learning_rate", 10**400),
        ("parameters.min_gain", NOT_A_NUMBER),
        ("parameters.max_leaf_nodes", 1),
        ("parameters.max_walk_length", 1001),
        ("parameters.operators", 3),
        ("parameters.class_weight", {"dict": [["red", NOT_A_NUMBER]]}),
        ("parameters.class_weight", {"dict": [["red", "much"]]}),
        ("parameters.class_weight", {"dict": [[["red"], 1.0]]}),
        ("parameters.class_weight", {"dict": 3}),
        ("parameters.categorical_features", 0.5),
        ("parameters.categorical_features", [[0]]),
        ("parameters.loss", {"dict": [["gradient", 1]]}),
        ("parameters.random_state", -1),
        ("attributes.n_features_in_", 10**9),
        ("attributes.n_features_in_", "2"),
        ("attributes.classes_", ["blue", "green", "red"]),
        ("attributes.classes_", {"dtype": "<U5", "values": ["red", "green", "blue"]}),
        ("attributes.classes_", {"dtype": "<U5", "values": ["blue", "blue", "red"]}),
        ("attributes.classes_", {"dtype": "<U2", "values": ["blue", "green", "red"]}),
        ("attributes.classes_", {"dtype": "<U500000000", "values": ["blue", "green", "red"]}),
        ("attributes.classes_", {"dtype": "<U9999999", "values": ["blue", "green", "red"]}),
        ("attributes.classes_", {"dtype": "i4,(9999999,)f8", "values": [1, 2, 3]}),
        ("attributes.classes_", {"dtype": "object", "values": [1, 2, 3]}),
        ("attributes.classes_", {"dtype": "str", "values": [1, 2, 3]}),
        ("attributes.classes_", {"dtype": "int8", "values": [1, 2, 300]}),
        ("attributes.classes_", {"dtype": "int64", "values": [1, 2, 3.5]}),
        ("attributes.classes_", {"dtype": "int64", "values": [1, 2, 10**30]}),
        ("attributes.classes_", {"dtype": "float64", "values": [1.0, 2.0, NOT_A_NUMBER]}),
        ("attributes.classes_", {"dtype": "int64", "values": [[1], [2], [3]]}),
        ("attributes.init_", [0.0, 0.0, 0.0]),
        ("attributes.init_", {"dtype": "float64", "values": [0.0, NOT_A_NUMBER, 0.0]}),
        ("attributes.init_", {"dtype": "str", "values": ["a", "b", "c"]}),
        ("attributes.n_iter_", 10**9),
        ("attributes.n_iter_", 3.0),
        ("attributes.best_iteration_", "last"),
        ("attributes.best_iteration_", 3),
        ("attributes.evals_result_", []),
        ("attributes.evals_result_", {"train": [0.5]}),
        ("attributes.evals_result_", {"train": {"loss": ["low"]}}),
        ("boosting", None),
        ("boosting.learning_rate", NOT_A_NUMBER),
        ("boosting.learning_rate", 0.0),
        ("boosting.learning_rate", -0.1),
        ("boosting.link", "identity"),
        ("boosting.link", "logistic"),
        ("boosting.link", "eval"),
        ("run.seed", -1),
        ("run.seed", 2**70),
        ("run.examples", 5),
        ("run.generator", {}),
        ("run.generator.bit_generator", "MT19937"),
        ("run.generator.state.state", 2**128),
        ("run.generator.state.inc", "x"),
        ("run.generator.uinteger", 2**32),
        ("run.fixed", {"shell": "sh"}),
        ("run.fixed.learning_rate", [1]),
        ("reading", 3),
        ("outputs.0", 3),
        ("outputs.0", -2),
        ("outputs.0", -1),
        ("outputs.0", 0.0),
        ("outputs.0", True),
        ("trees.0.missing_left.0", 5),
        ("trees.0.column.0", True),
        ("trees.0.column.0", 0.0),
        ("trees.0.column.0", 2**40),
        ("trees.0.threshold.0", NOT_A_NUMBER),
        ("trees.0.gain.0", NOT_A_NUMBER),
        ("trees.0.gain.0", -1.0),
        ("trees.0.n_samples.0", -1),
        ("trees.0.walk_length.0", 3),
        ("trees.0.value.0", NOT_A_NUMBER),
        ("trees.0.value.0", float("inf")),
        ("trees.0.value", []),
        ("trees.0.value", lambda old: old + old[:1]),
        ("trees.0.value", lambda old: old + old),
        ("trees.0.value", lambda old: [[v] for v in old[:-1]] + [[0.0, 0.0]]),
        ("trees.0.value", lambda old: [[[v]] for v in old]),
        ("trees.0.left", "0"),
        ("trees.0", []),
        ("trees", lambda old: [[]]),
    ],
    "tree": [
        ("trees.0.value.0", 1.5),
        ("trees.0.value.0", -0.5),
        ("trees.0.value", lambda old: [0.1] * len(old)),
        ("trees", []),
        ("outputs.0", 0),
        ("boosting", {"learning_rate": 0.1, "link": "softmax"}),
        ("attributes.classes_", {"dtype": "int64", "values": [0, 1]}),
        ("attributes.classes_", {"dtype": "datetime64[D]", "values": [1, 2, -(2**63)]}),
    ],
    "regressor": [
        ("boosting.link", "softmax"),
        ("outputs.0", 1),
        ("trees", lambda old: [tree | {"value": [1.7e308] * len(tree["value"])} for tree in old]),
        *OF_LEAVES,
    ],
    "forest": [
        ("outputs.0", 1),
        ("attributes.oob_score_", "good"),
        ("run", {"seed": 0}),
    ],
    "colours": [
        ("features.colours", None),
        ("features.colours", []),
        ("features.colours.features", [0, 0]),
        ("features.colours.features", [2]),
        ("features.colours.by_type", 1),
        ("features.colours.ways", ["", ""]),
        ("features.colours.ways", [1]),
        ("features.colours.values", [[0.0]]),
        ("features.colours.values", ["0"]),
        ("features.colours.values", lambda old: old + old),
        ("features.colours.rounds", []),
        ("features.colours.rounds", lambda old: old[:1] * 17),
        ("features.colours.rounds.0.is_feature.0", 2),
        ("features.colours.rounds.0.is_feature.0", True),
        ("features.colours.rounds.0.own.0", 1),
        ("features.colours.rounds.0.own", lambda old: old[1:]),
        ("features.colours.rounds.0.n_neighbours.0", -1),
        ("features.colours.rounds.0.n_neighbours.0", lambda old: old + 1),
        ("features.colours.rounds.0.n_neighbours.0", 2**24),
        ("features.colours.rounds.0.way.0", 5),
        ("features.colours.rounds.0.near.0", 1),
        ("features.colours.rounds.1.near.0", 10**6),
        ("features.colours.rounds.0", lambda old: {name: part * 2 for name, part in old.items()}),
    ],
}  # fmt: skip
CASES = [(name, *one) for name, several in ODD.items() for one in several]


def case_id(part: Any) -> str:
    return "computed" if isinstance(part, Callable) else str(part)[:30]


@pytest.mark.parametrize(("name", "way", "value"), CASES, ids=case_id)
def test_an_odd_value_is_refused(sound, name, way, value, tmp_path):
    assert_refused(put(sound[name], way, value), tmp_path)


def test_the_files_that_the_odd_ones_are_made_of_are_sound(sound, tmp_path):
    for content in sound.values():
        (tmp_path / "model.json").write_text(json.dumps(content))
        assert len(gt.load_model(tmp_path / "model.json")._fitted.trees) > 0


@pytest.mark.parametrize("name", ["boosting", "tree", "forest", "colours"])
def test_a_column_equal_to_the_number_of_columns_is_refused(name, sound, tmp_path):
    """The first number that would make a kernel read outside its array."""
    content = sound[name]
    features = content["features"]
    labels = sum(len(listed) - 1 for _, listed in features["categories"])
    colours = [sum(one["is_feature"]) for one in features.get("colours", {}).get("rounds", [])]
    n_columns = features["n_features"] + labels + features["has_constant"] + sum(colours)
    tree = next(k for k, one in enumerate(content["trees"]) if len(one["left"]) > 1)
    assert_refused(
        put(content, f"trees.{tree}.column.0", n_columns), tmp_path, "column of a tree is out of"
    )
    (tmp_path / "model.json").write_text(
        json.dumps(put(content, f"trees.{tree}.column.0", n_columns - 1))
    )
    gt.load_model(tmp_path / "model.json")


def test_lists_are_nested_as_deep_as_is_said_and_no_deeper(sound, tmp_path):
    def nested(depth: int) -> dict:
        return {"in": [] if depth == 2 else nested(depth - 1)}

    (tmp_path / "model.json").write_text(json.dumps(sound["tree"] | {"reading": nested(DEEPEST)}))
    gt.load_model(tmp_path / "model.json")
    assert_refused(sound["tree"] | {"reading": nested(DEEPEST + 1)}, tmp_path, "nested more than")


def test_an_output_equal_to_the_number_of_outputs_is_refused(sound, tmp_path):
    """The first number that would make a kernel write outside its array."""
    content = sound["boosting"]
    n_outputs = len(content["attributes"]["init_"]["values"])
    assert max(content["outputs"]) == n_outputs - 1
    assert_refused(put(content, "outputs.0", n_outputs), tmp_path, f"speaks for output {n_outputs}")


def test_a_part_that_is_not_known_is_refused(sound, tmp_path):
    assert_refused(sound["tree"] | {"hooks": []}, tmp_path, "unknown part 'hooks'")
    assert_refused(put(sound["tree"], "trees.0", lambda t: t | {"code": [1]}), tmp_path, "code")
    assert_refused(put(sound["tree"], "questions", lambda q: q | {"x": 1}), tmp_path, "questions")


@pytest.mark.parametrize(
    "reading",
    [
        {"target": 3},
        {"features": [1]},
        {"features": "a,b"},
        {"directed": "yes"},
        {"id_column": None},
        {"as_text": {"a": 1}},
    ],
    ids=str,
)
def test_the_command_line_refuses_an_odd_account_of_how_data_was_read(sound, reading, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(sound["tree"] | {"reading": reading}))
    gt.load_model(path)
    with pytest.raises(gt.ModelFileError, match="reading holds an odd"):
        load_for_command_line(path)


def test_a_name_that_is_there_twice_is_refused(sound, tmp_path):
    text = json.dumps(sound["tree"])
    assert_refused(text[:-1] + ', "kind": "graphs"}', tmp_path, "'kind' is there twice")
    doubled = text.replace('"has_constant": true', '"has_constant": true, "has_constant": true')
    assert doubled != text
    assert_refused(doubled, tmp_path, "twice")


def test_what_follows_the_model_is_refused(sound, tmp_path):
    assert_refused(json.dumps(sound["tree"]) + "{}", tmp_path, "more follows")


# ---- sizes ---------------------------------------------------------------------------------------


def assert_refused_in(n_bytes: int, path) -> None:
    def load() -> None:
        with pytest.raises(gt.ModelFileError):
            gt.load_model(path)

    assert peak_of(load) < n_bytes


def test_a_small_archive_that_unpacks_to_much_is_not_unpacked(sound, tmp_path):
    path = tmp_path / "bomb.json.gz"
    text = json.dumps(sound["tree"]).encode() + b" " * 200_000_000
    path.write_bytes(gzip.compress(text))
    assert path.stat().st_size < 300_000
    assert_refused_in(50_000_000, path)
    with pytest.raises(gt.ModelFileError, match="unpacks to more than"):
        gt.load_model(path)


@pytest.mark.parametrize("part", ["parameters", "features", "attributes", "reading", "run"])
@pytest.mark.parametrize("piece", ["[", '{"a":'])
def test_deep_nesting_is_refused(sound, part, piece, tmp_path):
    n = 100_000
    text = json.dumps(sound["tree"] | {part: "HERE"})
    close = "]" if piece == "[" else "}"
    assert_refused(text.replace('"HERE"', piece * n + "0" + close * n), tmp_path, "nested")


@pytest.mark.parametrize("piece", ["{}", "[]", '"ab"', "1.5", '{"a":[{}]}'])
@pytest.mark.parametrize("part", ["kind", "run"])
def test_more_items_than_a_part_can_have_are_not_built(sound, part, piece, tmp_path):
    n = 1_000_000
    text = json.dumps(sound["tree"] | {part: "HERE"})
    path = tmp_path / "wide.json"
    path.write_text(text.replace('"HERE"', f"[{','.join([piece] * n)}]"))
    assert_refused_in(2 * path.stat().st_size + 1_000_000, path)


def test_more_lists_than_a_part_can_have_are_not_built(sound, tmp_path):
    text = json.dumps(put(sound["tree"], "features.categories", "HERE"))
    wide = text.replace('"HERE"', f"[{','.join(['[]'] * 1_100_000)}]")
    assert_refused(wide, tmp_path, "lists and objects")


# ---- one value at a time -------------------------------------------------------------------------

OTHER_VALUES = (
    None, True, -1, 0, 1, 7, 2**31, 2**63, 2**64, 10**400, -0.5, 0.5, 1e300, NOT_A_NUMBER,
    float("-inf"), "", "graphs", "\ud800", [], [0], [[]], {}, {"dict": []}, {"dtype": "str"},
)  # fmt: skip


def places(content: Any, way: tuple[str, ...] = ()) -> list[str]:
    """Every place in the content; of a list only the first two and the last."""
    found = [".".join(way)] if way else []
    if isinstance(content, dict):
        inner = content.items()
    elif isinstance(content, list):
        inner = {
            k: content[k] for k in range(len(content)) if k < 2 or k == len(content) - 1
        }.items()
    else:
        return found
    return found + [one for key, part in inner for one in places(part, (*way, str(key)))]


@pytest.mark.parametrize("name", ["boosting", "tree", "regressor", "forest"])
# A sound file may say that its graphs were directed; those predicted for are not.
@pytest.mark.filterwarnings("ignore:.*was fitted on directed graphs")
def test_with_any_one_value_replaced_a_file_is_refused_or_predicts_numbers(sound, name, tmp_path):
    """Never another error, never NaN: what is not refused is a model, if not the one it was."""
    examples = X.vertices[:N] if name == "forest" else X
    content, path = sound[name], tmp_path / "model.json"
    ways = [way for way in places(content) if not way.startswith("reading")]
    rng = np.random.default_rng(0)
    refused = 0
    for way in ways:
        for choice in rng.choice(len(OTHER_VALUES), size=2, replace=False):
            path.write_text(json.dumps(put(content, way, OTHER_VALUES[choice])))
            try:
                model = gt.load_model(path)
            except gt.ModelFileError:
                refused += 1
                continue
            method = model.predict_proba if hasattr(model, "predict_proba") else model.predict
            assert np.isfinite(method(examples)).all(), (way, OTHER_VALUES[choice])
            model.save(path)
            gt.load_model(path)
    assert refused > len(ways)


def a_chain(content: dict[str, Any], n_splits: int) -> dict[str, Any]:
    """A tree whose every left child is a leaf; each split takes its subset from the root."""
    n = 2 * n_splits + 1
    splits = [2 * k for k in range(n_splits)]
    leaves = [2 * k + 1 for k in range(n_splits)] + [n - 1]
    tree = {name: [0] * n for name in content["trees"][0]}
    tree["missing_left"] = [True] * n
    tree["value"] = [1.0] * n
    tree["pointer"] = [0 if node % 2 == 0 and node < n - 1 else node for node in range(n)]
    tree["sign"] = [1 if node in range(2, n - 1, 2) else 0 for node in range(n)]
    tree["depth"] = [(node + 1) // 2 for node in range(n)]
    tree["left"] = [node + 1 if node % 2 == 0 and node < n - 1 else -1 for node in range(n)]
    for name in ("column", "aggregator"):
        tree[name] = [-1 if left < 0 else 0 for left in tree["left"]]
    tree["right"] = [node + 2 if node % 2 == 0 and node < n - 1 else -1 for node in range(n)]
    assert len(splits) + len(leaves) == n
    return content | {"trees": [tree], "outputs": [0]}


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chain")
    model = small(gt.GraphTreeRegressor).fit(X, CODES + 0.5)
    return lambda n_splits: a_chain(saved(model, folder), n_splits)


def test_an_honest_chain_of_splits_loads_in_memory_near_its_size(chain, tmp_path):
    path = tmp_path / "chain.json"
    path.write_text(json.dumps(chain(10_000)))
    gt.load_model(path)
    assert peak_of(lambda: gt.load_model(path)) < 5 * path.stat().st_size
    model = gt.load_model(path)
    assert (model.apply(X) >= 0).all()


def test_a_pointer_to_no_ancestor_is_found_in_a_long_chain(chain, tmp_path):
    content = chain(1000)
    tree = content["trees"][0]
    tree["pointer"][1000] = 999  # a leaf beside the way
    assert_refused(content, tmp_path, "a pointer to no ancestor")
    tree["pointer"][1000] = 1002  # below itself
    assert_refused(content, tmp_path, "a pointer to no ancestor")


def test_a_leaf_that_points_to_an_ancestor_is_refused(chain, tmp_path):
    content = chain(10)
    tree = content["trees"][0]
    tree["pointer"][5], tree["sign"][5] = 2, 1
    assert_refused(content, tmp_path, "a leaf that points to another node")


@pytest.mark.parametrize(
    ("left", "right"),
    [(0, 2), (1, 1), (2, 2), (1, 0), (3, 2), (-1, 2), (1, -1)],
)
def test_children_that_make_no_tree_are_refused(chain, left, right, tmp_path):
    content = chain(2)
    content["trees"][0]["left"][0] = left
    content["trees"][0]["right"][0] = right
    assert_refused(content, tmp_path, "do not describe a tree")


def test_a_circle_of_children_is_refused(chain, tmp_path):
    content = chain(3)
    content["trees"][0]["right"][4] = 2
    assert_refused(content, tmp_path, "do not describe a tree")


def test_features_without_names_cost_no_memory_of_their_own(sound, tmp_path):
    content = put(sound["tree"], "features.n_features", 10**7 - 1)
    content = put(content, "attributes.n_features_in_", 10**7 - 1)
    path = tmp_path / "many.json"
    path.write_text(json.dumps(content))
    assert peak_of(lambda: gt.load_model(path)) < 1_000_000
    with pytest.raises(ValueError, match="expecting 9999999 features"):
        gt.load_model(path).predict(X)
