"""Imports only point back towards the graph, and the first import is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import graphtrees as gt

SOURCE = Path(gt.__file__).parent

# A part of the package may import from those before it, never from itself onwards: neither when it
# is loaded nor inside a function. So no two parts can ever import each other.
ORDER = (
    "_layout", "_optional", "_warnings", "_folders", "_disk", "_progress", "_heap", "_allocator",
    "_storage", "_threads", "_lazy",
    "_communicator",
    "graphs", "kernels", "_teams", "questions", "columns", "trees", "ensembles", "files",
    "validation", "explain", "plot", "estimators", "datasets", "inspection", "distributed", "cli",
    "__main__",
)  # fmt: skip
PLACE = {name: place for place, name in enumerate(ORDER)}

# Methods that lead forward, by the public name of the function they are: `graph.plot()` is
# `graphtrees.plot_graph(graph)`. Nothing else may use the package as a whole but for its version.
BY_PUBLIC_NAME = {
    "graphs/graph.py": {"plot_graph"},
    "explain/explanation.py": {"plot_explanation"},
}

FILES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    """The parts of the package that a file imports from, wherever in the file."""
    names = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {part for part in map(home_of, names) if part}


def public_names_used(path: Path) -> set[str]:
    """What a file takes from the package as a whole, after `import graphtrees`."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "graphtrees"
    }


def home_of(name: str) -> str | None:
    """The part that an imported name lives in; None for other packages and for the version."""
    first, *rest = name.split(".")
    if first != "graphtrees" or not rest or rest[0] == "__version__":
        return None
    if rest[0] in PLACE:
        return rest[0]
    module = getattr(getattr(gt, rest[0]), "__module__", rest[0])
    return module.removeprefix("graphtrees.").split(".")[0]


def test_every_part_has_a_place_in_the_order():
    assert {part_of(path) for path in FILES} == set(ORDER)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_only_point_back_towards_the_graph(path):
    here = part_of(path)
    for part in sorted(imported_parts(path) - {here}):
        assert PLACE[part] < PLACE[here], f"{here} must not know of {part}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_methods_that_lead_forward_are_listed(path):
    allowed = BY_PUBLIC_NAME.get(path.relative_to(SOURCE).as_posix(), set())
    assert public_names_used(path) <= allowed | {"__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_import_is_relative(path):
    relative = [n for n in ast.walk(ast.parse(path.read_text())) if getattr(n, "level", 0)]
    assert not relative


@pytest.mark.parametrize("part", ["kernels", "questions", "columns", "trees", "ensembles"])
def test_the_engine_knows_nothing_of_scikit_learn(part):
    for path in (SOURCE / part).rglob("*.py"):
        assert "sklearn" not in path.read_text(), path


def test_the_first_import_is_light():
    code = (
        "import sys, graphtrees; "
        "heavy = {'numba', 'sklearn', 'scipy', 'pandas', 'matplotlib', 'networkx', 'torch'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_graphs_load_neither_numba_nor_scikit_learn():
    code = (
        "import sys, graphtrees as gt; gt.Graphs([gt.Graph([[1.0]], [])]); "
        "print(sorted({'numba', 'sklearn'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", gt.__all__)
def test_every_public_name_is_there(name):
    assert getattr(gt, name) is not None
    assert name in dir(gt)


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'graphtrees' has no attribute 'nothing'"):
        _ = gt.nothing
