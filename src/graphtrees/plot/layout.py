"""Where to draw the vertices of a graph: distances on paper like distances along edges.

Each connected part is laid out by majorisation of its stress, which shows rings as rings and chains
as chains; the parts are then put in rows like words on a page.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import linalg
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, shortest_path

N_STEPS = 300
N_STEPS_IN_SPACE = 30
GAP = 1.0  # between connected parts, in lengths of an edge
ASPECT = 4 / 3  # of the page


def lay_out(n_vertices: int, edges: np.ndarray) -> np.ndarray:
    """Coordinates (n_vertices, 2); an edge is about 1 long.

    Parameters
    ----------
    n_vertices : int
    edges : array of int of shape (2, n_edges)

    Examples
    --------
    >>> import numpy as np
    >>> place = lay_out(3, np.array([[0, 1], [1, 2]]))
    >>> np.round(np.hypot(*np.diff(place, axis=0).T), 3)
    array([1., 1.])
    """
    return _lay_out(n_vertices, edges.astype(np.int64).tobytes()).copy()


@lru_cache(maxsize=64)
def _lay_out(n_vertices: int, stored: bytes) -> np.ndarray:
    """One layout for all pictures of a graph."""
    edges = np.frombuffer(stored, np.int64).reshape(2, -1)
    # csgraph of SciPy before 1.15 misreads matrices with 64-bit indices.
    ends, ones = edges.astype(np.int32), np.ones(edges.shape[1])
    matrix = coo_array((ones, tuple(ends)), shape=(n_vertices, n_vertices)).tocsr()
    n_parts, part_of = connected_components(matrix, directed=False)
    place = np.zeros((n_vertices, 2))
    sizes = np.bincount(part_of, minlength=n_parts)
    for part in np.flatnonzero(sizes > 1):
        members = np.flatnonzero(part_of == part)
        hops = shortest_path(matrix[members][:, members], directed=False, unweighted=True)
        place[members] = _level(_least_stress(hops))
    groups = [np.flatnonzero(part_of == part) for part in np.flatnonzero(sizes > 1)]
    alone = np.flatnonzero(sizes[part_of] == 1)
    if len(alone):
        width = int(np.ceil(np.sqrt(len(alone) * ASPECT * 2)))
        place[alone] = np.c_[np.arange(len(alone)) % width, np.arange(len(alone)) // width] * 0.8
        groups.append(alone)
    return _pack(place, groups)


def lay_out_around(n_vertices: int, edges: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Coordinates with some vertices in the middle and the others in rings, by steps from there.

    Each vertex has a sector of its ring within that of the neighbour that leads to it, as wide as
    what hangs on it, so that neighbours can be told apart however many there are.

    Examples
    --------
    >>> import numpy as np
    >>> place = lay_out_around(3, np.array([[0, 0], [1, 2]]), np.array([0]))
    >>> np.round(np.hypot(*place.T), 3)
    array([0., 1., 1.])
    """
    parent, ring = _tree_around(n_vertices, edges, centre)
    order = np.lexsort((np.arange(n_vertices), ring))
    width = np.ones(n_vertices)  # of a sector: the ends that hang on a vertex
    hanging = np.zeros(n_vertices)
    for vertex in order[::-1].tolist():
        width[vertex] = max(1.0, hanging[vertex])
        if parent[vertex] >= 0:
            hanging[parent[vertex]] += width[vertex]
    start, angle = np.zeros(n_vertices), np.zeros(n_vertices)
    whole = width[parent < 0].sum()
    taken = 0.0
    used = np.zeros(n_vertices)  # of its sector, by a vertex's children
    for vertex in order.tolist():
        up = parent[vertex]
        start[vertex] = taken if up < 0 else start[up] + used[up]
        if up < 0:
            taken += width[vertex]
        else:
            used[up] += width[vertex]
        angle[vertex] = 2 * np.pi * (start[vertex] + width[vertex] / 2) / whole
    radius = _radii(ring)[ring]
    radius[ring == 0] = 0.0 if len(centre) == 1 else 0.5
    return radius[:, None] * np.c_[np.cos(angle), np.sin(angle)]


