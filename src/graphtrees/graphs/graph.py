"""One graph: vertices with features, joined by edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from graphtrees.graphs.arrays import no_numbers
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.html import summary
from graphtrees.graphs.labels import object_array
from graphtrees.graphs.validation import Attributes, build_graph
from graphtrees.graphs.validation.keywords import suggests_keywords

if TYPE_CHECKING:
    from graphtrees.graphs.examples import Edges, Vertices


class Graph:
    """A graph with features at its vertices. Once made it does not change.

    Make one where no `from_...` function reads what you have. Everything is checked here, once.

    Parameters
    ----------
    features : array, DataFrame or scipy sparse of shape (n_vertices, n_features), or None
        One row for each vertex. NaN is a missing value. A DataFrame gives its column names, and
        its categorical, string and object columns become categorical features. None: the
        vertices have no features.
    edges : array of int of shape (n_edges, 2), or scipy sparse of shape (n_vertices, n_vertices)
        Pairs (source, target) of vertex numbers from 0, or an adjacency whose entry ``A[i, j]``
        is the weight of the edge j -> i. The adjacency of an undirected graph is symmetric.
    directed : bool, default=False
        False: each edge is listed once and walked both ways.
    edge_weights : array of shape (n_edges,), optional
        1 when not given.
    edge_types : sequence of labels of length n_edges, optional
        Each label becomes a relation of its own.
    edge_features : array or DataFrame of shape (n_edges, m), optional
        Each column becomes a weighted relation.
    feature_names : sequence of str, optional
        What to call the features; default: the columns of a DataFrame, else none.
    vertex_names : sequence of length n_vertices, optional
        What to call the vertices in explanations and plots.
    n_vertices : int, optional
        Needed only when there are no features and the last vertices have no edges.

    Raises
    ------
    ValueError, TypeError
        What is given is no graph: an edge to a vertex that is not there, infinite values, lengths
        that do not match. The message names the place.

    Examples
    --------
    A path of three vertices, one feature each:

    >>> from graphtrees.graphs import Graph
    >>> g = Graph([[0.5], [1.0], [2.0]], edges=[(0, 1), (1, 2)])
    >>> g
    Graph(n_vertices=3, n_edges=2, n_features=1)
    >>> g.adjacency().toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """

    __slots__ = ("__weakref__", "_flat")
    _flat: FlatGraphs

    @suggests_keywords
    def __init__(
        self,
        features: Any,
        edges: Any,
        directed: bool = False,
        edge_weights: Any = None,
        edge_types: Any = None,
        edge_features: Any = None,
        feature_names: Sequence[str] | None = None,
        vertex_names: Sequence[Any] | None = None,
        n_vertices: int | None = None,
    ) -> None:
        given = Attributes(
            features=features,
            feature_names=feature_names,
            edge_weights=edge_weights,
            edge_types=edge_types,
            edge_features=edge_features,
            vertex_names=vertex_names,
        )
        object.__setattr__(self, "_flat", build_graph(edges, directed, n_vertices, given))

    @classmethod
    def _of(cls, flat: FlatGraphs) -> Graph:
        """Wrap checked arrays that hold exactly one graph."""
        graph = object.__new__(cls)
        object.__setattr__(graph, "_flat", flat)
        return graph

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph does not change; make a new one with another {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph does not change; it keeps its {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph._of, (self._flat,)

    def __float__(self) -> float:
        raise no_numbers("a Graph")

    def __repr__(self) -> str:
        flat = self._flat
        words = [f"n_vertices={flat.n_vertices}", f"n_edges={flat.n_edges}"]
        words.append(f"n_features={flat.n_features}")
        words += ["directed=True"] * flat.directed
        words += ["weighted"] * (flat.edge_weights is not None)
        words += [f"{len(flat.edge_type_names)} edge types"] * (flat.edge_types is not None)
        words += [f"{len(flat.edge_feature_names)} edge features"] * bool(flat.edge_feature_names)
        n_more = len(flat.graph_feature_names)
        words += [f"{n_more} graph feature{'s' * (n_more > 1)}"] * bool(n_more)
        return f"Graph({', '.join(words)})"

    def _repr_html_(self) -> str:
        return summary("Graph", self._flat)

    @property
    def flat(self) -> FlatGraphs:
        """The arrays behind this graph, as a collection of one."""
        return self._flat

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self._flat.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of edges; an undirected edge is one."""
        return self._flat.n_edges

    @property
    def n_features(self) -> int:
        """Number of features of a vertex."""
        return self._flat.n_features

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._flat.directed

    @property
    def features(self) -> np.ndarray | sp.csr_array:
        """Values (n_vertices, n_features); a categorical column holds codes into `categories`."""
        return self._flat.features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, or None."""
        return self._flat.feature_names

    @property
    def categories(self) -> dict[int, tuple]:
        """The labels of each categorical column, by column number."""
        return dict(self._flat.categories)

    @property
    def edge_index(self) -> np.ndarray:
        """Sources and targets, (2, n_edges)."""
        return self._flat.edges

    @property
    def edge_weights(self) -> np.ndarray | None:
        """The weight of each edge; None where none were given."""
        return self._flat.edge_weights

    @property
    def edge_types(self) -> np.ndarray | None:
        """The label of each edge, or None."""
        codes, names = self._flat.edge_types, self._flat.edge_type_names
        return None if codes is None else object_array(names[code] for code in codes)

    @property
    def edge_features(self) -> np.ndarray | None:
        """Numbers of each edge, (n_edges, m), or None."""
        return self._flat.edge_features

    @property
    def edge_feature_names(self) -> tuple[str, ...]:
        """Names of the edge features."""
        return self._flat.edge_feature_names

    @property
    def graph_features(self) -> dict[str, Any]:
        """What is known of the graph as a whole, by name; see `Graphs`. NaN is a missing value."""
        given = self._flat.graph_features
        if given is None:
            return {}
        return {
            name: float(value)
            if k not in given.categories or np.isnan(value)
            else given.categories[k][int(value)]
            for k, (name, value) in enumerate(zip(given.names, given.values[0], strict=True))
        }

    @property
    def vertex_names(self) -> np.ndarray | None:
        """What the vertices are called, or None."""
        return self._flat.vertex_names

    @property
    def vertices(self) -> Vertices:
        """Every vertex as an example; index it to choose some."""
        from graphtrees.graphs.collection import Graphs

        return Graphs._of(self._flat).vertices

    @property
    def edges(self) -> Edges:
        """Every edge as an example; index it to choose some."""
        from graphtrees.graphs.collection import Graphs

        return Graphs._of(self._flat).edges

    def adjacency(self) -> sp.csr_array:
        """The matrix whose entry [i, j] is the total weight of the edges j -> i.

        An undirected edge counts both ways, an undirected self-loop once.
        """
        source, target = self._flat.edges
        weights = self._flat.edge_weights
        weights = np.ones(self.n_edges) if weights is None else weights
        if not self.directed:
            back = source != target
            rows = np.concatenate([target, source[back]])
            columns = np.concatenate([source, target[back]])
            weights = np.concatenate([weights, weights[back]])
        else:
            rows, columns = target, source
        shape = (self.n_vertices, self.n_vertices)
        return sp.csr_array(sp.coo_array((weights, (rows, columns)), shape=shape))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw this graph; molecules as chemists draw them, where RDKit is installed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        **options
            As for `graphtrees.plot_graph`: `labels`, `color`, `layout`, `max_vertices`, `title`.

        Returns
        -------
        matplotlib Axes
        """
        import graphtrees

        return graphtrees.plot_graph(self, ax, **options)

    def to_networkx(self) -> Any:
        """This graph in networkx: a multigraph if edges are parallel.

        Vertices have their names as keys (numbers, if names are absent or repeat) and their
        features as attributes, categories as labels. Edges have `weight`, `type` and their
        features. `from_networkx` reads it all back, but for graph features: they are attributes
        of the networkx graph itself.

        Returns
        -------
        networkx graph
        """
        from graphtrees.graphs.convert.networkx import to_networkx

        return to_networkx(self)

    def to_pyg(self) -> Any:
        """This graph as PyTorch Geometric `Data`, an undirected edge in both directions.

        `x`, `edge_weight`, `edge_type` (numbers) and `edge_attr` are as PyG's layers want them;
        names and categories ride along, and `from_pyg` reads it all back. Graph features are left
        out.

        Returns
        -------
        torch_geometric.data.Data
        """
        from graphtrees.graphs.convert.to_pyg import to_pyg

        return to_pyg(self)
