"""Random graphs with red and blue vertices, for the synthetic tasks."""

from __future__ import annotations

import numpy as np

MOST_ISOLATED = 5  # isolated vertices in one graph, red or blue
PARTNERS = 2  # edges that each other vertex draws; its degree is about twice that
MEAN_DEGREE = 3.0  # edges out of a vertex, in the graphs whose walks are counted

Random = np.random.RandomState
Drawn = tuple[np.ndarray, np.ndarray]  # red (n_vertices,) bool, edges (2, n_edges)


def red_isolated_graph(exactly_one: bool, n_vertices: int, random: Random) -> Drawn:
    """A graph in which exactly one red vertex is isolated, or none is, or several are.

    How many vertices are isolated and how many are red is drawn before the answer is looked at.
    """
    n_isolated = random.randint(2, min(MOST_ISOLATED, n_vertices // 2) + 1)
    n_red = random.randint(n_isolated, n_vertices - n_isolated + 1)
    others = [n for n in range(n_isolated + 1) if n != 1]
    n_red_isolated = 1 if exactly_one else random.choice(others)
    vertices = random.permutation(n_vertices)
    isolated, joined = vertices[:n_isolated], vertices[n_isolated:]
    red = np.zeros(n_vertices, dtype=bool)
    red[isolated[:n_red_isolated]] = True
    red[random.permutation(joined)[: n_red - n_red_isolated]] = True
    return red, _edges_among(joined, random)


def _edges_among(vertices: np.ndarray, random: Random) -> np.ndarray:
    """Each vertex draws others to be joined with, so that none stays alone."""
    n_vertices = len(vertices)
    drawing = np.repeat(np.arange(n_vertices), PARTNERS)
    steps = random.randint(1, n_vertices, size=len(drawing))
    pairs = np.sort([drawing, (drawing + steps) % n_vertices], axis=0)
    return vertices[np.unique(pairs, axis=1)]


def random_adjacency(n_vertices: int, directed: bool, random: Random) -> np.ndarray:
    """A 0/1 matrix whose entry [i, j] is the edge from j to i; no self-loops."""
    chance = min(1.0, MEAN_DEGREE / max(n_vertices - 1, 1))
    matrix = (random.uniform(size=(n_vertices, n_vertices)) < chance).astype(np.int64)
    np.fill_diagonal(matrix, 0)
    if not directed:
        matrix = np.tril(matrix) + np.tril(matrix).T
    return matrix


def edges_of(matrix: np.ndarray, directed: bool) -> np.ndarray:
    """Sources and targets (2, n_edges), an undirected edge once."""
    target, source = np.nonzero(matrix if directed else np.tril(matrix))
    return np.array([source, target])
