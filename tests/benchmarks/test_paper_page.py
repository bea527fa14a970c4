"""docs/results.md: every figure comes from a row or from what the authors published."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import graphtrees as gt

ROOT = Path(__file__).parents[2]
HARNESS = ("measuring", "results")
PAPER = ("against", "command", "page", "published", "summary", "tables")


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    names = ("measuring", "results")
    return SimpleNamespace(
        **{n: importlib.import_module(f"benchmarks.accuracy.{n}") for n in names}
    )


@pytest.fixture
def paper(bench):
    return SimpleNamespace(**{n: importlib.import_module(f"benchmarks.paper.{n}") for n in PAPER})


def rows_of(bench, name, method, scores, family="peer"):
    tasks = [bench.measuring.Task(name, method, 0, fold, 10) for fold in range(len(scores))]
    usual = {"metric": "accuracy", "sampling_error": 0.1, "n_train": 90, "n_test": 10,
             "fit_seconds": 1.5, "fit_cpu_seconds": 1.5, "predict_seconds": 0.1, "error": "",
             "versions": "all", "machine": "this"}  # fmt: skip
    return [
        bench.results.row_of(task, family=family, score=score, **usual)
        for task, score in zip(tasks, scores, strict=True)
    ]


def some_rows(bench):
    return [
        *rows_of(bench, "MUTAG", "treeg", [0.9, 0.8, 0.9, 0.8], "ours"),
        *rows_of(bench, "MUTAG", "wl-kernel", [0.5, 0.4, 0.6, 0.5]),
        *rows_of(bench, "MUTAG", "treeg-a0", [0.9, 0.7, 0.9, 0.8], "ours"),
    ]


def line_of(text: str, *words: str) -> str:
    return next(line for line in text.splitlines() if all(word in line for word in words))


def test_a_table_shows_the_rows_beside_the_published_figures(bench, paper):
    text = paper.page.text_of(some_rows(bench))
    line = line_of(text, "| MUTAG | **treeg** |")
    assert "85.0 ± 5.8 | 4 of 10 | 91.1 ± 3.5 (Table 1)" in line
    # 0.4, 0.4, 0.3, 0.3: s² = 1/300; (1/4 + 10/90) s²; t of 3 degrees is 3.1824.
    assert "| +35.0 ± 11.0 | better |" in line_of(text, "| MUTAG | wl-kernel |")
    assert "| tie |" in line_of(text, "| MUTAG | **treeg-a0** |")
    assert "MUTAG (+35.0 ± 11.0 to wl-kernel)" in line_of(text, "**Wins**")
    assert "treeg (4 of 10 done): MUTAG" in text


def test_another_score_changes_the_page_and_no_row_means_no_figure(bench, paper):
    rows = some_rows(bench)
    changed = [row | {"score": row["score"] - 0.1} for row in rows]
    assert "75.0 ± 5.8" in line_of(paper.page.text_of(changed), "| MUTAG | **treeg** |")
    empty = paper.page.text_of([])
    assert empty.count("Nothing of this table was run yet.") == 9
    assert "0 rows, 0 of them failed; 0.00 CPU hours" in empty
    tables = [line for line in empty.splitlines() if line.startswith("|")]
    assert tables == []


def test_failed_folds_are_not_averaged(bench, paper):
    rows = some_rows(bench)
    failed = rows[0] | {"fold": 5, "score": None, "error": "RuntimeError: no luck"}
    line = line_of(paper.page.text_of([*rows, failed]), "| MUTAG | **treeg** |")
    assert "85.0 ± 5.8 | 4 of 10" in line


def test_the_page_is_what_the_rows_say(bench, paper):
    rows = bench.results.read(paper.command.RESULTS)
    page = paper.command.PAGE.read_text(encoding="utf-8")
    assert page == paper.page.text_of(rows), "run: python -m benchmarks.paper --write-docs"


def test_page_and_plots_are_written_and_the_same_rows_give_the_same_bytes(bench, paper, tmp_path):
    pytest.importorskip("matplotlib")
    pages = []
    for name in ("one", "two"):
        paper.page.write(some_rows(bench), tmp_path / name / "results.md")
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        pages.append({path.name: path.read_bytes() for path in files})
    assert pages[0] == pages[1]
    assert set(pages[0]) == {"results.md", "results_intervals.svg", "results_times.svg"}


def test_published_figures_are_complete_and_named_as_the_tables_name_them(paper):
    theirs = paper.published.figures()
    assert len(theirs) == 12 * 10 + 10 * 7
    tables = paper.tables.TABLES
    sets = {*tables["ablations"].sets}
    methods = {*tables["graphs"].methods, *tables["vertices"].methods}
    assert {name for name, _ in theirs} == sets - {"PROTEINS_full"}
    assert {method for _, method in theirs} == methods - {"lightgbm-tuned"}
    assert str(theirs["IMDB-MULTI", "treeg"]) == "56.4 ± 0.9"


def test_code_of_the_page_holds_no_results():
    code = [
        *(ROOT / "benchmarks" / "paper").glob("*.py"),
        *(ROOT / "benchmarks" / "paper").glob("*.md"),
    ]
    for path in code:
        assert not re.search(r"\d\d\.\d ± ", path.read_text(encoding="utf-8")), path


def explained(bench, measure, scores):
    rows = rows_of(bench, "Mutagenicity", f"explained: {measure}", scores, "ours")
    return [row | {"metric": "importance ratio"} for row in rows]


def test_explanations_that_know_nothing_are_not_said_to_point_at_anything(bench, paper):
    rows = [
        *explained(bench, "nitro groups", [2.5, 2.7]),
        *explained(bench, "carbon rings", [1.1, 0.9]),
    ]
    line = line_of(paper.page.text_of(rows), "**Explanations**")
    assert "point at nitro groups of Mutagenicity (2.6 times);" in line
    assert "do not at carbon rings of Mutagenicity (1.0 times)." in line


def test_one_common_run_is_no_tie(bench, paper):
    rows = [*some_rows(bench), *rows_of(bench, "MUTAG", "gcn-tuned", [0.5])]
    assert "| +40.0 | too few runs |" in line_of(paper.page.text_of(rows), "| MUTAG | gcn-tuned |")


def test_a_win_names_the_unfinished_methods_that_are_ahead(bench, paper):
    rows = [
        *some_rows(bench),
        *rows_of(bench, "MUTAG", "gin-tuned", [0.95, 0.95]),
        *rows_of(bench, "MUTAG", "gcn-tuned", [0.2, 0.2]),
    ]
    line = line_of(paper.page.text_of(rows), "**Wins**", "`treeg`")
    assert "to wl-kernel; ahead on the few runs that are done: gin-tuned (2))" in line


def test_better_than_published_is_higher_accuracy_and_lower_error(bench, paper):
    county = rows_of(bench, "County", "treeg", [1.3, 1.4], "ours")
    rows = [
        *rows_of(bench, "NCI1", "treeg", [0.80, 0.82], "ours"),
        *rows_of(bench, "MUTAG", "treeg", [0.90, 0.93], "ours"),
        *[row | {"metric": "RMSE"} for row in county],
    ]
    table = paper.against.table(paper.summary.Measured.of(rows))
    assert line_of(table, "`treeg`") == "| `treeg` | NCI1 (+5.1) | MUTAG (+0.4) | County (+0.45) |"


@pytest.mark.parametrize("name", ["IMDB-BINARY", "IMDB-MULTI"])
def test_the_number_of_vertices_tells_no_more_than_the_page_says(paper, name):
    try:
        data = gt.datasets.load_tu(name, download_if_missing=False)
    except FileNotFoundError:
        pytest.skip(f"{name} is not here")
    sizes = np.array([graph.n_vertices for graph in data.X])
    right = sum(np.unique(data.y[sizes == n], return_counts=True)[1].max() for n in set(sizes))
    assert round(100 * right / len(sizes), 1) == paper.published.BEST_BY_SIZE[name]


def test_missing_runs_are_listed_with_methods_of_the_same_sets_together(bench, paper):
    text = paper.page.text_of(some_rows(bench))
    line = line_of(text, "`graphs`", "rw-kernel")
    assert line.startswith("- `graphs`, treeg-d0-a0, lightgbm-tuned, rw-kernel, gcn-tuned,")
    assert line.endswith("bgnn: MUTAG")
    assert "- `graphs`, treeg-a0 (4 of 10 done): MUTAG" in text