def _tree_around(
    n_vertices: int, edges: np.ndarray, centre: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The neighbour that leads to each vertex, and how many steps away it is.

    What cannot be reached hangs on the first vertex of the centre, one ring further out.
    """
    ones = np.ones(edges.shape[1])
    matrix = coo_array((ones, tuple(edges)), shape=(n_vertices, n_vertices)).tocsr()
    matrix = matrix + matrix.T
    parent, ring = np.full(n_vertices, -1), np.full(n_vertices, -1)
    ring[centre] = 0
    row = centre.tolist()
    while row:
        reached = []
        for vertex in row:
            near = matrix.indices[matrix.indptr[vertex] : matrix.indptr[vertex + 1]]
            for other in np.sort(near[ring[near] < 0]).tolist():
                ring[other], parent[other] = ring[vertex] + 1, vertex
                reached.append(other)
        row = reached
    away = ring < 0
    parent[away], ring[away] = centre[0], ring.max() + 1
    return parent, ring


def _radii(ring: np.ndarray) -> np.ndarray:
    """Rings evenly apart, by at least 1, and wide enough for the vertices on them."""
    counts = np.bincount(ring)
    needed = 0.75 * counts[1:] / (2 * np.pi) / np.arange(1, len(counts))
    return np.arange(len(counts)) * max(1.0, float(needed.max(initial=0.0)))


def _least_stress(hops: np.ndarray) -> np.ndarray:
    """Minimise the sum over pairs of (distance on paper − hops)² / hops², by majorisation.

    The first steps are taken in space: what would be a twisted ring on paper untwists there.
    """
    place = _principal(hops)
    np.fill_diagonal(hops, 1.0)
    weight = hops**-2.0
    np.fill_diagonal(weight, 0.0)
    laplacian = np.diag(weight.sum(axis=1)) - weight
    solve = linalg.cho_factor(laplacian[1:, 1:])  # vertex 0 stays at the origin
    place = _majorise(place, hops, weight, solve, N_STEPS_IN_SPACE)
    return _majorise(_level(place)[:, :2], hops, weight, solve, N_STEPS)


def _majorise(
    place: np.ndarray, hops: np.ndarray, weight: np.ndarray, solve: tuple, n_steps: int
) -> np.ndarray:
    before = np.inf
    for _ in range(n_steps):
        products = place @ place.T
        squares = products.diagonal()
        distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * products, 1e-18))
        np.fill_diagonal(distance, 1.0)
        stress = (weight * (distance - hops) ** 2).sum() / 2
        if before - stress < 1e-7 * len(hops):
            break
        before = stress
        pull = weight * hops / distance
        target = pull.sum(axis=1)[:, None] * place - pull @ place
        place = np.zeros_like(place)
        place[1:] = linalg.cho_solve(solve, target[1:])
    return place


def _principal(hops: np.ndarray) -> np.ndarray:
    """A first guess in space by classical scaling, jogged so that no two vertices coincide."""
    n = len(hops)
    square = -0.5 * hops**2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    values, vectors = linalg.eigh(centred, subset_by_index=[max(0, n - 3), n - 1])
    place = np.zeros((n, 3))
    place[:, : len(values)] = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
    return place + np.random.default_rng(0).normal(scale=0.05, size=(n, 3))


def _level(place: np.ndarray) -> np.ndarray:
    """Turn the widest direction to the horizontal."""
    centred = place - place.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    return centred @ axes.T


def _pack(place: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    """Put the groups side by side in rows, the tallest first, on a page of the usual shape."""
    packed = place.copy()
    boxes = [np.ptp(place[group], axis=0) + GAP for group in groups]
    if not boxes:
        return packed
    page = max(
        np.sqrt(sum(float(np.prod(box)) for box in boxes) * ASPECT), max(box[0] for box in boxes)
    )
    x = y = row_height = 0.0
    for group, box in sorted(zip(groups, boxes, strict=True), key=lambda pair: -float(pair[1][1])):
        if x > 0 and x + box[0] > page + 1e-9:
            x, y, row_height = 0.0, y - row_height, 0.0
        corner = place[group].min(axis=0)
        top = float(np.ptp(place[group][:, 1]))
        packed[group] = place[group] - corner + np.array([x, y - top])
        x, row_height = x + float(box[0]), max(row_height, float(box[1]))
    return packed
