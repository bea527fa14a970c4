"""The headline: how good the answers are, and beside what."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, log_loss, r2_score, roc_auc_score

from graphtrees.plot.report.answers import Answers
from graphtrees.questions.text import number
from graphtrees.validation.baseline import rare_class

MOST_POINTS = 2000  # of the plot of residuals


def headline(answers: Answers) -> list[dict[str, str]]:
    """Names, values and notes, the most telling first; empty where the truth is unknown."""
    if answers.truth is None:
        return []
    if answers.labels is None or answers.chances is None:
        return _of_numbers(answers.predicted, answers.truth, answers.always)
    return _of_classes(answers, answers.labels, answers.chances, answers.truth)


def _of_classes(
    answers: Answers, labels: list[Any], chances: np.ndarray, truth: np.ndarray
) -> list[dict[str, str]]:
    counts = np.bincount(truth, minlength=len(labels))
    right = truth == answers.predicted
    always = int(counts.argmax()) if answers.always is None else int(answers.always)
    beside = f"always {labels[always]!s}: {_percent(float(counts[always] / len(truth)))}"
    metrics = [
        _metric("accuracy", _percent(float(right.mean())), beside),
        _metric("mistakes", f"{(~right).sum():,}", f"of {len(truth):,}"),
    ]
    present = np.flatnonzero(counts)
    if len(present) > 1:
        recall = np.bincount(truth[right], minlength=len(counts))[present] / counts[present]
        metrics.append(
            _metric("balanced accuracy", _percent(float(recall.mean())), "mean over the classes")
        )
    n_known = chances.shape[1]
    if n_known == 2 and present.tolist() == [0, 1]:
        area = float(roc_auc_score(truth, chances[:, 1]))
        metrics.append(_metric("ROC AUC", f"{area:.3f}", "by chance: 0.5"))
        rare = rare_class(counts[:2])
        if rare is not None:
            precision = float(average_precision_score(truth == rare, chances[:, rare]))
            note = f"of {labels[rare]!s}; by chance: {counts[rare] / len(truth):.3f}"
            metrics.insert(0, _metric("average precision", f"{precision:.3f}", note))
    if n_known > 1 and counts[n_known:].sum() == 0:
        loss = float(log_loss(truth, chances, labels=np.arange(n_known)))
        metrics.append(_metric("log loss", f"{loss:.3f}", "smaller is better"))
    return metrics


def _of_numbers(
    predicted: np.ndarray, truth: np.ndarray, always: float | None
) -> list[dict[str, str]]:
    residual = truth - predicted
    answer, name = (always, "mean of training") if always is not None else (truth.mean(), "mean")
    rmse, mae = float(np.sqrt((residual**2).mean())), float(np.abs(residual).mean())
    mean_off = float(np.sqrt(((truth - answer) ** 2).mean()))
    metrics = [
        _metric("RMSE", _short(rmse), f"always the {name}: {_short(mean_off)}"),
        _metric("mean error", _short(mae), "absolute"),
        _metric("largest error", _short(float(np.abs(residual).max())), "absolute"),
    ]
    if len(truth) > 1 and np.ptp(truth) > 0:
        share = float(r2_score(truth, predicted))
        metrics.insert(0, _metric("R²", f"{share:.3f}", "1 is perfect, 0 the mean of these"))
    return metrics


def confusion(answers: Answers) -> list[list[int]] | None:
    """(true class, predicted class, how many) wherever there are any."""
    if answers.labels is None or answers.truth is None:
        return None
    pairs = np.c_[answers.truth, answers.predicted]
    distinct, counts = np.unique(pairs, axis=0, return_counts=True)
    return np.c_[distinct, counts].tolist()


def residuals(answers: Answers, listed: np.ndarray) -> dict[str, Any] | None:
    """Points (predicted, residual), each with its place in the list, -1 where it is not on it."""
    if answers.labels is not None or answers.truth is None:
        return None
    n = answers.n
    rows = np.arange(n) if n <= MOST_POINTS else np.linspace(0, n - 1, MOST_POINTS).astype(int)
    place = np.full(n, -1)
    place[listed] = np.arange(len(listed))
    return {
        "x": [digits(v) for v in answers.predicted[rows]],
        "y": [digits(v) for v in answers.residual[rows]],
        "at": place[rows].tolist(),
        "of": n,
    }


def digits(value: float, n: int = 4) -> float | int | None:
    """A number with few digits for the page; None where it is missing or endless."""
    if not np.isfinite(value):
        return None
    short = float(f"{value:.{n}g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def _metric(name: str, value: str, note: str) -> dict[str, str]:
    return {"name": name, "value": value, "note": note}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _short(value: float) -> str:
    return number(float(f"{value:.4g}"))
