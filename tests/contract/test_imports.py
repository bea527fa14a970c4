"""Imports only point back towards the graph, and the first import is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import graphtrees as gt

SOURCE = Path(gt.__file__).parent

# A module may import from its own layer and from those above it in this list, never from below.
LAYERS = (
    ("_layout", "_threads", "_progress", "_optional", "_folders", "_warnings"),
    ("graphs",),
    ("kernels", "_teams"),
    ("candidates",),
    ("trees",),
    ("ensembles",),
    ("files", "estimators"),
    ("explain", "plot", "datasets", "inspection", "distributed", "cli", "__main__"),
)
PLACE = {name: place for place, names in enumerate(LAYERS) for name in names}

# Methods that lead forward by design: `model.explain(...)`, `model.report(...)`, `graph.plot()`.
# They import when they are called, so that nothing is loaded before it is asked for.
FORWARD_WHEN_CALLED = {("estimators", "explain"), ("estimators", "plot"), ("graphs", "plot")}

FILES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[tuple[str, bool]]:
    """(part of the package, whether the import waits inside a function) for each import."""
    tree = ast.parse(path.read_text())
    waiting = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {(part, id(node) in waiting) for part in map(home_of, names) if part}
    return found


def home_of(name: str) -> str | None:
    """The part that an imported name lives in; None for other packages and for the version."""
    first, *rest = name.split(".")
    if first != "graphtrees" or not rest or rest[0] == "__version__":
        return None
    if rest[0] in PLACE:
        return rest[0]
    module = getattr(getattr(gt, rest[0]), "__module__", rest[0])
    return module.removeprefix("graphtrees.").split(".")[0]


def test_every_file_belongs_to_a_layer():
    assert {part_of(path) for path in FILES} <= set(PLACE)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_only_point_back_towards_the_graph(path):
    here = part_of(path)
    for part, waits in sorted(imported_parts(path)):
        if waits and (here, part) in FORWARD_WHEN_CALLED:
            continue
        assert part in PLACE, f"{path.name} imports {part}, which is in no layer"
        assert PLACE[part] <= PLACE[here], f"{here} must not know of {part}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_import_is_relative(path):
    relative = [n for n in ast.walk(ast.parse(path.read_text())) if getattr(n, "level", 0)]
    assert not relative


@pytest.mark.parametrize("part", ["kernels", "candidates", "trees", "ensembles"])
def test_the_engine_knows_nothing_of_scikit_learn(part):
    for path in (SOURCE / part).rglob("*.py"):
        assert "sklearn" not in path.read_text(), path


def test_the_first_import_is_light():
    code = (
        "import sys, graphtrees; "
        "heavy = {'numba', 'sklearn', 'scipy', 'pandas', 'matplotlib', 'networkx', 'torch'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_graphs_load_neither_numba_nor_scikit_learn():
    code = (
        "import sys, graphtrees as gt; gt.Graphs([gt.Graph([[1.0]], [])]); "
        "print(sorted({'numba', 'sklearn'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("name", gt.__all__)
def test_every_public_name_is_there(name):
    assert getattr(gt, name) is not None
    assert name in dir(gt)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'graphtrees' has no attribute 'nothing'"):
        _ = gt.nothing
