"""Every example runs and leaves its figure behind."""

import os
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NEEDS = {
    "mutagenicity": "tu/Mutagenicity.zip",
    "mutag_tree": "tu/MUTAG.zip",
    "cora_vertex": "node/cora.npz",
}
SLOW = {"mutagenicity", "cora_vertex"}
GENERATES = {"bonds", "relations"}  # smaller data of its own, where there is no data set


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example_runs_and_draws(name, tmp_path, capsys, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    folder = os.environ.get("GRAPHTREES_DATA", "")
    if name in NEEDS and not (folder and (Path(folder) / NEEDS[name]).exists()):
        pytest.skip(f"{NEEDS[name]} is not in the folder GRAPHTREES_DATA")
    if name in SLOW and not os.environ.get("GRAPHTREES_SLOW"):
        pytest.skip("takes about half a minute; set GRAPHTREES_SLOW=1 to run it")
    if name in GENERATES and not os.environ.get("GRAPHTREES_SLOW"):
        monkeypatch.delenv("GRAPHTREES_DATA", raising=False)
    matplotlib.use("Agg")
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](tmp_path)
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    assert "accuracy: " in capsys.readouterr().out
