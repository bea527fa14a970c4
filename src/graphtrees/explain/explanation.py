"""An explanation of one prediction: holds the numbers and finds words for them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from graphtrees.explain.graph_effects import effects_line, less, shares_of
from graphtrees.explain.path import Path, Tracer
from graphtrees.explain.sentences import Goal
from graphtrees.graphs import Graph
from graphtrees.questions.text import number

_ARRAYS = ("vertex_importance", "edge_importance", "vertex_attribution", "edge_attribution",
           "contributions")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a model said what it said about one graph, vertex or edge.

    Made by ``model.explain(example)``. Each step down a tree changes what is said; the change is
    shared among the vertices and edges that the answer came from. With ``method="paper"`` a vertex
    is important when the subsets of vertices that the questions looked at often hold it, an edge
    when many of those questions walked along it.

    Attributes
    ----------
    graph : Graph
        The graph, or the graph that the vertex or edge belongs to.
    vertex, edge : int or None
        Which vertex or edge of it is explained.
    prediction : object
        What the model predicts: a class or a number.
    class_ : object
        The class that is explained; None for a regressor.
    score : float
        The predicted probability of `class_`, or the predicted number.
    vertex_importance : ndarray of shape (n_vertices,)
        Not negative; sums to 1.
    edge_importance : ndarray of shape (n_edges,)
        Not negative; sums to 1. In the order of ``graph.edge_index``: an undirected edge is one
        edge, whichever way it was walked.
    vertex_attribution : ndarray of shape (n_vertices,)
        What each vertex adds to `raw_score`; negative where it speaks against it. With `absence`
        they add up to ``raw_score - start``.
    edge_attribution : ndarray of shape (n_edges,)
        The same for the walks along each edge. With `walk_length_zero` and `absence` they add up
        to ``raw_score - start``.
    graph_attribution : dict of str to float
        What each graph feature adds to `raw_score`. It is part of `vertex_attribution`, shared
        evenly among the vertices asked, and where its value is 0 or missing of `absence`; pictures
        show it apart, see `without_graph_features`.
    absence : float
        What was added by steps that no vertex had a part in: nothing was found, or all is missing.
    walk_length_zero : float
        What was added by questions that follow no edge; 0 where edges are explained.
    start, raw_score : float
        What is said before any question, and in the end: the decision function of the class for
        boosting, else the share of the class or the number that the trees say on average.
    method : str
        What importances go by: "attribution" or "paper".
    contributions : ndarray of shape (n_trees,)
        What each tree adds to the explained class or number.

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    >>> model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    >>> explanation = model.explain(star)
    >>> explanation
    Explanation(graph with 4 vertices and 3 edges: class 'star', probability 1)
    >>> print("\\n".join(explanation.rules()))
    tree 0
    node 0: the largest number of neighbours is 3 > 2.5 → right
    leaf 2: says class 'star' with share 1
    """

    graph: Graph
    vertex: int | None
    edge: int | None
    prediction: Any
    class_: Any
    score: float
    vertex_importance: np.ndarray
    edge_importance: np.ndarray
    vertex_attribution: np.ndarray
    edge_attribution: np.ndarray
    absence: float
    walk_length_zero: float
    start: float
    raw_score: float
    method: str
    contributions: np.ndarray
    _tracer: Tracer = field(repr=False)
    _place: tuple[int, int, int, float]  # graph and vertex for the tracer, output, sign
    _goal: Goal
    _start: str | None = None  # what the model says that the trees start from
    graph_attribution: dict[str, float] = field(default_factory=dict)
    # How much of the attributions of vertices and edges, and of absence, is of graph features.
    _on_vertices: np.ndarray | None = None
    _on_edges: np.ndarray | None = None
    _on_absence: float = 0.0
    _paths: dict[int, Path] = field(default_factory=dict)  # traced before

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            getattr(self, name).flags.writeable = False

    @property
    def n_trees(self) -> int:
        """Number of trees of the model."""
        return len(self.contributions)

    @property
    def reach(self) -> int:
        """The most steps that any walk of the model takes."""
        return self._tracer.fitted.packed.longest

    def without_graph_features(self) -> Explanation:
        """The same with what graph features add taken out of vertices, edges and absence.

        Vertices then show what they carry themselves; `graph_attribution` tells the rest. By the
        paper's method there is nothing to take out.

        Returns
        -------
        Explanation
        """
        if self._on_vertices is None or self._on_edges is None or self.method == "paper":
            return self
        vertex = less(self.vertex_attribution, self._on_vertices)
        edge = less(self.edge_attribution, self._on_edges)
        return replace(
            self,
            vertex_attribution=vertex, vertex_importance=shares_of(vertex),
            edge_attribution=edge, edge_importance=shares_of(edge),
            absence=float(less(self.absence, self._on_absence)),
            _on_vertices=None, _on_edges=None, _on_absence=0.0,
        )  # fmt: skip

    def trees(self, n_trees: int | None = None) -> list[int]:
        """The trees by how much they add, whatever the sign, the weightiest first.

        Parameters
        ----------
        n_trees : int, optional
            So many of them; default: all.

        Returns
        -------
        list of int
        """
        order = np.argsort(-np.abs(self.contributions), kind="stable")
        return order[:n_trees].tolist()

    def path(self, tree: int) -> Path:
        """The way down one tree: at each split-node the question, value, threshold and subsets.

        Parameters
        ----------
        tree : int
            Which tree, as in the column `tree` of `trees_to_dataframe`.

        Returns
        -------
        Path
            Its `steps` have `node`, `question`, `value`, `threshold`, `direction`, `used`, `plus`,
            `minus` (vertex numbers of the used subset and the two made of it), `edges`, ...;
            `leaf` and `contribution` say where it ends.
        """
        if not isinstance(tree, (int, np.integer)) or not -self.n_trees <= tree < self.n_trees:
            raise IndexError(f"tree must be a number below {self.n_trees}; got {tree!r}")
        number = int(tree) % self.n_trees
        if number not in self._paths:
            graph, vertex, output, sign = self._place
            path = self._tracer.path(graph, vertex, number, output, sign, self._goal)
            self._paths[number] = path
        return self._paths[number]

    def rules(self, tree: int | None = None, n_trees: int = 3) -> list[str]:
        """The questions asked on the way, in words.

        Parameters
        ----------
        tree : int, optional
            Which tree. Default: the `n_trees` that add most, each under its number.
        n_trees : int, default=3
            How many trees, where none is named.

        Returns
        -------
        list of str
            One sentence for each split-node and one for the leaf. Where the trees start from a
            model, what that one says comes first.
        """
        if tree is not None:
            return self.path(tree).sentences()
        chosen = self.trees(n_trees)
        start = [] if self._start is None else [self._start]
        lines = [line for k in chosen for line in (f"tree {k}", *self.path(k).sentences())]
        return start + lines

    def to_networkx(self, attribute: str = "importance") -> Any:
        """The graph in networkx, with the importance of every vertex and edge as an attribute.

        Parameters
        ----------
        attribute : str, default="importance"
            Its name; the graph must not have it yet.

        Returns
        -------
        networkx graph
        """
        other = self.graph.to_networkx()
        for data, value in zip(
            (data for _, data in other.nodes(data=True)), self.vertex_importance, strict=True
        ):
            _put(data, attribute, value)
        keys = list(other.nodes)
        met: dict[frozenset | tuple, int] = {}
        for (source, target), value in zip(
            self.graph.edge_index.T.tolist(), self.edge_importance, strict=True
        ):
            pair = (source, target) if self.graph.directed else frozenset((source, target))
            nth = met[pair] = met.get(pair, -1) + 1  # parallel edges are keyed 0, 1, ...
            ends = (keys[source], keys[target])
            _put(other.edges[(*ends, nth) if other.is_multigraph() else ends], attribute, value)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Everything but the graph, as JSON has it: lists, numbers and strings.

        The paths are not in it: ``[explanation.path(k).to_dict() for k in explanation.trees(5)]``.
        """
        plain = {"vertex": self.vertex, "edge": self.edge, "score": float(self.score)}
        numbers = ("absence", "walk_length_zero", "start", "raw_score")
        return {
            "prediction": self.prediction,
            "class": self.class_,
            "method": self.method,
            **plain,
            **{name: getattr(self, name).tolist() for name in _ARRAYS},
            **{name: float(getattr(self, name)) for name in numbers},
            "graph_attribution": dict(self.graph_attribution),
            "rules": self.rules(),
        }

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the graph: vertices sized and shaded by importance, edges by theirs.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        **options
            As for `graphtrees.plot_explanation`: `labels`, `layout`, `max_vertices`, `title`,
            `colorbar`.

        Returns
        -------
        matplotlib Axes
        """
        import graphtrees

        return graphtrees.plot_explanation(self, ax=ax, **options)

    def __repr__(self) -> str:
        return f"Explanation({self.headline()})"

    def headline(self) -> str:
        """What is explained, and what was predicted."""
        graph = f"graph with {self.graph.n_vertices} vertices and {self.graph.n_edges} edges"
        if self.vertex is not None:
            graph = f"vertex {self.vertex} of a {graph}"
        if self.edge is not None:
            graph = f"edge {self.edge} of a {graph}"
        if not self._goal.is_class:
            return f"{graph}: {number(self.score)}"
        return f"{graph}: class {self.class_!r}, probability {number(self.score)}"

    def graph_line(self, most: int = 3) -> str:
        """What the graph features add, in words, the largest first; "" where they add nothing.

        Parameters
        ----------
        most : int, default=3
            So many of them; the others are summed up.

        Returns
        -------
        str
            Such as "of the whole graph: MW +0.31, assay −0.02".
        """
        return effects_line(self.graph_attribution, most)

    def _repr_html_(self) -> str:
        importance = self.without_graph_features().vertex_importance
        rows = "".join(
            f"<tr><td>{escape(self.vertex_label(v))}</td><td>{importance[v]:.3f}</td></tr>"
            for v in np.argsort(-importance, kind="stable")[:5].tolist()
        )
        whole = f"<p>{escape(self.graph_line())}</p>" if self.graph_line() else ""
        rules = "".join(f"<li>{escape(line)}</li>" for line in self._lines_of_one_tree())
        return (
            f"<div><strong>{escape(self.headline())}</strong>"
            f"<table><thead><tr><th>vertex</th><th>importance</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>{whole}<ol>{rules}</ol></div>"
        )

    def _lines_of_one_tree(self) -> list[str]:
        """The rules of the weightiest tree, without its number."""
        return [line for line in self.rules(n_trees=1) if not line.startswith("tree ")]

    def vertex_label(self, vertex: int) -> str:
        """The vertex's name, else its number.

        Parameters
        ----------
        vertex : int
            Its number in `graph`.
        """
        names = self.graph.vertex_names
        return str(vertex) if names is None else str(names[vertex])


def _put(data: dict[str, Any], attribute: str, value: float) -> None:
    if attribute in data:
        raise ValueError(f"the graph already has {attribute!r}: choose another attribute=")
    data[attribute] = float(value)
