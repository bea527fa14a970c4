"""Bars of global importance and curves of training."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from graphtrees.explain.global_importance import shares
from graphtrees.graphs.validation.arguments import as_count, as_word
from graphtrees.plot.axes import ACCENT, FAINT, INK, an_axes
from graphtrees.plot.visible import drawable
from graphtrees.validation.models import fitted_trees

LINES = ("#1667b8", "#c2570c", "#2a7f3f", "#7a4bb0", "#a8324e")


def plot_importance(
    model: Any, by: str = "feature", ax: Any = None, *, kind: str | None = None,
    importance_type: str | None = None, max_bars: int = 15, max_num_features: int | None = None,
) -> Any:  # fmt: skip
    """Draw what earns a model its gain, as bars, the largest on top.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    by : str, default="feature"
        Part of a question: "feature", "category", "walk_length", "walk_type", "aggregator",
        "operator", "subset" or "question".
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.
    kind, importance_type : {"gain", "split"}, default: the model's `importance_type`
        The share of the gain, or of the number of splits; two names for the same.
    max_bars : int, default=15
        The rest is summed up in one bar.
    max_num_features : int, optional
        Another name for `max_bars`.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_walk_counts("cycle", n_graphs=60, random_state=0)
    >>> model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(data.X, data.y)
    >>> gt.plot_importance(model, by="walk_type").get_yticklabels()[0].get_text()
    'cycle'
    """
    fitted = fitted_trees(model)
    kind = _one_of(kind, importance_type) or model.importance_type
    parts = shares(fitted, kind, by)
    max_bars = as_count(max_bars if max_num_features is None else max_num_features, "max_bars")
    names, values = list(parts), list(parts.values())
    if len(names) > max_bars:
        rest = sum(values[max_bars:])
        names, values = names[:max_bars], values[:max_bars]
        names.append(f"{len(parts) - max_bars} others")
        values.append(rest)
    texts = [textwrap.fill(drawable(name), 44) for name in names]
    n_lines = sum(text.count("\n") + 1 for text in texts)
    ax = an_axes(ax, "plot_importance", (6.4, max(2.0, 0.9 + 0.24 * n_lines + 0.08 * len(texts))))
    rows = np.arange(len(texts))
    bars = ax.barh(rows, values, color=ACCENT, height=0.7)
    if len(names) > max_bars:
        bars[-1].set_color(FAINT)
    ax.bar_label(
        bars, labels=[f"{value:.1%}" for value in values], padding=3, fontsize=8, color=INK
    )
    ax.set_yticks(rows, texts, fontsize=9, parse_math=False)
    ax.set_ylim(len(texts) - 0.4, -0.6)
    ax.set_xlim(0, 1.15 * max(values, default=1.0) or 1.0)
    ax.set_xlabel("share of the gain" if kind == "gain" else "share of the splits")
    ax.set_title(f"importance by {by.replace('_', ' ')}", fontsize=10, color=INK)
    _plain(ax)
    return ax


def _one_of(kind: str | None, importance_type: str | None) -> str | None:
    if None not in (kind, importance_type) and kind != importance_type:
        raise ValueError(
            f"kind and importance_type mean the same; got {kind!r} and {importance_type!r}"
        )
    return kind if importance_type is None else importance_type


def plot_metric(model: Any, ax: Any = None, *, metric: str | None = None) -> Any:
    """Draw the curves of `evals_result_`: how a boosted model did, round by round.

    The best round by the first metric of the last set, `best_iteration_`, is marked.

    Parameters
    ----------
    model : fitted boosting estimator
        What to draw the curves of.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.
    metric : str, optional
        Which metric. Default: the first.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=8, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=5).fit(data.X, data.y)
    >>> gt.plot_metric(model).get_xlabel()
    'round'
    """
    results = getattr(model, "evals_result_", None)
    if not results:
        raise ValueError(
            f"{type(model).__name__} has no evals_result_: plot_metric is for fitted boosting"
        )
    known = list(dict.fromkeys(name for scores in results.values() for name in scores))
    name = known[0] if metric is None else metric
    as_word(name, "metric", known)
    ax = an_axes(ax, "plot_metric")
    curves = [(where, scores[name]) for where, scores in results.items() if name in scores]
    for k, (where, scores) in enumerate(curves):
        rounds = np.arange(1, len(scores) + 1)
        marker = "o" if len(scores) == 1 else None
        ax.plot(rounds, scores, label=where, color=LINES[k % len(LINES)], marker=marker)
    _mark_best(ax, model, curves[-1][1])
    ax.set_xlabel("round")
    ax.set_ylabel(name)
    ax.legend(frameon=False)
    _plain(ax)
    return ax


def _mark_best(ax: Any, model: Any, scores: list[float]) -> None:
    """The best round, on the curve of the set that it was chosen by."""
    best = int(model.best_iteration_)
    if not 0 <= best < len(scores):
        return
    ax.axvline(best + 1, color=FAINT, linestyle="--", linewidth=1, zorder=0)
    ax.plot([best + 1], [scores[best]], "o", color=INK, markersize=6, linestyle="none", zorder=3,
            label=f"best: round {best + 1}, {scores[best]:.4g}")  # fmt: skip


def _plain(ax: Any) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
