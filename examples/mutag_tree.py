"""One tree on MUTAG, with its questions in words and its pointers as dashed arrows.

GRAPHTREES_DATA=folder python examples/mutag_tree.py [folder for the figure]
"""

import sys
from pathlib import Path

import numpy as np

import graphtrees as gt
from graphtrees.plot import plot_tree

# From the data set's own notes.
ATOMS = ("C", "N", "O", "F", "I", "Cl", "Br")


def main(folder: Path) -> None:
    data = gt.datasets.load_tu("MUTAG")
    flat = data.X.flat
    X = gt.Graphs.from_flat(
        vertex_ptr=flat.vertex_ptr,
        edge_ptr=flat.edge_ptr,
        edges=flat.edges,
        features=np.asarray(flat.features).argmax(axis=1)[:, None].astype(np.float32),
        feature_names=["atom"],
        categories={0: ATOMS},
    )
    y = np.where(data.y == 1, "mutagen", "nonmutagen")
    model = gt.GraphTreeClassifier(max_leaf_nodes=8, min_samples_leaf=5).fit(X, y)
    print(f"training accuracy: {model.score(X, y):.3f}")
    print("\n".join(model.explain(X[0]).rules()))
    plot_tree(model).figure.savefig(folder / "mutag_tree.png", dpi=100)


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    place.mkdir(parents=True, exist_ok=True)
    main(place)
