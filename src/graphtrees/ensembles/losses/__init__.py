"""What boosting minimises: one class per loss, all with the same few methods."""

from graphtrees.ensembles.losses.base import Loss, weighted_mean, weighted_quantile
from graphtrees.ensembles.losses.classes import BinaryLogLoss, OneVsRest, Softmax
from graphtrees.ensembles.losses.custom import CustomLoss, is_custom_loss
from graphtrees.ensembles.losses.function import (
    FunctionLoss,
    UnsavedLoss,
    function_name,
    is_function_loss,
)
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
    "FunctionLoss",
    "Huber",
    "Loss",
    "OneVsRest",
    "Poisson",
    "Quantile",
    "Softmax",
    "SquaredError",
    "UnsavedLoss",
    "function_name",
    "is_custom_loss",
    "is_function_loss",
    "loss_with_link",
    "weighted_mean",
    "weighted_quantile",
]


def loss_with_link(name: str, n_outputs: int) -> Loss:
    """A loss with the link of this name, for a model that predicts and is not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtrees.ensembles.losses import loss_with_link
    >>> loss_with_link("logistic", 1).link(np.zeros((1, 1)))
    array([[0.5, 0.5]])
    """
    by_name = {
        "identity": SquaredError,
        "exp": Poisson,
        "logistic": BinaryLogLoss,
        "one_vs_rest": lambda: OneVsRest(n_outputs),
        "softmax": lambda: Softmax(n_outputs),
    }
    return by_name[name]()
