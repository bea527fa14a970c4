"""Is GraphBoostingClassifier() sensible? One setting changed at a time, scored on inner parts.

python benchmarks/defaults.py --out defaults.json          # fills the file, goes on where it ended
python benchmarks/defaults.py --out defaults.json --table  # prints it as Markdown
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from inner_parts import METRIC, NAMES, inner_parts
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

import graphtrees as gt

# Scores are read after these rounds of one run, so that the number of trees costs nothing extra.
ROUNDS = (25, 50, 100, 200)
BASE: dict[str, Any] = {"n_estimators": 100, "random_state": 0, "n_jobs": 1}
# Where not told otherwise these hold; what they were chosen to be is in the estimator.
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {"n_estimators": 200},
    "learning_rate=0.05": {"learning_rate": 0.05, "n_estimators": 200},
    "learning_rate=0.2": {"learning_rate": 0.2},
    "min_samples_leaf=1": {"min_samples_leaf": 1},
    "min_samples_leaf=5": {"min_samples_leaf": 5},
    "min_samples_leaf=10": {"min_samples_leaf": 10},
    "min_samples_leaf=20": {"min_samples_leaf": 20},
    "l2_regularization=0": {"l2_regularization": 0.0},
    "l2_regularization=1": {"l2_regularization": 1.0},
    "l2_regularization=3": {"l2_regularization": 3.0},
    "l2_regularization=10": {"l2_regularization": 10.0},
    "max_leaf_nodes=5": {"max_leaf_nodes": 5},
    "max_leaf_nodes=20": {"max_leaf_nodes": 20},
    "walk_type_probability=0": {"walk_type_probability": 0.0},
    "walk_type_probability=0.25": {"walk_type_probability": 0.25},
    "walk_type_probability=0.5": {"walk_type_probability": 0.5},
    "walk_type_probability=1": {"walk_type_probability": 1.0},
    "max_ancestor_distance=0": {"max_ancestor_distance": 0},
    "max_ancestor_distance=1": {"max_ancestor_distance": 1},
    "max_walk_length=1": {"max_walk_length": 1},
    "max_walk_length=3": {"max_walk_length": 3},
    "subsample=0.7": {"subsample": 0.7},
    "feature_fraction=0.5": {"feature_fraction": 0.5},
    "feature_fraction_per_node=0.2": {"feature_fraction_per_node": 0.2},
    "multi_strategy=softmax": {"multi_strategy": "softmax"},
    "multi_strategy=one_vs_rest": {"multi_strategy": "one_vs_rest"},
    "multi_strategy=multi_output_tree": {"multi_strategy": "multi_output_tree"},
}
SEVERAL_CLASSES = ("Cora", "Actor")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", default=",".join(NAMES))
    parser.add_argument("--variants", default=";".join(VARIANTS), help="names with ; between")
    parser.add_argument("--set", default="{}", help="JSON of settings for all variants")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    if given.table:
        print(as_markdown(results))
        return
    for name in given.data.split(","):
        for variant in given.variants.split(";"):
            if variant.startswith("multi_strategy") and name not in SEVERAL_CLASSES:
                continue
            if variant not in results.setdefault(name, {}):
                settings = BASE | json.loads(given.set) | VARIANTS[variant]
                results[name][variant] = measure(name, settings)
                given.out.write_text(json.dumps(results, indent=1))
                print(name, variant, results[name][variant]["100"], flush=True)


def measure(name: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Score and log loss after some numbers of rounds, averaged over the parts; seconds in all."""
    start = time.perf_counter()
    told: dict[str, list] = {str(n): [] for n in ROUNDS}
    for X, y, X_score, y_score in inner_parts(name):
        model = gt.GraphBoostingClassifier(**settings).fit(X, y)
        for number, chances in enumerate(model.staged_predict_proba(X_score), start=1):
            if number in ROUNDS:
                told[str(number)].append(judge(name, model.classes_, y_score, chances))
    means = {n: np.mean(scores, axis=0).round(4).tolist() for n, scores in told.items() if scores}
    return means | {"seconds": round(time.perf_counter() - start, 1)}


def judge(name: str, classes: np.ndarray, y: np.ndarray, chances: np.ndarray) -> tuple:
    if METRIC.get(name) == "AUC":
        score = roc_auc_score(y, chances[:, 1])
    else:
        score = accuracy_score(y, classes[chances.argmax(axis=1)])
    return float(score), float(log_loss(y, chances, labels=classes))


def as_markdown(results: dict[str, Any]) -> str:
    """Score (log loss) after 100 rounds; then the curve of the default over rounds."""
    names = list(results)
    lines = [
        "| setting | " + " | ".join(f"{n}, {METRIC.get(n, 'accuracy')}" for n in names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for variant in VARIANTS:
        cells = [_cell(results[n].get(variant), "100") for n in names]
        if any(cells):
            lines.append(f"| `{variant}` | " + " | ".join(cells) + " |")
    for variant in ("default", "learning_rate=0.05", "learning_rate=0.2"):
        for rounds in map(str, ROUNDS):
            cells = [_cell(results[n].get(variant), rounds) for n in names]
            if any(cells):
                lines.append(f"| `{variant}`, {rounds} rounds | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(measured: dict[str, Any] | None, rounds: str) -> str:
    if measured is None or rounds not in measured:
        return ""
    score, loss = measured[rounds]
    return f"{score:.3f} ({loss:.3f})"


if __name__ == "__main__":
    main()
