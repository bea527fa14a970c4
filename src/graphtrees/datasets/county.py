"""Counties of the United States, joined by borders: the unemployment rate of 2016."""

from __future__ import annotations

import os

from sklearn.utils import Bunch

from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source
from graphtrees.datasets.packed import packed_features, read_packed, text_list, vertex_bunch

DESCRIPTION = """
County. Predict the unemployment rate of 2016 (per cent) of 3,217 counties of the United States.
Features: votes for either party, median income, rates of migration, birth, death and bachelor's
degrees; NaN where a table has none. An undirected edge joins counties that share a border, and each
county has a self-loop. Five random splits 60/20/20. Measure: RMSE. Made from the tables used by Jia
and Benson (2020); BGNN (Ivanov and Prokhorenkova, 2021) uses the same vertices, edges and features.
"""


def load_county(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load the county network: predict a number at each vertex, with values missing.

    Parameters
    ----------
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. It has no public address: ``node/county.npz`` has to be in a data folder
        or on the mirror.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` the vertices of ``graph``; ``y`` unemployment rates (n_vertices,); ``splits`` five
        dicts of index arrays ``train``, ``validation``, ``test``; ``fips`` the number by which the
        government knows each county; ``name``, ``description``, ``feature_names``,
        ``target_names``.

    Examples
    --------
    >>> from graphtrees.datasets import load_county
    >>> load_county().graph  # doctest: +SKIP
    Graph(n_vertices=3217, n_edges=12684, n_features=7)
    """
    files = Files(data_home, download_if_missing, base_url, verbose)
    arrays = read_packed(files.get(source()), "feature_names")
    return vertex_bunch(
        "County",
        packed_features(arrays),
        arrays["edge_index"],
        arrays["y"].astype(float),
        splits_from(arrays),
        DESCRIPTION,
        feature_names=text_list(arrays["feature_names"]),
        target_names=["UnemploymentRate"],
        fips=arrays.get("fips"),
    )


def source() -> Source:
    """The files and addresses of the data set."""
    return Source("County", (Remote("node/county.npz"),), also=("county.npz",))
