"""Files that earlier versions wrote are read for ever, and the models in them say the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from golden_tasks import TASKS, answers, tasks_of

import graphtrees as gt
from graphtrees.files.layout import VERSION

FOLDER = Path(__file__).parents[1] / "golden"
NUMBERS = range(1, VERSION + 1)
VERSIONS = [f"v{number}" for number in NUMBERS]
KEPT = [(f"v{number}", name) for number in NUMBERS for name in tasks_of(number)]
every_kept_file = pytest.mark.parametrize(("version", "name"), KEPT)


@every_kept_file
def test_a_kept_file_gives_the_predictions_kept_with_it(version, name, tmp_path):
    model = gt.load_model(FOLDER / version / f"{name}.json")
    wanted = json.loads((FOLDER / version / f"{name}.answers.json").read_text())
    assert_answers(answers(model, TASKS[name][1]), wanted)


def assert_answers(given: dict, wanted: dict) -> None:
    assert set(given) == set(wanted)
    for method, values in wanted.items():
        if isinstance(np.ravel(values)[0], np.floating):
            np.testing.assert_allclose(given[method], values, rtol=1e-12, atol=1e-300)
        else:
            np.testing.assert_array_equal(given[method], values)


@every_kept_file
def test_a_kept_file_is_written_again_in_the_newest_version(version, name, tmp_path):
    model = gt.load_model(FOLDER / version / f"{name}.json")
    model.save(tmp_path / "again.json.gz")
    assert json.loads(gzip.decompress((tmp_path / "again.json.gz").read_bytes()))["version"] == (
        VERSION
    )
    again = gt.load_model(tmp_path / "again.json.gz")
    assert again.get_params() == model.get_params()
    about = TASKS[name][1]
    assert answers(again, about) == answers(model, about)


def test_every_version_has_its_files():
    for number in NUMBERS:
        kept = {path.name.removesuffix(".json") for path in (FOLDER / f"v{number}").glob("*.json")}
        assert {n for n in kept if not n.endswith(".answers")} == set(tasks_of(number))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_parts_of_a_kept_file_may_come_in_any_order(version, tmp_path):
    name = "boosting_classifier_three_classes_graphs"
    content = json.loads((FOLDER / version / f"{name}.json").read_text())
    path = tmp_path / "sorted.json"
    path.write_text(json.dumps(content, sort_keys=True))
    wanted = json.loads((FOLDER / version / f"{name}.answers.json").read_text())
    assert_answers(answers(gt.load_model(path), TASKS[name][1]), wanted)
