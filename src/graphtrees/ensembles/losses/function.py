"""A loss that a user brings along as a function of LightGBM's kind: f(y, raw) -> (grad, hess)."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from graphtrees.ensembles.losses.base import MIN_HESSIAN, Loss
from graphtrees.ensembles.losses.custom import both_classes, is_custom_loss, raw_of_chances

WEIGHTS = ("weight", "weights", "sample_weight")  # names of a third parameter with a default
FORMS = "f(y, raw) or f(y, raw, weight)"


def is_function_loss(value: Any) -> bool:
    """Whether value can serve as a loss: callable, but no class, and without a `gradient`."""
    return callable(value) and not isinstance(value, type) and not is_custom_loss(value)


def function_name(function: Any) -> str:
    """What to call the function in messages and in model files.

    >>> from functools import partial
    >>> function_name(function_name), function_name(partial(max, 3))
    ('function_name', 'max')
    """
    inner = getattr(function, "func", function)  # of a functools.partial
    return getattr(inner, "__name__", type(inner).__name__)


class UnsavedLoss:
    """Stands for the loss function of a model that was read from a file, which holds no code."""

    ADVICE = (
        "the loss of this model is a function, and the file that it was read from does not hold "
        "it; to train on, give it again by set_params(loss=...)"
    )

    def __call__(self, y: Any, raw: Any) -> Any:
        raise ValueError(self.ADVICE)

    def __repr__(self) -> str:
        return "<a function that the model file does not hold>"


class FunctionLoss(Loss):
    """Calls a function for both derivatives at once and checks what it returns.

    The function sees float64 copies: `y` and `raw` one-dimensional where there is one output, else
    `raw` (n_examples, n_outputs), and `y` likewise for numbers; `y` of classes is their numbers.
    Every output starts from 0. The link is the identity, for classes the logistic function or the
    softmax. There is no loss to watch.
    """

    min_hessian = MIN_HESSIAN
    has_value = False

    def __init__(self, function: Any, n_outputs: int, n_classes: int | None = None) -> None:
        self.function = function
        self.n_outputs = n_outputs
        self.name = f"loss={function_name(function)}"
        self.takes_weight = _takes_weight(function, self.name)
        if n_classes is not None:
            self.link_name = "logistic" if n_outputs == 1 else "softmax"

    def init(self, y, weight):
        return np.zeros(self.n_outputs)

    def derivatives(self, y, raw, weight):
        arguments = [self._copy(y), self._copy(raw)]
        if self.takes_weight:
            returned = self.function(*arguments, weight.copy())
        else:
            returned = self.function(*arguments)
        gradient, hessian = self._checked(returned, raw.shape)
        if self.takes_weight:
            return gradient, hessian
        return gradient * weight[:, None], hessian * weight[:, None]

    def _copy(self, array: np.ndarray) -> np.ndarray:
        narrow = array[:, 0] if array.ndim == 2 and self.n_outputs == 1 else array
        return narrow.astype(np.float64)

    def _checked(self, returned: Any, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        is_pair = isinstance(returned, (tuple, list)) or np.ndim(returned) > 1
        if not is_pair or len(returned) != 2:
            what = type(returned).__name__
            length = f" of length {len(returned)}" if np.ndim(returned) or is_pair else ""
            raise TypeError(
                f"{self.name} must return two arrays, (gradient, hessian); got {what}{length}"
            )
        gradient = self._finite(returned[0], shape, "gradient")
        hessian = self._finite(returned[1], shape, "hessian")
        if (hessian < 0).any():
            raise ValueError(
                f"{self.name} returned a hessian with negative values, the least "
                f"{hessian.min():g}; return a stand-in of at least 0, such as ones"
            )
        if not hessian.any() and gradient.any():
            raise ValueError(
                f"{self.name} returned a hessian of zeros, which gives no step a size; return a "
                "positive stand-in, such as ones"
            )
        return gradient, hessian

    def _finite(self, values: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
        """The values as finite numbers of this shape; one output may also be one-dimensional."""
        array = np.asarray(values, dtype=np.float64)
        wanted = shape[:1] if self.n_outputs == 1 else shape
        if array.shape not in (wanted, shape):
            raise ValueError(
                f"{self.name} must return a {what} of shape {wanted}; got {array.shape}"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{self.name} returned a {what} that is NaN or infinite in places")
        return array.reshape(shape)

    def inverse(self, values):
        return values if self.link_name == "identity" else raw_of_chances(values, self.n_outputs)

    def link(self, raw):
        if self.link_name == "identity":
            return raw
        return both_classes(expit(raw[:, 0])) if self.n_outputs == 1 else softmax(raw, axis=1)


def _takes_weight(function: Any, name: str) -> bool:
    """Whether the function wants the weights as its third argument."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # of compiled code
        return False
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return False
    listed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    n_needed = sum(p.default is p.empty for p in listed)
    by_name = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    if len(listed) < 2 or n_needed > 3 or by_name:
        raise TypeError(f"{name} must be a function {FORMS}; got {inspect.signature(function)}")
    return n_needed == 3 or (len(listed) > 2 and listed[2].name in WEIGHTS)
