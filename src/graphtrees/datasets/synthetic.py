"""The synthetic tasks of the TREE-G paper: red isolated vertices, and counts of walks."""

from __future__ import annotations

import numpy as np
from sklearn.utils import Bunch

from graphtrees._layout import WALK_TYPES
from graphtrees.datasets.bunches import Split, bunch
from graphtrees.graphs import Graphs
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.validation.arguments import as_count, as_flag, as_generator, as_word

PAPER = "(Bechler-Speicher, Globerson and Gilad-Bachrach, TREE-G, 2024)"
TEST_PART = 0.2

MOST = 2**31 - 1  # graphs, or vertices of one
MOST_ISOLATED = 5  # isolated vertices in one graph, red or blue
PARTNERS = 2  # edges that each other vertex draws; its degree is about twice that
MEAN_DEGREE = 3.0  # edges out of a vertex, in the graphs whose walks are counted

Random = np.random.RandomState
Sample = tuple[np.ndarray, np.ndarray]  # red (n_vertices,) bool, edges (2, n_edges)


def make_red_isolated_vertex(
    n_graphs: int = 1000,
    n_vertices: int = 50,
    random_state: int | Random | None = None,
) -> Bunch:
    """Make graphs in which exactly one red vertex is isolated, or not.

    Neither the number of red vertices nor that of isolated ones tells the classes apart: a rule has
    to look at the isolated vertices and count the red among them.

    Parameters
    ----------
    n_graphs : int, default=1000
        Half of them, rounded down, are of class 1.
    n_vertices : int, default=50
        Of each graph; at least 4.
    random_state : int, RandomState or None, default=None
        The seed, so that the same graphs can be made again.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` undirected `Graphs` with the feature ``red`` (0 or 1); ``y`` 1 where exactly one red
        vertex is isolated, else 0 (then none is, or more than one); ``splits`` one random split
        80/20 into ``train`` and ``test``, as in the paper; ``name``, ``description``,
        ``feature_names``, ``target_names``.

    Examples
    --------
    >>> from graphtrees.datasets import make_red_isolated_vertex
    >>> task = make_red_isolated_vertex(n_graphs=10, random_state=0)
    >>> len(task.X), task.X[0].n_vertices, int(task.y.sum())
    (10, 50, 5)
    """
    as_count(n_graphs, "n_graphs", 0, MOST)
    as_count(n_vertices, "n_vertices", 4, MOST)
    random = as_generator(random_state)
    y = random.permutation(np.arange(n_graphs) % 2)
    samples = [_red_isolated_graph(bool(label), n_vertices, random) for label in y]
    return bunch(
        "red isolated vertex",
        _graphs(samples, n_vertices, directed=False),
        y,
        [_random_split(n_graphs, random)],
        f"{n_graphs} random graphs with {n_vertices} vertices each, red or blue. Is exactly one "
        f"red vertex isolated? {PAPER}",
        feature_names=["red"],
        target_names=["not exactly one", "exactly one"],
    )


