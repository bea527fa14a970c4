"""A model file that is not whole, not ours, too new or tampered with is refused, never followed."""

from __future__ import annotations

import copy
import gzip
import json

import numpy as np
import pytest
from builders import some_graphs
from models import small

import graphtrees as gt

N = 30  # labels without a pattern, so that trees split on both sides
X, Y = some_graphs(N, n_vertices=(3, 6)), np.random.default_rng(0).integers(3, size=N)


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> dict:
    """A sound file, as the JSON it holds; its first tree has splits that use subsets."""
    path = tmp_path_factory.mktemp("sound") / "model.json"
    small(gt.GraphBoostingClassifier).fit(X, Y).save(path)
    return json.loads(path.read_text())


def write(path, content) -> None:
    path.write_text(json.dumps(content))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("name", ["model.json", "model.json.gz"])
def test_a_truncated_file_is_refused_by_name(content, share, name, tmp_path):
    data = json.dumps(content).encode()
    data = gzip.compress(data) if name.endswith(".gz") else data
    path = tmp_path / name
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(gt.ModelFileError, match=rf"{name}: truncated, or not a graphtrees model"):
        gt.load_model(path)


def test_a_damaged_archive_is_refused(content, tmp_path):
    data = bytearray(gzip.compress(json.dumps(content).encode()))
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "model.json.gz"
    path.write_bytes(bytes(data))
    with pytest.raises(gt.ModelFileError, match="truncated, or not a graphtrees model"):
        gt.load_model(path)


