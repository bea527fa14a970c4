"""Why is this paper about neural networks? One vertex of Cora and what it was judged by.

GRAPHTREES_DATA=folder python examples/cora_vertex.py [folder for the figure]
"""

import sys
from pathlib import Path

import graphtrees as gt


def main(folder: Path) -> None:
    data = gt.datasets.load_planetoid("Cora")
    train, test = data.splits[0]["train"], data.splits[0]["test"]
    model = gt.GraphBoostingClassifier(
        n_estimators=20, max_leaf_nodes=6, min_samples_leaf=3, random_state=0
    )
    model.fit(data.X[train], data.y[train])
    print(f"test accuracy: {model.score(data.X[test], data.y[test]):.3f}")
    explanation = model.explain(data.X[[int(test[0])]])
    print(explanation)
    print("\n".join(explanation.rules()))
    explanation.plot().figure.savefig(folder / "cora_vertex.png", dpi=100)


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    place.mkdir(parents=True, exist_ok=True)
    main(place)
