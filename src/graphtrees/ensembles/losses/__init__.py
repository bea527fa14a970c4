"""What boosting minimises: one class per loss, all with the same few methods."""

from graphtrees.ensembles.losses.base import Loss, weighted_mean, weighted_quantile
from graphtrees.ensembles.losses.classes import BinaryLogLoss, OneVsRest, Softmax
from graphtrees.ensembles.losses.custom import CustomLoss, is_custom_loss
from graphtrees.ensembles.losses.regression import (
    AbsoluteError,
    Huber,
    Poisson,
    Quantile,
    SquaredError,
)

__all__ = [
    "AbsoluteError",
    "BinaryLogLoss",
    "CustomLoss",
    "Huber",
    "Loss",
    "OneVsRest",
    "Poisson",
    "Quantile",
    "Softmax",
    "SquaredError",
    "is_custom_loss",
    "weighted_mean",
    "weighted_quantile",
]
