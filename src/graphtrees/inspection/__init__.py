"""Inspect data before training: what it holds, and what would spoil a result."""

from graphtrees.inspection._inspect import inspect
from graphtrees.inspection.report import Inspection
from graphtrees.inspection.target import task_of

__all__ = ["Inspection", "inspect", "task_of"]
