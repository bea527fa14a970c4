"""Every public entry point, called with sound arguments of which one or two are replaced."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fuzzing.odd import ODD, make

PARAMETERS = (
    "max_walk_length", "max_ancestor_distance", "walk_types", "aggregators",
    "walk_type_probability", "operators", "add_constant", "categorical_features", "max_leaf_nodes",
    "max_depth", "min_samples_leaf", "min_gain", "ccp_alpha", "max_bins", "random_state", "n_jobs",
    "verbose", "importance_type", "learning_rate", "loss", "multi_strategy", "l2_regularization",
    "subsample", "feature_fraction", "early_stopping", "validation_fraction", "n_iter_no_change",
    "tol", "scoring", "class_weight", "warm_start", "n_estimators", "feature_fraction_per_node",
    "memory_limit",
)  # fmt: skip


@dataclass(frozen=True)
class EntryPoint:
    """A function and sound values for its arguments, by name."""

    call: Callable[..., Any]
    good: dict[str, str]


def random_call(rng: np.random.Generator) -> dict[str, Any]:
    name = str(rng.choice(list(ENTRY_POINTS)))
    arguments = dict(ENTRY_POINTS[name].good)
    for argument in rng.choice(list(arguments), size=min(len(arguments), int(rng.integers(1, 3)))):
        unlike = ["broken sparse"] if argument in ("model", "shown") else []  # it cannot be shown
        arguments[str(argument)] = str(rng.choice([name for name in ODD if name not in unlike]))
    return {"function": name, "arguments": arguments}


def call(case: dict[str, Any]) -> None:
    entry_point = ENTRY_POINTS[case["function"]]
    arguments = entry_point.good | case["arguments"]
    entry_point.call(**{name: make(value) for name, value in arguments.items()})


# ---- what is called ------------------------------------------------------------------------------


def _used(result: Any) -> None:
    """What was accepted can be shown, copied, indexed and trained on."""
    import graphtrees as gt

    repr(result)
    result._repr_html_() if hasattr(result, "_repr_html_") else None
    pickle.loads(pickle.dumps(result))
    if isinstance(result, gt.Graph):
        result.adjacency()
        result = gt.Graphs([result])
    if isinstance(result, gt.Graphs) and len(result.vertices) > 1:
        _ = result[0], result[:1], result[[0]]
        vertices = result.vertices
        y = np.arange(len(vertices)) % 2
        model = gt.GraphTreeClassifier(n_jobs=1, random_state=0, max_leaf_nodes=3).fit(vertices, y)
        model.predict(vertices)


def _library(name: str) -> Callable[..., Any]:
    def called(**arguments: Any) -> None:
        import graphtrees as gt

        home: Any = gt
        for part in name.split("."):
            home = getattr(home, part)
        _used(home(**arguments))

    return called


def _first(name: str, argument: str) -> Callable[..., Any]:
    """A function whose first argument has no name to go by."""

    def called(**arguments: Any) -> None:
        import graphtrees as gt

        first = arguments.pop(argument)
        _used(getattr(gt, name)(first, **arguments))

    return called


def _fit(kind: str, name: str, value: Any, X: Any, y: Any, sample_weight: Any) -> None:
    import graphtrees as gt

    known = getattr(gt, kind)._get_param_names()
    given = {name: value} if name in known else {}
    few = {} if "Tree" in kind else {"n_estimators": 2}
    model = getattr(gt, kind)(**{"n_jobs": 1, "random_state": 0} | few | given)
    model.fit(X, y, sample_weight=sample_weight)
    model.predict(X)


def _fitting(kind: str, name: str) -> EntryPoint:
    def called(value: Any, X: Any, y: Any, sample_weight: Any) -> None:
        _fit(kind, name, value, X, y, sample_weight)

    good = {"value": "one", "X": "graphs", "y": "y", "sample_weight": "weight"}
    return EntryPoint(called, good)


def _method(name: str, **good: str) -> EntryPoint:
    def called(model: Any, **arguments: Any) -> None:
        if hasattr(type(model), name) and hasattr(model, "get_params"):
            result = getattr(model, name)(**arguments)
            _ = list(result) if name.startswith("staged") else result

    return EntryPoint(called, {"model": "model"} | good)


def _fit_options(model: Any, eval_set: Any, callbacks: Any, resume_from: Any) -> None:
    from sklearn.base import clone

    if hasattr(model, "staged_predict"):
        given = {"eval_set": eval_set, "callbacks": callbacks, "resume_from": resume_from}
        clone(model).fit(make("graphs"), make("y"), **given)


def _explained(graph: Any, tree: Any, n_trees: Any, labels: Any, layout: Any) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    e = make("model").explain(graph)
    try:
        e.rules(tree=tree, n_trees=n_trees)
        e.to_dict()
        e.plot(labels=labels, layout=layout)
    finally:
        pyplot.close("all")


def _prune(X: Any, y: Any, sample_weight: Any) -> None:
    import graphtrees as gt

    gt.GraphTreeRegressor(n_jobs=1).cost_complexity_pruning_path(X, y, sample_weight)


def _report(model: Any, X: Any, y: Any, n_trees: Any, max_examples: Any) -> None:
    if not hasattr(model, "get_params"):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.html")
        model.report(X, y, path=path, n_trees=n_trees, max_examples=max_examples)


def _drawing(name: str, **good: str) -> EntryPoint:
    def called(**arguments: Any) -> None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        import graphtrees as gt

        first = arguments.pop("shown")
        try:
            getattr(gt, name)(first, **arguments)
        finally:
            pyplot.close("all")

    return EntryPoint(called, good)


def _index(graphs: Any, key: Any) -> None:
    import graphtrees as gt

    if isinstance(graphs, (gt.Graphs, gt.Vertices, gt.Edges)):
        _used(graphs[key])


def _load(path: Any) -> None:
    import graphtrees as gt

    gt.load_model(path)


def _save(model: Any, path: Any) -> None:
    if hasattr(model, "get_params") and not isinstance(path, str):
        model.save(path)


_GRAPH = {
    "features": "features", "edges": "edges", "directed": "false", "edge_weights": "edge numbers",
    "edge_types": "labels", "edge_features": "edge table", "feature_names": "names",
    "vertex_names": "vertex names", "n_vertices": "none",
}  # fmt: skip
_FLAT = _GRAPH | {
    "edges": "edges across", "vertex_ptr": "vertex ptr", "edge_ptr": "edge ptr",
    "categories": "none", "edge_feature_names": "none",
}  # fmt: skip
_FLAT.pop("n_vertices")

ENTRY_POINTS: dict[str, EntryPoint] = {
    "Graph": EntryPoint(_library("Graph"), _GRAPH),
    "Graphs": EntryPoint(_first("Graphs", "graphs"), {"graphs": "graphs"}),
    "Graphs.from_flat": EntryPoint(_library("Graphs.from_flat"), _FLAT),
    "index": EntryPoint(_index, {"graphs": "graphs", "key": "one"}),
    "from_scipy": EntryPoint(
        _library("from_scipy"),
        {"A": "adjacency", "X": "features", "directed": "none", "feature_names": "names"},
    ),
    "from_tables": EntryPoint(
        _library("from_tables"),
        {"vertices_df": "vertices table", "edges_df": "edges table", "graphs_df": "none",
         "features": "none", "weight": "none", "edge_type": "none", "edge_features": "none",
         "directed": "false"},
    ),
    "from_networkx": EntryPoint(
        _library("from_networkx"),
        {"graphs": "networkx", "features": "none", "weight": "none", "edge_type": "none",
         "edge_features": "none"},
    ),
    "from_smiles": EntryPoint(_library("from_smiles"), {"molecules": "smiles"}),
    "from_graphml": EntryPoint(_library("from_graphml"), {"path": "a path"}),
    "from_igraph": EntryPoint(_library("from_igraph"), {"graphs": "none"}),
    "inspect": EntryPoint(_library("inspect"), {"X": "graphs", "y": "y", "test": "none"}),
    "load_model": EntryPoint(_load, {"path": "a path"}),
    "save": EntryPoint(_save, {"model": "model", "path": "none"}),
    "predict": _method("predict", X="graphs"),
    "predict_proba": _method("predict_proba", X="graphs"),
    "apply": _method("apply", X="graphs"),
    "staged_predict": _method("staged_predict", X="graphs"),
    "explain": _method("explain", example="graph", class_="none", method="none"),
    "importance": _method("importance", kind="none", by="none"),
    "report": EntryPoint(
        _report,
        {"model": "model", "X": "graphs", "y": "y", "n_trees": "one", "max_examples": "three"},
    ),
    "fit": EntryPoint(
        _fit_options,
        {"model": "model", "eval_set": "none", "callbacks": "none", "resume_from": "none"},
    ),
    "explanation": EntryPoint(
        _explained,
        {"graph": "graph", "tree": "zero", "n_trees": "one", "labels": "none", "layout": "none"},
    ),
    "cost_complexity_pruning_path": EntryPoint(
        _prune, {"X": "graphs", "y": "y", "sample_weight": "weight"}
    ),
    "decision_function": _method("decision_function", X="graphs"),
    "set_params": _method("set_params", max_depth="one", operators="one", warm_start="true"),
    "explain_many": EntryPoint(
        _first("explain_many", "model"), {"model": "model", "X": "graphs", "class_": "none"}
    ),
    "fidelity": EntryPoint(
        _first("fidelity", "model"),
        {"model": "model", "X": "graphs", "fractions": "half", "n_random": "one",
         "random_state": "zero"},
    ),
    "permutation_importance": EntryPoint(
        _first("permutation_importance", "model"),
        {"model": "model", "X": "graphs", "y": "y", "n_repeats": "one", "random_state": "zero"},
    ),
    "export_text": EntryPoint(
        _first("export_text", "model"),
        {"model": "model", "tree": "zero", "max_depth": "three", "spacing": "three"},
    ),
    "plot_tree": _drawing("plot_tree", shown="model", tree="zero", max_depth="three"),
    "plot_graph": _drawing("plot_graph", shown="graph", labels="none", color="none",
                           layout="none", max_vertices="three", title="none"),
    "plot_importance": _drawing("plot_importance", shown="model", max_bars="three"),
    "plot_metric": _drawing("plot_metric", shown="model", metric="none"),
    "make_red_isolated_vertex": EntryPoint(
        _library("datasets.make_red_isolated_vertex"),
        {"n_graphs": "three", "n_vertices": "three", "random_state": "zero"},
    ),
    "make_walk_counts": EntryPoint(
        _library("datasets.make_walk_counts"),
        {"walk_type": "walk type", "n_graphs": "three", "n_vertices": "three",
         "walk_length": "one", "directed": "false", "random_state": "zero"},
    ),
    "load_tu": EntryPoint(_library("datasets.load_tu"), {"name": "a path", "data_home": "a path",
                                                   "download_if_missing": "false"}),
    "Checkpoint": EntryPoint(_library("Checkpoint"), {"path": "a path", "every": "one"}),
} | {
    f"{kind} {name}": _fitting(kind, name)
    for kind in ("GraphBoostingClassifier", "GraphForestRegressor")
    for name in PARAMETERS
}  # fmt: skip
