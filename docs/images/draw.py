"""Draw the pictures of the README and of docs/how-it-works.md beside this file.

    python docs/images/draw.py

Needs `pip install '.[plot,chem]'`.
"""

from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from rdkit import Chem
from rdkit.Chem import AllChem

import graphtrees as gt

HERE = Path(__file__).parent
INK, FAINT, PLUS = "#22252b", "#9aa1ad", "#9dc3e6"

ACIDS = ["CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "CC(C)C(=O)O", "C=CC(=O)O", "O=C(O)c1ccccc1"]
OTHERS = ["COC=O", "COC(C)=O", "OCC=O", "CC(=O)CO", "OCCC=O", "CC(=O)CCO", "O=Cc1ccccc1O"]
SHOWN = {"propanoic acid": "CCC(=O)O", "methyl acetate": "COC(C)=O", "glycolaldehyde": "OCC=O"}


def draw_acids() -> None:
    """Three molecules with the numbers that the README's tree compares, and the tree."""
    model = gt.GraphTreeClassifier(max_walk_length=1)
    model.fit(gt.from_smiles(ACIDS + OTHERS), ["acid"] * len(ACIDS) + ["other"] * len(OTHERS))
    figure = plt.figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.3])
    for ax, (name, smiles) in zip(left.subplots(3, 1), SHOWN.items(), strict=True):
        graph = gt.from_smiles(smiles)
        oxygen = np.array([name.startswith("O") for name in graph.vertex_names])
        near = (graph.adjacency() @ oxygen).astype(int)
        labels = [name.rstrip("0123456789") for name in graph.vertex_names]
        draw_graph(ax, graph, _flat_coordinates(smiles), labels, near, oxygen)
        ax.set_title(
            f"{name}: O neighbours at most {near.max()}, {near.sum()} in all", fontsize=9, color=INK
        )
    gt.plot_tree(model, ax=right.subplots()).set_title("")
    figure.savefig(HERE / "acids.png", dpi=90)


def draw_worked_example() -> None:
    """The three graphs of how-it-works.md with A·x at every vertex, and the tree."""
    names = ["triangle", "square", "path"]
    x = np.array([1, 1, 2, 2, 3])
    joined = ["ab ac ae bd ce", "ab ac ae bd de", "ac ae bd de"]
    graphs = [_worked_graph(x, edges) for edges in joined]
    model = gt.GraphTreeClassifier(max_walk_length=1, aggregators=("sum",)).fit(graphs, names)
    place = np.array([[0.0, 0.6], [-1.0, 0.4], [1.1, 0.5], [-0.7, -0.8], [0.6, -0.8]])
    figure = plt.figure(figsize=(10, 3.4), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.6, 1])
    for ax, graph, name in zip(left.subplots(1, 3), graphs, names, strict=True):
        walked = (graph.adjacency() @ x).astype(int)
        labels = [f"{vertex}={value}" for vertex, value in zip("abcde", x, strict=True)]
        draw_graph(ax, graph, place, labels, walked, walked > 16 / 5)
        ax.set_title(f"{name}\n{' + '.join(map(str, walked))} = {walked.sum()}", fontsize=9)
    gt.plot_tree(model, ax=right.subplots()).set_title("")
    figure.savefig(HERE / "worked.png", dpi=90)


def draw_graph(ax, graph, place, labels, numbers, chosen) -> None:
    """Vertices with a label in them and a number beside them; the chosen ones filled."""
    for source, target in graph.edge_index.T:
        ax.plot(*place[[source, target]].T, color=FAINT, zorder=1)
    colours = np.where(chosen, PLUS, "white")
    ax.scatter(*place.T, s=420, c=colours, edgecolors=INK, linewidths=0.8, zorder=2)
    for (across, up), label, number in zip(place, labels, numbers, strict=True):
        ax.text(across, up, label, ha="center", va="center", fontsize=8, color=INK)
        ax.annotate(
            str(number), (across, up), (11, 8), textcoords="offset points", fontsize=9,
            color="#a63c00", weight="bold", bbox={"fc": "white", "ec": "none", "pad": 0.5},
        )  # fmt: skip
    ax.margins(0.3)
    ax.set_aspect("equal")
    ax.axis("off")


def _flat_coordinates(smiles: str) -> np.ndarray:
    molecule = Chem.MolFromSmiles(smiles)
    AllChem.Compute2DCoords(molecule)
    return molecule.GetConformer().GetPositions()[:, :2]


def _worked_graph(x: np.ndarray, edges: str) -> gt.Graph:
    pairs = [("abcde".index(source), "abcde".index(target)) for source, target in edges.split()]
    return gt.Graph(x[:, None], pairs, feature_names=["x"], vertex_names=list("abcde"))


if __name__ == "__main__":
    draw_acids()
    draw_worked_example()
