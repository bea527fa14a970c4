"""Is exactly one red vertex isolated? The model must look at the isolated vertices, and it does.

    python examples/red_isolated_vertex.py [folder for the figure]

Trains as the TREE-G paper does (50 trees, walks of at most 2 steps, ancestors at most 2 up, 80/20),
draws two graphs of the test set by the importance of their vertices, and measures whether the
explanations are faithful.
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

import graphtrees as gt
from graphtrees.explain import Explanation, explain_many, fidelity


def main(folder: Path) -> None:
    data = gt.datasets.make_red_isolated_vertex(random_state=0)
    train, test = data.splits[0]["train"], data.splits[0]["test"]
    model = gt.GraphBoostingClassifier(n_estimators=50, random_state=0)
    model.fit(data.X[train], data.y[train])
    print(f"test accuracy: {model.score(data.X[test], data.y[test]):.3f}")

    explanations = explain_many(model, data.X[test])
    print(f"a vertex's importance, times the number of vertices: {mean_by_kind(explanations)}")
    for method in ("attribution", "paper"):
        print(method)
        print(fidelity(model, data.X[test], top=(1, 2, 3, 5), random_state=0, method=method))

    yes = [e for e in explanations if e.prediction == 1][:2]
    print("\n".join(["", "why the first of them:", *yes[0].rules(n_trees=1)]))
    figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
    for ax, explanation in zip(axes, yes, strict=True):
        explanation.plot(ax=ax, labels=np.where(is_red(explanation), "red", ""), colorbar=False)
    figure.savefig(folder / "red_isolated_vertex.png", dpi=100)


def is_red(explanation: Explanation) -> np.ndarray:
    return explanation.graph.features[:, 0] == 1


def mean_by_kind(explanations: list[Explanation]) -> dict[str, float]:
    """How much more important than the average vertex each kind of vertex is."""
    found: dict[str, list[float]] = {}
    for e in explanations:
        alone = np.bincount(e.graph.edge_index.ravel(), minlength=e.graph.n_vertices) == 0
        for red, isolated, share in zip(is_red(e), alone, e.vertex_importance, strict=True):
            kind = f"{'isolated' if isolated else 'joined'} {'red' if red else 'blue'}"
            found.setdefault(kind, []).append(share * e.graph.n_vertices)
    means = {kind: round(float(np.mean(shares)), 2) for kind, shares in found.items()}
    return dict(sorted(means.items(), key=lambda item: -item[1]))


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    place.mkdir(parents=True, exist_ok=True)
    main(place)
