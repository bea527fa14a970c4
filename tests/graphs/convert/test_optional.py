"""Libraries that are not there are asked for by name."""

import sys

import pytest

from graphtrees import graphs

NEEDS = {
    "from_networkx": ("networkx", "networkx"),
    "from_graphml": ("networkx", "networkx"),
    "from_igraph": ("igraph", "igraph"),
    "from_pyg": ("torch_geometric", "pyg"),
    "from_dgl": ("dgl", "dgl"),
    "from_smiles": ("rdkit", "chem"),
}


@pytest.mark.parametrize("name", NEEDS)
def test_an_absent_library_is_named_with_the_way_to_get_it(monkeypatch, name):
    library, extra = NEEDS[name]

    class Absent:
        """Refuses to find the library, as if it were not installed."""

        def find_spec(self, module, path=None, target=None):
            if module.partition(".")[0] == library:
                raise ModuleNotFoundError(f"No module named {library!r}", name=library)

    for module in [m for m in sys.modules if m.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(
        ImportError, match=rf"^{name} needs {library}: pip install 'graphtrees\[{extra}\]'$"
    ):
        getattr(graphs, name)([])
