"""Every public name says what it takes, and its example runs."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from models import SIX, name_of, small

import graphtrees as gt

PUBLIC = {name: getattr(gt, name) for name in gt.__all__ if name != "datasets"}
PUBLIC |= {f"datasets.{name}": getattr(gt.datasets, name) for name in gt.datasets.__all__}
if find_spec("distributed") is not None:
    from graphtrees import distributed

    PUBLIC |= {f"distributed.{name}": getattr(distributed, name) for name in distributed.__all__}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if not inspect.isclass(one)}
CLASSES = {name: one for name, one in PUBLIC.items() if inspect.isclass(one)}
MADE_BY_FUNCTIONS = {name: one for name, one in CLASSES.items() if dataclasses.is_dataclass(one)}
MADE_BY_USERS = {
    name: one
    for name, one in CLASSES.items()
    if name not in MADE_BY_FUNCTIONS and not issubclass(one, Exception)
}

# Libraries that an example needs; without them it is not run.
NEEDS = {
    "from_pyg": "torch_geometric",
    "from_igraph": "igraph",
    "from_networkx": "networkx",
    "from_graphml": "networkx",
    "from_smiles": "rdkit",
    "from_tables": "pandas",
    "scan_parquet": "pyarrow",
    "GraphFiles": "pyarrow",
    "scan_graph": "pyarrow",
    "GraphTables": "pyarrow",
} | {name: "matplotlib" for name in PUBLIC if name.startswith("plot_")}

TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Entry:
    """One parameter or attribute: a line "name : type" and the text below it."""

    name: str
    type: str
    text: str


def section(thing: Any, title: str) -> list[Entry]:
    """The entries of a section; names that share a line are told apart."""
    parts = TITLE.split(inspect.getdoc(thing) or "")
    body = dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")
    entries = []
    for found in re.finditer(r"^(\S.*)\n((?:[ \n].*\n?)*)", body.strip("\n") + "\n", re.MULTILINE):
        head, _, kind = found[1].partition(" : ")
        entries += [Entry(n.strip().lstrip("*"), kind, found[2].strip()) for n in head.split(",")]
    return entries


def signature(thing: Any) -> dict[str, Any]:
    parameters = inspect.signature(thing).parameters
    return {name: one.default for name, one in parameters.items() if name not in ("self", "cls")}


def own_members(kind: type) -> dict[str, Any]:
    """The public methods and properties that this package defines, inherited ones included."""
    found = {}
    for name, value in inspect.getmembers(kind):
        home = value.fget if isinstance(value, property) else value
        if not name.startswith("_") and getattr(home, "__module__", "").startswith("graphtrees"):
            found[name] = value
    return found


def every_member() -> dict[str, Any]:
    return {
        f"{name}.{member}": value
        for name, kind in CLASSES.items()
        for member, value in own_members(kind).items()
    }


METHODS = {name: one for name, one in every_member().items() if not isinstance(one, property)}
TAKING = FUNCTIONS | MADE_BY_USERS | METHODS


@pytest.mark.parametrize("name", TAKING)
def test_the_parameters_documented_are_those_of_the_signature(name):
    assert [one.name for one in section(TAKING[name], "Parameters")] == list(
        signature(TAKING[name])
    )


@pytest.mark.parametrize("name", TAKING)
def test_every_parameter_has_a_description(name):
    assert [one.name for one in section(TAKING[name], "Parameters") if not one.text] == []


@pytest.mark.parametrize("name", TAKING)
def test_a_default_that_is_documented_is_that_of_the_signature(name):
    real = signature(TAKING[name])
    for one in section(TAKING[name], "Parameters"):
        if stated := re.search(r"default=(.*)$", one.type):
            assert ast.literal_eval(stated[1]) == real[one.name], one.name
        if "optional" in one.type:
            assert real[one.name] is None, one.name


@pytest.mark.parametrize("name", [*PUBLIC, *every_member()])
def test_every_public_name_is_documented(name):
    text = inspect.getdoc((PUBLIC | every_member())[name]) or ""
    assert text.split("\n")[0].endswith((".", ":")) or "\n" in text, "no summary"
    assert "{" + "parameters}" not in text
    assert "{" + "attributes}" not in text


def test_the_reference_lists_every_public_name():
    page = Path(__file__).parents[2] / "docs" / "reference" / "index.md"
    blocks = re.findall(r"^   :toctree: names\n\n((?:   \w+\n)+)", page.read_text(), re.MULTILINE)
    listed = [name for block in blocks for name in block.split()]
    assert sorted(listed) == sorted(name.rpartition(".")[2] for name in PUBLIC)


@cache
def fitted_attributes(kind: type) -> frozenset[str]:
    given = {"oob_score": True} if "oob_score" in signature(kind) else {}
    task = gt.datasets.make_red_isolated_vertex(n_graphs=20, n_vertices=5, random_state=0)
    model = small(kind, **given).fit(task.X, task.y)
    names = {*vars(model), *own_members(kind)}
    return frozenset(n for n in names if n.endswith("_") and not n.startswith("_"))


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_the_attributes_documented_are_those_of_a_fitted_estimator(kind):
    assert {one.name for one in section(kind, "Attributes")} == fitted_attributes(kind)


@pytest.mark.parametrize("kind", MADE_BY_FUNCTIONS.values(), ids=MADE_BY_FUNCTIONS)
def test_the_attributes_documented_are_the_fields_of_a_result(kind):
    fields = [one.name for one in dataclasses.fields(kind) if not one.name.startswith("_")]
    entries = section(kind, "Attributes")
    assert sorted(one.name for one in entries) == sorted(fields)
    assert [one.name for one in entries if not one.text] == []


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of other libraries, as they load
def test_the_examples_run(name, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    thing = PUBLIC[name]
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(thing) or "", {name.split(".")[-1]: thing}, name, None, None
    )
    assert example.examples, "no example"
    assert "Examples\n--------\n" in (inspect.getdoc(thing) or "")
    report: list[str] = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed = doctest.DocTestRunner(optionflags=flags).run(example, out=report.append).failed
    assert failed == 0, "".join(report)
