"""Do the kinds of bonds tell more than bonds alone? Each kind is a relation to walk along.

    GRAPHTREES_DATA=folder python examples/relations.py [folder for the figure]

The molecules are those of Mutagenicity; where the data set is not in the folder, molecules without
hydrogen are generated, and the question is whether one has a C=O. Trains on 80 % of the molecules
with operators=("adjacency",) and with operators=("adjacency", "relations"), prints a tree's way to
its answer that walks along a relation, and draws that molecule.
"""

import os
import sys
from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from sklearn.model_selection import train_test_split

import graphtrees as gt
from graphtrees.explain import Explanation, importance

# From the data set's own notes.
ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
BONDS = np.array(["single bonds", "double bonds", "triple bonds"])
CLASSES = np.array(["mutagen", "nonmutagen"])
VALENCE = {"C": 4, "O": 2, "N": 3}
OPERATORS = {
    "bonds alone": ("adjacency",),
    "and their kinds": ("adjacency", "relations"),
}


def main(folder: Path) -> None:
    X, y = load() if has_data() else generate(n_molecules=400)
    train, test = train_test_split(np.arange(len(X)), test_size=0.2, stratify=y, random_state=0)
    for name, operators in OPERATORS.items():
        model = gt.GraphBoostingClassifier(n_estimators=50, operators=operators, random_state=0)
        model.fit(X[train], y[train])
        print(f"{name}: test accuracy: {model.score(X[test], y[test]):.3f}")

    for operator, share in importance(model, by="operator").items():
        print(f"of what the trees gained, operator {operator}: {share:.0%}")
    explanation, rules = find_rule(model, X[test[y[test] == model.classes_[0]]])
    print("\n".join([str(explanation), *rules]))
    draw(explanation, folder / "relations.png")


def find_rule(model: gt.GraphBoostingClassifier, X: gt.Graphs) -> tuple[Explanation, list[str]]:
    """The surest molecule whose weightiest tree walks along double bonds, and what it asks."""
    explanations = gt.explain_many(model, X, class_=model.classes_[0])
    for explanation in sorted(explanations, key=lambda e: -e.score):
        rules = explanation.rules(n_trees=1)
        if any("along double bonds" in line for line in rules):
            return explanation, rules
    raise LookupError("no molecule is judged by its double bonds")


def draw(explanation: Explanation, path: Path) -> None:
    """The molecule, with a second line beside every double bond and two beside a triple one."""
    ax = explanation.plot()
    place = np.asarray(ax.collections[-1].get_offsets())
    graph = explanation.graph
    order = np.array([BONDS.tolist().index(kind) + 1 for kind in graph.edge_types])
    ends = place[graph.edge_index.T]  # bonds, their two ends, x and y
    along = ends[:, 1] - ends[:, 0]
    beside = along[:, ::-1] * [-0.12, 0.12] / np.linalg.norm(along, axis=1, keepdims=True)
    for side, least in ((1, 2), (-1, 3)):
        lines = (ends + side * beside[:, None])[order >= least]
        ax.add_collection(LineCollection(list(lines), colors="#6b7280", linewidths=1, zorder=1))
    ax.figure.savefig(path, dpi=100)


def has_data() -> bool:
    folder = os.environ.get("GRAPHTREES_DATA", "")
    return bool(folder) and (Path(folder) / "tu" / "Mutagenicity.zip").exists()


def load() -> tuple[gt.Graphs, np.ndarray]:
    """The molecules with the names of their atoms and bonds."""
    data = gt.datasets.load_tu("Mutagenicity")
    flat = data.X.flat
    atom = np.asarray(flat.features).argmax(axis=1)
    place = np.array([BONDS.tolist().index(f"{name} bonds") for name in flat.edge_type_names])
    bond = place[flat.edge_types]
    X = molecules(flat.vertex_ptr, flat.edge_ptr, flat.edges, atom, bond)
    return X, CLASSES[data.y]


def molecules(vertex_ptr, edge_ptr, edges, atom: np.ndarray, bond: np.ndarray) -> gt.Graphs:
    return gt.Graphs.from_flat(
        vertex_ptr=vertex_ptr,
        edge_ptr=edge_ptr,
        edges=edges,
        features=atom[:, None].astype(np.float32),
        feature_names=["atom"],
        categories={0: ATOMS},
        edge_types=BONDS[bond],
    )


def generate(n_molecules: int) -> tuple[gt.Graphs, np.ndarray]:
    """Branched molecules of C, N and O, some of their bonds double."""
    rng = np.random.default_rng(0)
    parts = [one_molecule(rng) for _ in range(n_molecules)]
    atoms, edges, bonds = (list(column) for column in zip(*parts, strict=True))
    vertex_ptr = np.cumsum([0, *(len(part) for part in atoms)])
    edge_ptr = np.cumsum([0, *(len(part) for part in bonds)])
    atom, bond, pairs = np.concatenate(atoms), np.concatenate(bonds), np.concatenate(edges)
    X = molecules(vertex_ptr, edge_ptr, pairs.T, atom, bond)
    return X, np.array([label(*part) for part in parts])


def one_molecule(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Atoms, bonds, and 0 for a single bond, 1 for a double one."""
    atoms, free = ["C"], [4]
    bonds, kinds = [], []
    for _ in range(int(rng.integers(6, 15))):
        open_atoms = [k for k, left in enumerate(free) if left > 0]
        if not open_atoms:
            break
        end = int(rng.choice(open_atoms))
        atom = str(rng.choice(["C", "C", "C", "N", "O"]))
        order = 2 if min(free[end], VALENCE[atom]) > 1 and rng.random() < 0.4 else 1
        bonds.append((end, len(atoms)))
        kinds.append(order - 1)
        free[end] -= order
        atoms.append(atom)
        free.append(VALENCE[atom] - order)
    return np.array([ATOMS.index(a) for a in atoms]), np.array(bonds), np.array(kinds)


def label(atom: np.ndarray, bonds: np.ndarray, kinds: np.ndarray) -> str:
    ends = {tuple(sorted(pair)) for pair in atom[bonds[kinds == 1]].tolist()}
    return "has C=O" if (ATOMS.index("C"), ATOMS.index("O")) in ends else "has none"


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    place.mkdir(parents=True, exist_ok=True)
    main(place)
