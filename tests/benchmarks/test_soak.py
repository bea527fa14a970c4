"""The soak test, in small; and that it would notice."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def soak(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("soak")


def test_kills_fits_predictions_and_threads_change_nothing(soak, capsys):
    assert soak.main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split(" | ")[2] for line in lines] == ["the same"] * 4
    assert all(re.search(r"\| \d+ \| \d+ \| \d+ s \|$", line) for line in lines)


def test_another_model_is_noticed(soak, monkeypatch):
    seeds = iter(range(100))
    plain = soak.a_model
    monkeypatch.setattr(
        soak, "a_model", lambda *a, **given: plain(*a, **given).set_params(random_state=next(seeds))
    )
    row = soak.run("fits", 6, soak.fit_often, soak.QUICK)
    assert not row.sound
    assert "fit 0 differs" in row.outcome
    row = soak.run("threads", 12, soak.share_among_threads, soak.QUICK)
    assert not row.sound
    assert "its own model differs" in row.outcome
