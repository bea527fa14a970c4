"""Public data sets and synthetic tasks, each as a scikit-learn `Bunch`.

A bunch has ``X`` (graphs or vertices), ``y``, ``splits`` (a list of dicts of index arrays),
``description``, ``name`` and more where it is known. Files are looked for in the folder that
``GRAPHTREES_DATA`` names, then in the user's cache, and are else downloaded into the cache.
"""

from graphtrees.datasets.catalogue import available
from graphtrees.datasets.county import load_county
from graphtrees.datasets.flights import load_flights
from graphtrees.datasets.geom_gcn import load_geom_gcn
from graphtrees.datasets.heterophilous import load_heterophilous
from graphtrees.datasets.ogb import load_ogb
from graphtrees.datasets.planetoid import load_planetoid
from graphtrees.datasets.synthetic import make_red_isolated_vertex, make_walk_counts
from graphtrees.datasets.tu import load_tu

__all__ = [
    "available",
    "load_county",
    "load_flights",
    "load_geom_gcn",
    "load_heterophilous",
    "load_ogb",
    "load_planetoid",
    "load_tu",
    "make_red_isolated_vertex",
    "make_walk_counts",
]
