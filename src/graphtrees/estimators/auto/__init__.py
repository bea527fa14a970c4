"""Try several ways to learn, and combine the best of them."""

from graphtrees.estimators.auto.estimators import AutoGraphClassifier, AutoGraphRegressor

__all__ = ["AutoGraphClassifier", "AutoGraphRegressor"]