@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "3", '"model"', "null", '{"format": "xgboost model"}', "PK\x03\x04", "a,b\n1,2\n"],
)
def test_a_file_of_another_kind_is_refused(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(gt.ModelFileError, match=r"other\.json: .*not a graphtrees model"):
        gt.load_model(path)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "noise.json"
    path.write_bytes(bytes(range(128, 256)))
    with pytest.raises(gt.ModelFileError, match="not a graphtrees model"):
        gt.load_model(path)


@pytest.mark.parametrize("version", [4, 10**9])
def test_a_newer_version_is_refused_with_advice(content, version, tmp_path):
    path = tmp_path / "new.json"
    write(path, content | {"version": version})
    with pytest.raises(gt.ModelFileError, match=f"{version}; .* Install a newer graphtrees"):
        gt.load_model(path)


@pytest.mark.parametrize("version", ["1", None, 1.5, 0, -3])
def test_a_version_that_never_was_is_refused(content, version, tmp_path):
    path = tmp_path / "odd.json"
    write(path, content | {"version": version})
    with pytest.raises(gt.ModelFileError, match="version"):
        gt.load_model(path)


def test_a_file_that_is_not_there_is_reported_as_such(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.json"):
        gt.load_model(tmp_path / "nowhere.json")


def test_every_part_of_a_file_is_needed(content, tmp_path):
    path = tmp_path / "less.json"
    for part in set(content) - {"format", "version", "trained_on"}:  # the last came later
        write(path, {k: v for k, v in content.items() if k != part})
        with pytest.raises(gt.ModelFileError, match=r"less\.json: a damaged model"):
            gt.load_model(path)


@pytest.mark.parametrize("words", ["!", "AAA", 7, ["x"], "AAAAAAA=", "AgAAAAEAAAA="])
def test_fingerprints_that_are_none_are_refused(content, tmp_path, words):
    path = tmp_path / "odd.json"
    write(path, content | {"trained_on": words})
    with pytest.raises(gt.ModelFileError, match="a damaged model"):
        gt.load_model(path)


def test_every_field_of_a_tree_is_needed(content, tmp_path):
    path = tmp_path / "less.json"
    for field in content["trees"][0]:
        less = copy.deepcopy(content)
        del less["trees"][0][field]
        write(path, less)
        with pytest.raises(gt.ModelFileError, match="a damaged model"):
            gt.load_model(path)


HUGE = 10**6
# Field of the root -> values that lead out of some array, or to a question that does not exist.
TAMPERED = {
    "left": (0, HUGE, -5),
    "right": (0, HUGE, -5),
    "column": (-1, HUGE),
    "operator": (-1, 1, HUGE),
    "walk_length": (-1, HUGE),
    "pointer": (-1, HUGE, 1),
    "sign": (-1, 1, 3),
    "walk_type": (-1, 4),
    "aggregator": (-2, -1, 4),
    "depth": (-1, 5),
    "threshold": ("much", [1.0]),
    "gain": ("much", [1.0]),
    "value": ("much", None),
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param(field, value, id=f"{field}={value}")
        for field, values in TAMPERED.items()
        for value in values
    ],
)
def test_a_field_out_of_range_is_refused_and_not_followed(content, field, value, tmp_path):
    changed = copy.deepcopy(content)
    changed["trees"][0][field][0] = value
    assert_damaged(changed, tmp_path)


def assert_damaged(content, folder) -> None:
    write(folder / "model.json", content)
    with pytest.raises(gt.ModelFileError, match=r"model\.json: a damaged model"):
        gt.load_model(folder / "model.json")


ELSEWHERE = {
    "an unknown estimator": ("estimator", "Popen"),
    "an estimator of another module": ("estimator", "os.system"),
    "an estimator by a private name": ("estimator", "__doc__"),
    "an unknown parameter": ("parameters", {"shell": True}),
    "parameters that are no table": ("parameters", [1]),
    "an unknown attribute": ("attributes", "predict", 1),
    "a method in place of an attribute": ("attributes", "__class__", "str"),
    "an unknown kind of example": ("kind", "books"),
    "an unknown operator": ("questions", "operators", ["laplace"]),
    "operators that are no list": ("questions", "operators", "adjacency"),
    "walks without end": ("questions", "max_walk_length", "long"),
    "fewer outputs than trees": ("outputs", [0]),
    "an output of no class": ("outputs", [99] * 9),
    "an output below none": ("outputs", [-2] * 9),
    "trees that are no list": ("trees", {}),
    "a tree of no nodes": ("trees", [{}]),
    "features that are no number": ("features", "n_features", "two"),
    "fewer features than fitted": ("features", "n_features", 0),
    "names for other features": ("features", "names", ["a"]),
    "categories of no feature": ("features", "categories", [[9, ["a"]]]),
    "a start for other outputs": ("attributes", "init_", {"dtype": "float64", "values": [0.0]}),
    "no classes": ("attributes", "classes_", {"dtype": "int64", "values": []}),
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_a_tampered_file_is_refused(content, case, tmp_path):
    changed = copy.deepcopy(content)
    *way, last, value = ELSEWHERE[case]
    place = changed
    for step in way:
        place = place[step]
    place[last] = value
    assert_damaged(changed, tmp_path)


def brothers(content) -> tuple[int, int, int]:
    """A tree whose two nodes of depth one are both there: its number, and they, in order."""
    for number, tree in enumerate(content["trees"]):
        first, second = sorted((tree["left"][0], tree["right"][0]))
        if first > 0 and tree["left"][second] > 0:
            return number, first, second
    return pytest.fail("no tree of the model splits the second child of its root")


def test_a_pointer_to_a_node_that_is_no_ancestor_is_refused(content, tmp_path):
    """Subsets of another branch are never made for the graphs that come by."""
    changed = copy.deepcopy(content)
    number, brother, node = brothers(changed)
    tree = changed["trees"][number]
    tree["pointer"][node], tree["sign"][node] = brother, 1
    assert_damaged(changed, tmp_path)


def test_a_pointer_to_an_ancestor_has_a_sign(content, tmp_path):
    changed = copy.deepcopy(content)
    number, _, node = brothers(changed)
    tree = changed["trees"][number]
    tree["pointer"][node], tree["sign"][node] = 0, 0
    assert_damaged(changed, tmp_path)


@pytest.mark.parametrize(("field", "value"), [("walk_type", 2), ("aggregator", 0)])
def test_questions_about_graphs_are_refused_in_a_model_of_vertices(field, value, tmp_path):
    vertices = X.vertices
    model = small(gt.GraphTreeRegressor).fit(vertices, np.arange(len(vertices)))
    model.save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    content["trees"][0][field][0] = value
    assert_damaged(content, tmp_path)
