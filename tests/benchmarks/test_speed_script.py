"""The table that benchmarks/speed.py prints, on made-up numbers; nothing is timed here."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("report")


def test_rows_say_times_ratios_and_whether_the_goal_is_met(report):
    rows = [
        report.faster("fit", "MUTAG", "them", 0.1, 60.0, goal=500, peak=report.size(3e8)),
        report.at_most("boosters", "NCI1", "LightGBM", 2.0, 0.5, goal=3.0),
        report.under("fit", "Cora", 4.0, 5.0),
    ]
    assert report.table(rows).splitlines()[2:] == [
        "| fit | MUTAG | 100 ms | them | 60.0 s | 600× faster | at least 500× faster | yes "
        "| 300 MB |",
        "| fit | Cora | 4.00 s | – | – | 0.80 of the goal | under 5.00 s | yes | – |",
        "| boosters | NCI1 | 2.00 s | LightGBM | 500 ms | 4.00× | at most 3× | **no** | – |",
    ]
    assert report.tally(rows) == "2 of 3 goals met."


def test_memory_may_be_four_times_the_input_and_300_mb_more(report):
    enough = {"given": 50_000_000, "libraries": 200_000_000, "loading": 260_000_000}
    assert report.memory("Flights", 499_000_000, **enough).met
    assert not report.memory("Flights", 501_000_000, **enough).met


def test_a_quick_run_judges_nothing_and_a_skipped_peer_says_so(report):
    rows = [
        report.under("fit", "Cora", 6.0, 5.0),
        report.not_measured("networks", "NCI1", "skipped: torch is not installed"),
    ]
    lines = report.table(rows, judged=False).splitlines()
    assert "**no**" not in lines[2]
    assert "skipped: torch is not installed" in lines[3]
    assert {line.count("|") for line in lines} == {len(report.HEADER) + 1}


def test_every_data_set_has_a_generated_twin(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    data, generated = importlib.import_module("data"), importlib.import_module("generated")
    assert set(data.LOADERS) == set(generated.SHAPES)
