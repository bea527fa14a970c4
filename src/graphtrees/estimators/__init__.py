"""The scikit-learn face: parameters, checks, and attributes with a trailing underscore."""

from graphtrees.estimators.boosting import GraphBoostingClassifier, GraphBoostingRegressor
from graphtrees.estimators.forest import GraphForestClassifier, GraphForestRegressor
from graphtrees.estimators.single import GraphTreeClassifier, GraphTreeRegressor

__all__ = [
    "GraphBoostingClassifier",
    "GraphBoostingRegressor",
    "GraphForestClassifier",
    "GraphForestRegressor",
    "GraphTreeClassifier",
    "GraphTreeRegressor",
]