def make_walk_counts(
    walk_type: str,
    n_graphs: int = 1000,
    n_vertices: int = 20,
    walk_length: int = 2,
    directed: bool = True,
    random_state: int | Random | None = None,
) -> Bunch:
    """Make graphs with red vertices, and count the walks of one type about the red ones.

    A regression task for each walk type: it shows which questions find which counts.

    Parameters
    ----------
    walk_type : {"source", "cycle", "target", "target_source"}
        Count the walks that start in a red vertex, that start and end in the same red vertex, that
        end in a red vertex, or that start and end in red vertices.
    n_graphs : int, default=1000
        How many to make.
    n_vertices : int, default=20
        Of each graph; at least 1.
    walk_length : int, default=2
        In edges; at least 0.
    directed : bool, default=True
        In undirected graphs as many walks start in red vertices as end in them, so that two of the
        four tasks are one.
    random_state : int, RandomState or None, default=None
        The seed, so that the same graphs can be made again.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``X`` `Graphs` with the feature ``red`` (0 or 1), without self-loops; ``y`` counts
        (n_graphs,) float; ``splits`` one random split 80/20 into ``train`` and ``test``; ``name``,
        ``description``, ``feature_names``.

    Examples
    --------
    >>> from graphtrees.datasets import make_walk_counts
    >>> task = make_walk_counts("source", n_graphs=10, walk_length=1, random_state=0)
    >>> red = task.X[0].features[:, 0]
    >>> bool(task.y[0] == (task.X[0].adjacency() @ red).sum())
    True
    """
    as_word(walk_type, "walk_type", WALK_TYPES)
    directed = as_flag(directed, "directed")
    as_count(n_graphs, "n_graphs", 0, MOST)
    as_count(n_vertices, "n_vertices", 1, MOST)
    as_count(walk_length, "walk_length", 0, MOST)
    random = as_generator(random_state)
    samples, counts = [], np.zeros(n_graphs)
    for graph in range(n_graphs):
        matrix = _random_adjacency(n_vertices, directed, random)
        red = random.uniform(size=n_vertices) < random.uniform(0.2, 0.8)
        counts[graph] = _count_walks(matrix, red, walk_length, walk_type)
        samples.append((red, _edges_of(matrix, directed)))
    return bunch(
        f"{walk_type} walk counts",
        _graphs(samples, n_vertices, directed),
        counts,
        [_random_split(n_graphs, random)],
        f"{n_graphs} random graphs with {n_vertices} vertices each, red or blue. How many walks of "
        f"length {walk_length} are there of the type {walk_type}, with respect to the red ones? "
        f"{PAPER}",
        feature_names=["red"],
    )


def _red_isolated_graph(exactly_one: bool, n_vertices: int, random: Random) -> Sample:
    """A graph in which exactly one red vertex is isolated, or none is, or several are.

    The numbers of isolated and of red vertices are drawn independently of the class.
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
    """Each vertex draws PARTNERS others, so that none stays isolated."""
    n_vertices = len(vertices)
    drawing = np.repeat(np.arange(n_vertices), PARTNERS)
    steps = random.randint(1, n_vertices, size=len(drawing))
    pairs = np.sort([drawing, (drawing + steps) % n_vertices], axis=0)
    return vertices[np.unique(pairs, axis=1)]


def _random_adjacency(n_vertices: int, directed: bool, random: Random) -> np.ndarray:
    """A 0/1 matrix whose entry [i, j] is the edge from j to i; no self-loops."""
    chance = min(1.0, MEAN_DEGREE / max(n_vertices - 1, 1))
    matrix = (random.uniform(size=(n_vertices, n_vertices)) < chance).astype(np.int64)
    np.fill_diagonal(matrix, 0)
    return matrix if directed else np.tril(matrix) + np.tril(matrix).T


def _edges_of(matrix: np.ndarray, directed: bool) -> np.ndarray:
    """Sources and targets (2, n_edges), an undirected edge once."""
    target, source = np.nonzero(matrix if directed else np.tril(matrix))
    return np.array([source, target])


def _count_walks(matrix: np.ndarray, red: np.ndarray, walk_length: int, walk_type: str) -> float:
    """The sum of what the walk type keeps of the matrix of walks, rows being their ends."""
    walks = np.linalg.matrix_power(matrix.astype(np.float64), walk_length)
    if walk_type == "cycle":
        return float(np.diag(walks)[red].sum())
    ends = red if walk_type in ("target", "target_source") else slice(None)
    starts = red if walk_type in ("source", "target_source") else slice(None)
    return float(walks[ends][:, starts].sum())


def _graphs(samples: list[Sample], n_vertices: int, directed: bool) -> Graphs:
    n_edges = [edges.shape[1] for _, edges in samples]
    return Graphs.from_flat(
        vertex_ptr=np.arange(len(samples) + 1) * n_vertices,
        edge_ptr=starts_of(np.array(n_edges, dtype=np.int64)),
        edges=np.concatenate([edges for _, edges in samples] or [np.zeros((2, 0), int)], axis=1),
        directed=directed,
        features=np.array([red for red, _ in samples], dtype=np.float32).reshape(-1, 1),
        feature_names=["red"],
    )


def _random_split(n_graphs: int, random: Random) -> Split:
    order = random.permutation(n_graphs)
    n_train = n_graphs - round(TEST_PART * n_graphs)
    return {"train": np.sort(order[:n_train]), "test": np.sort(order[n_train:])}
