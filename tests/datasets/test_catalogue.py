"""The list of data sets."""

from __future__ import annotations

import ast

import pytest

from datasets.archives import TINY, tu_zip
from graphtrees import datasets
from graphtrees.datasets import available


def test_what_is_at_hand_is_told_with_its_place(tmp_path):
    (tmp_path / "MUTAG.zip").write_bytes(tu_zip("MUTAG", TINY))
    entries = {entry.name: entry for entry in available(data_home=tmp_path)}
    assert entries["MUTAG"].found == tmp_path / "MUTAG.zip"
    assert entries["NCI1"].found is None
    assert entries["NCI1"].how_to_get == "fetched when first loaded"
    assert entries["Cora"].how_to_get == "put node/cora.npz into a data folder"


def test_the_list_prints_as_a_table(tmp_path):
    lines = repr(available(data_home=tmp_path)).splitlines()
    assert lines[0].split() == ["name", "task", "loader", "found", "/", "how", "to", "get"]
    (county,) = (line for line in lines if line.startswith("County"))
    assert county.split("  ")[-1].strip() == "put node/county.npz into a data folder"


@pytest.mark.parametrize("entry", available(data_home="nowhere"), ids=lambda entry: entry.name)
def test_every_loader_of_the_list_knows_its_data_set(entry, tmp_path):
    call = ast.parse(entry.loader, mode="eval").body
    load = getattr(datasets, call.func.id)
    name = [ast.literal_eval(argument) for argument in call.args]
    with pytest.raises(FileNotFoundError, match=f"data set '{entry.name}': it is not on this"):
        load(*name, data_home=tmp_path, download_if_missing=False)
