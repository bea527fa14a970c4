"""A look at data before training: what is in it, and what would spoil a result."""

from graphtrees.inspection.look import inspect
from graphtrees.inspection.report import Inspection
from graphtrees.inspection.target import task_of

__all__ = ["Inspection", "inspect", "task_of"]
