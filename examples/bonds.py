"""Which bonds are single? Every bond of a molecule is an example, judged by the bonds around it.

    GRAPHTREES_DATA=folder python examples/bonds.py [folder for the figure]

The molecules are those of Mutagenicity, with their atoms but without the kinds of their bonds,
which are what is predicted; where the data set is not in the folder, molecules are generated.
Trains on the bonds of 80 % of the molecules, compares with a model that sees nothing but the two
atoms of a bond, and draws why one bond of the test set is said to be double.
"""

import os
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import balanced_accuracy_score

import graphtrees as gt

# From the data set's own notes.
ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
VALENCE = {"C": 4, "O": 2, "N": 3}
ATOMS_ALONE = {"max_walk_length": 0, "max_ancestor_distance": 0}


def main(folder: Path) -> None:
    X, y = load() if has_data() else generate(n_molecules=300)
    rng = np.random.default_rng(0)
    held = np.isin(X.edges.graph_of, rng.permutation(len(X))[: len(X) // 5])
    train, test = X.edges[~held], X.edges[held]
    models = {}
    for name, questions in {"the two atoms alone": ATOMS_ALONE, "the molecule": {}}.items():
        model = gt.GraphBoostingClassifier(n_estimators=50, random_state=0, **questions)
        said = model.fit(train, y[~held]).predict(test)
        models[name] = model
        balanced = balanced_accuracy_score(y[held], said)
        print(f"{name}: test accuracy: {(said == y[held]).mean():.3f}, balanced {balanced:.3f}")
    model = models["the molecule"]
    print(f"always the most frequent kind: {max(np.mean(y[held] == kind) for kind in set(y)):.3f}")

    double = np.flatnonzero((y[held] == "double") & (model.predict(test) == "double"))
    explanation = model.explain(test[[int(double[0])]])
    print(explanation)
    print("\n".join(explanation.rules(n_trees=1)))
    explanation.plot().figure.savefig(folder / "bonds.png", dpi=100)


def has_data() -> bool:
    folder = os.environ.get("GRAPHTREES_DATA", "")
    return bool(folder) and (Path(folder) / "tu" / "Mutagenicity.zip").exists()


def load() -> tuple[gt.Graphs, np.ndarray]:
    """The molecules with their atoms, and the kind of every bond."""
    flat = gt.datasets.load_tu("Mutagenicity").X.flat
    atom = np.asarray(flat.features).argmax(axis=1)
    kind = np.array(flat.edge_type_names)[flat.edge_types]
    return molecules(flat.vertex_ptr, flat.edge_ptr, flat.edges, atom), kind


def molecules(vertex_ptr, edge_ptr, edges, atom: np.ndarray) -> gt.Graphs:
    return gt.Graphs.from_flat(
        vertex_ptr=vertex_ptr,
        edge_ptr=edge_ptr,
        edges=edges,
        features=atom[:, None].astype(np.float32),
        feature_names=["atom"],
        categories={0: ATOMS},
    )


def generate(n_molecules: int) -> tuple[gt.Graphs, np.ndarray]:
    """Branched molecules of C, N and O, some of their bonds double, filled up with H."""
    rng = np.random.default_rng(0)
    parts = [one_molecule(rng) for _ in range(n_molecules)]
    atoms, edges, kinds = (list(column) for column in zip(*parts, strict=True))
    vertex_ptr = np.cumsum([0, *(len(part) for part in atoms)])
    edge_ptr = np.cumsum([0, *(len(part) for part in kinds)])
    X = molecules(vertex_ptr, edge_ptr, np.concatenate(edges).T, np.concatenate(atoms))
    return X, np.concatenate(kinds)


def one_molecule(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Atoms, bonds and their kinds."""
    atoms, free = ["C"], [4]
    bonds, kinds = [], []
    for _ in range(int(rng.integers(6, 15))):
        open_atoms = [k for k, left in enumerate(free) if left > 0]
        if not open_atoms:
            break
        end = int(rng.choice(open_atoms))
        atom = str(rng.choice(["C", "C", "C", "N", "O"]))
        order = 2 if min(free[end], VALENCE[atom]) > 1 and rng.random() < 0.3 else 1
        bonds.append((end, len(atoms)))
        kinds.append("double" if order == 2 else "single")
        free[end] -= order
        atoms.append(atom)
        free.append(VALENCE[atom] - order)
    for heavy, left in enumerate(free):
        for _ in range(left):
            bonds.append((heavy, len(atoms)))
            kinds.append("single")
            atoms.append("H")
    return np.array([ATOMS.index(a) for a in atoms]), np.array(bonds), np.array(kinds)


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    place.mkdir(parents=True, exist_ok=True)
    main(place)
