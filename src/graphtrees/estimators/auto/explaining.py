"""Why an ensemble says what it says: the explanations of its members, summed by weight."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

IMPORTANCES = ("vertex_importance", "edge_importance")
AMOUNTS = ("vertex_attribution", "edge_attribution", "absence", "walk_length_zero", "start",
           "raw_score")  # fmt: skip
OF_GRAPHS = ("_on_vertices", "_on_edges", "_on_absence")  # what is of graph features in these


def explain_ensemble(ensemble: Any, example: Any, class_: Any, method: str) -> Any:
    """Importances are the weighted mean of all members that can explain.

    What is added to a prediction can be summed only where it is on one scale: log-odds do not add
    to shares. So attributions are the weighted mean of the members on the scale of the heaviest,
    whose rules and paths are shown.
    """
    members = [(w, m) for _, w, m in ensemble.members_ if hasattr(m, "explain")]
    if class_ is None and hasattr(ensemble, "classes_"):
        class_ = ensemble.predict(_as_examples(example))[0]
    weighted = [(w, m.explain(example, class_, method)) for w, m in members]
    main = max(weighted, key=lambda one: one[0])[1]
    alike = [(w, e) for w, e in weighted if e._goal.boosted == main._goal.boosted]
    summed = {name: _mean([(w, getattr(e, name)) for w, e in weighted]) for name in IMPORTANCES}
    amounts = AMOUNTS + (OF_GRAPHS if main.graph_attribution else ())
    summed |= {name: _mean([(w, getattr(e, name)) for w, e in alike]) for name in amounts}
    summed["graph_attribution"] = {
        name: _mean([(w, e.graph_attribution[name]) for w, e in alike])
        for name in main.graph_attribution
    }
    return replace(main, **summed, **_of_ensemble(ensemble, example, class_))


def _mean(weighted: list[tuple[float, Any]]) -> Any:
    total = sum(weight for weight, _ in weighted)
    value = sum(weight / total * np.asarray(one) for weight, one in weighted)
    return float(value) if np.ndim(value) == 0 else value


def _of_ensemble(ensemble: Any, example: Any, class_: Any) -> dict[str, Any]:
    """What the ensemble predicts, in place of what the member does."""
    X = _as_examples(example)
    prediction = ensemble.predict(X)[0]
    if not hasattr(ensemble, "classes_"):
        value = np.ravel(prediction)[0 if class_ is None else class_]
        return {"prediction": float(value), "score": float(value)}
    place = int(np.flatnonzero(ensemble.classes_ == class_)[0])
    plain = prediction.item() if isinstance(prediction, np.generic) else prediction
    return {"prediction": plain, "score": float(ensemble.predict_proba(X)[0, place])}


def _as_examples(example: Any) -> Any:
    from graphtrees.graphs import Graph, Graphs

    return Graphs([example]) if isinstance(example, Graph) else example
