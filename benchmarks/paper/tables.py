"""What each table holds: sets, methods, and how often each is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.accuracy.measuring import Task, measure
from benchmarks.accuracy.methods.tuned import NETWORKS, WALK_TYPES
from benchmarks.paper import explanations

OURS = ("treeg", "treeg-a0", "treeg-d0-a0")
NETWORK_METHODS = tuple(f"{kind.lower()}-tuned" for kind in NETWORKS)
HYBRIDS = ("xgraphboost", "bgnn")
KERNELS = ("wl-kernel", "rw-kernel")
GRAPH_SETS = (
    "PROTEINS", "PROTEINS_full", "MUTAG", "DD", "NCI1", "PTC_MR", "ENZYMES", "Mutagenicity",
    "IMDB-BINARY", "IMDB-MULTI",
)  # fmt: skip
VERTEX_SETS = ("Cora", "Citeseer", "Pubmed", "ogbn-arxiv", "Cornell", "Actor", "County")
# Sets of the paper with another input, and the set that each is made of.
OTHER_INPUTS = {
    "Cora-all-labels": "Cora", "Citeseer-all-labels": "Citeseer",
    "IMDB-BINARY-degrees": "IMDB-BINARY", "IMDB-MULTI-degrees": "IMDB-MULTI",
    "molHIV-numbers": "molHIV",
}  # fmt: skip
USUAL = ("boosting-stopped", "lightgbm", "xgboost", "gin")


@dataclass(frozen=True)
class Table:
    """`seeds` of sets with one published split; the others have as many runs as parts."""

    title: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    n_folds: int = 10
    seeds: int = 10
    work: Callable[[Task], dict[str, Any]] = measure
    family: str = ""  # of methods that only `work` knows


TABLES = {
    "graphs": Table(
        "Graph classification",
        GRAPH_SETS, (*OURS, "lightgbm-tuned", *KERNELS, *NETWORK_METHODS, *HYBRIDS),
    ),
    "vertices": Table(
        "Vertices", VERTEX_SETS, (*OURS, "lightgbm-tuned", *NETWORK_METHODS, *HYBRIDS),
    ),
    # A kernel of 33,000 graphs does not fit into memory; a linear machine on its counts does.
    "molhiv": Table(
        "molHIV", ("molHIV",),
        (*OURS, "lightgbm-tuned", "wl-linear", *NETWORK_METHODS, *HYBRIDS),
    ),
    "ablations": Table("Ablations", (*GRAPH_SETS, "molHIV", *VERTEX_SETS), OURS),
    "other-inputs": Table(
        "Other inputs", tuple(OTHER_INPUTS), (*OURS, "lightgbm-tuned"), seeds=1,
    ),
    "walk-types": Table(
        "Walk types",
        tuple(f"{kind}-walks" for kind in WALK_TYPES),
        tuple(f"{amount}-{kind}" for amount in ("only", "without") for kind in WALK_TYPES),
    ),
    "explanations": Table(
        "Explanations", tuple(explanations.MEASURES), (), n_folds=1, seeds=5,
        work=explanations.measure, family="ours",
    ),
    "usual": Table(
        "Usual settings and time", (*GRAPH_SETS, "molHIV", *VERTEX_SETS), USUAL, seeds=3,
    ),
}  # fmt: skip
