"""The page to click through: how good a model is, where it errs, and why it says what it says."""

from graphtrees.plot.report.writing import write_report

__all__ = ["write_report"]
