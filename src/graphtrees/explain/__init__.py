"""Why a model says what it says: importances, paths in words, and whether they are faithful."""

from graphtrees.explain.explaining import explain, explain_many
from graphtrees.explain.explanation import Explanation
from graphtrees.explain.fidelity import Fidelity, fidelity
from graphtrees.explain.global_importance import importance
from graphtrees.explain.path import Path, Step
from graphtrees.explain.permutation import permutation_importance
from graphtrees.explain.text import export_text

__all__ = [
    "Explanation",
    "Fidelity",
    "Path",
    "Step",
    "explain",
    "explain_many",
    "export_text",
    "fidelity",
    "importance",
    "permutation_importance",
]
