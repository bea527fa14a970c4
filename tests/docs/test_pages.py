"""What the README and the pages under docs/ show is run as printed; their links lead somewhere."""

from __future__ import annotations

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.pages import ROOT, Block, Story, links, named_files, stories
from docs.running import run_python, run_session

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN_ELSEWHERE = {"command-line.md", "inspect.md"}  # tests/cli runs their sessions
STORIES = [s for page in PAGES if page.name not in RUN_ELSEWHERE for s in stories(page)]

# Pages that speak of a model and graphs that the reader already has.
BEFORE = {
    "explanations.md": """
import graphtrees as gt

_task = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=8, random_state=0)
graphs = _task.X
model = gt.GraphBoostingClassifier(n_estimators=5).fit(graphs, _task.y)
""",
}

# What a page calls for, and the library that must be there for it.
NEEDS = {
    "from_smiles": "rdkit",
    "smiles,": "rdkit",
    "import torch": "torch",
    "torch_geometric": "torch_geometric",
    "from_pyg": "torch_geometric",
    "to_pyg": "torch_geometric",
    "dgl": "dgl",
    "networkx": "networkx",
    "igraph": "igraph",
    "pandas": "pandas",
    "polars": "polars",
    "parquet": "pyarrow",
    "plot": "matplotlib",
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of other libraries, as they load
@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story.page}:{story.line}")
def test_a_page_is_true(story: Story, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict = {"__name__": "__main__"}
    exec(BEFORE.get(story.page, ""), names)
    absent: set[str] = set()
    for block in story.blocks:
        lacks = {need for word, need in NEEDS.items() if word in block.code and not find_spec(need)}
        absent |= lacks
        if lacks:
            continue
        if block.language == "console":
            check_session(block, tmp_path)
            continue
        printed = run_python(block, names)
        if block.output is not None:
            assert printed.splitlines() == block.output.splitlines()
    if absent:
        pytest.skip(f"all but the blocks that need {', '.join(sorted(absent))}")


def check_session(block: Block, folder: Path) -> None:
    for command, wanted, came in run_session(block, folder):
        same = doctest.OutputChecker().check_output(
            without_seconds(wanted), without_seconds(came), doctest.ELLIPSIS
        )
        assert same, f"{command}\nwanted:\n{wanted}\ncame:\n{came}"


def without_seconds(text: str) -> str:
    """How long it took depends on the machine."""
    return re.sub(r"\d+\.\d s\b", "_ s", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    assert [link for link in links(page) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_are_named_exist(page):
    homes = (ROOT, ROOT / "src" / "graphtrees")
    lost = [name for name in named_files(page) if not any((home / name).exists() for home in homes)]
    assert lost == []


def test_every_page_is_listed():
    listed = set(links(ROOT / "docs" / "README.md"))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


def test_the_readme_has_both_commands_that_ci_runs():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for last in ("graphtrees demo", "pytest -n 2"):
        assert len([x for x in lines if re.fullmatch(f"pip install .* && {last}", x)]) == 1
