"""The parts of several workers beside each other: one model must suit all of them."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from graphtrees.ensembles.examples import Examples


def check_parts(examples: Examples) -> None:
    """Raise ValueError where workers have features, labels or edges of different kinds."""
    communicator = examples.communicator
    if communicator.n_workers == 1:
        return
    described = communicator.all_gather((examples.kind, examples.graph_features, _kinds(examples)))
    kind, graph_features, ours = described[communicator.rank]
    for rank, (other_kind, other_features, theirs) in enumerate(described):
        pairs = {"examples that are": (kind, other_kind)}
        pairs["the graph features"] = graph_features, other_features
        pairs |= {what: (ours[what], theirs[what]) for what in ours}
        for what, (own, others) in pairs.items():
            if own != others:
                raise ValueError(
                    f"worker {communicator.rank} has {what} {own!r}, worker {rank} has "
                    f"{others!r}: the parts of all workers must be made in the same way, with the "
                    "same features, labels and edge types"
                )


def _kinds(examples: Examples) -> dict[str, Any]:
    """What columns and operators of a model are made of."""
    flat = examples.flat
    return {
        "the number of features": flat.n_features,
        "the feature names": flat.feature_names,
        "the categories": dict(flat.categories),
        "sparse features:": sparse.issparse(flat.features),
        "the edge types": tuple(map(str, flat.edge_type_names)),
        "the edge features": tuple(map(str, flat.edge_feature_names)),
        "directed edges:": flat.directed,
    }
