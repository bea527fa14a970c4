"""For every test: optional libraries, deadlines, figures, and how processes share out the files."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

try:
    import hypothesis
except ImportError:  # running doctests alone does not need it
    pass
else:
    # The first call of a kernel may compile it, which no deadline could foresee. In CI the draws
    # are the same every time, so that a failure comes from the change; elsewhere they are new.
    hypothesis.settings.register_profile(
        "graphtrees", deadline=None, max_examples=50, derandomize="CI" in os.environ
    )
    hypothesis.settings.load_profile("graphtrees")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With `-n`, a file is run by one process: two of them would compile the same kernels."""
    options = config.option
    if getattr(options, "numprocesses", None) and options.dist == "no":
        options.dist, options.loadscopereorder = "loadfile", False


def pytest_collection_finish() -> None:
    """What was collected stays: the garbage collector need not search it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Matplotlib warns where many are open, whichever tests have left them open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


SOURCE = Path(__file__).parent / "src" / "graphtrees"

# The examples in these docstrings are run where the library is installed.
NEEDS = {
    "graphs/convert/pyg.py": "torch_geometric",
    "graphs/convert/dgl.py": "dgl",
    "graphs/convert/igraph.py": "igraph",
    "graphs/convert/networkx.py": "networkx",
    "graphs/convert/graphml.py": "networkx",
    "graphs/convert/smiles.py": "rdkit",
    "graphs/convert/tables.py": "pandas",
    "graphs/parquet/files.py": "pyarrow",
    "graphs/large/scan.py": "pyarrow",
    "plot/curves.py": "matplotlib",
    "plot/explanation.py": "matplotlib",
    "plot/graph.py": "matplotlib",
    "plot/tree.py": "matplotlib",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not isinstance(item, pytest.DoctestItem) or not item.path.is_relative_to(SOURCE):
            continue
        library = NEEDS.get(item.path.relative_to(SOURCE).as_posix())
        if library is not None and find_spec(library) is None:
            item.add_marker(pytest.mark.skip(reason=f"{library} is not installed"))
