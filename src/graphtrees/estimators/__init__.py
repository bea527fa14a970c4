"""The scikit-learn face: parameters, checks, and attributes with a trailing underscore."""

from graphtrees.estimators.auto import AutoGraphClassifier, AutoGraphRegressor
from graphtrees.estimators.boosting import GraphBoostingClassifier, GraphBoostingRegressor
from graphtrees.estimators.checkpoint import Checkpoint
from graphtrees.estimators.forest import GraphForestClassifier, GraphForestRegressor
from graphtrees.estimators.labels import WithLabels
from graphtrees.estimators.saving import load_model
from graphtrees.estimators.single import GraphTreeClassifier, GraphTreeRegressor

__all__ = [
    "AutoGraphClassifier",
    "AutoGraphRegressor",
    "Checkpoint",
    "GraphBoostingClassifier",
    "GraphBoostingRegressor",
    "GraphForestClassifier",
    "GraphForestRegressor",
    "GraphTreeClassifier",
    "GraphTreeRegressor",
    "WithLabels",
    "load_model",
]
