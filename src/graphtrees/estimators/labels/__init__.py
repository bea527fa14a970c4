"""Labels of other vertices or edges as evidence."""

from graphtrees.estimators.labels.with_labels import WithLabels

__all__ = ["WithLabels"]
