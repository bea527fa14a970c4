"""A loss that a user brings along: any object with a `gradient` method."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit, softmax

from graphtrees.ensembles.losses.base import MIN_HESSIAN, SURE, Loss


def is_custom_loss(value: Any) -> bool:
    """Whether value can serve as a loss: an object, not a class, with a `gradient` method."""
    return not isinstance(value, type) and callable(getattr(value, "gradient", None))


class CustomLoss(Loss):
    """Leads to the methods of a user's loss and checks what they return.

    The user's methods see one-dimensional `y` and `raw` where there is one output, else
    (n_examples, n_outputs). All but `gradient` may be left out: then hessians are 1, every output
    starts from 0, the link is the identity (for classes: the logistic function or the softmax),
    leaves hold Newton steps, and there is no loss to watch.
    """

    def __init__(self, given: Any, n_outputs: int, n_classes: int | None = None) -> None:
        self.given = given
        self.n_outputs = n_outputs
        self.n_classes = n_classes
        self.has_value = self._has("loss")
        self.refits_leaves = self._has("leaf_value")
        self.has_inverse = not self._has("link")
        floor = MIN_HESSIAN if self._has("hessian") else 0.0
        self.min_hessian = float(getattr(given, "min_hessian", floor))

    def _has(self, method: str) -> bool:
        return callable(getattr(self.given, method, None))

    def _narrow(self, array: np.ndarray) -> np.ndarray:
        """A copy, so that a method may change what it is given."""
        return (array[:, 0] if array.ndim == 2 and self.n_outputs == 1 else array).copy()

    def _ask(self, method: str, shape: tuple[int, ...], *arguments: np.ndarray) -> np.ndarray:
        """What a method returns, as numbers of the shape wanted."""
        name = f"{type(self.given).__name__}.{method}"
        values = np.asarray(getattr(self.given, method)(*arguments), dtype=np.float64)
        if len(shape) == 2 and shape[1] == 1 and values.ndim == 1:
            values = values[:, None]
        if values.shape != shape:
            raise ValueError(f"{name} must return an array of shape {shape}; got {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} returned values that are NaN or infinite")
        return values

    def init(self, y, weight):
        if not self._has("init"):
            return np.zeros(self.n_outputs)
        returned = np.atleast_1d(self.given.init(self._narrow(y), weight))
        return self._checked_init(np.asarray(returned, dtype=np.float64))

    def _checked_init(self, returned: np.ndarray) -> np.ndarray:
        if returned.shape != (self.n_outputs,) or not np.isfinite(returned).all():
            raise ValueError(
                f"{type(self.given).__name__}.init must return {self.n_outputs} finite "
                f"number(s), one per output; got {returned!r}"
            )
        return returned

    def loss(self, y, raw):
        return self._ask("loss", (len(raw),), self._narrow(y), self._narrow(raw))

    def gradient(self, y, raw):
        return self._ask("gradient", raw.shape, self._narrow(y), self._narrow(raw))

    def hessian(self, y, raw):
        if not self._has("hessian"):
            return np.ones_like(raw)
        returned = self._ask("hessian", raw.shape, self._narrow(y), self._narrow(raw))
        if (returned < 0).any():
            raise ValueError(f"{type(self.given).__name__}.hessian returned negative values")
        return returned

    def leaf_value(self, y, raw, weight, output):
        value = float(self.given.leaf_value(y, raw, weight))
        if not np.isfinite(value):
            raise ValueError(f"{type(self.given).__name__}.leaf_value returned {value}")
        return value

    def inverse(self, values):
        return values if self.n_classes is None else raw_of_chances(values, self.n_outputs)

    def link(self, raw):
        if self.n_classes is None:
            return self._ask("link", raw.shape, self._narrow(raw)) if self._has("link") else raw
        if not self._has("link"):
            return both_classes(expit(raw[:, 0])) if self.n_outputs == 1 else softmax(raw, axis=1)
        returned = np.asarray(self.given.link(self._narrow(raw)), dtype=np.float64)
        returned = both_classes(returned) if returned.ndim == 1 else returned
        if returned.shape != (len(raw), self.n_classes):
            raise ValueError(
                f"{type(self.given).__name__}.link must return the probability of each class, "
                f"of shape {(len(raw), self.n_classes)}; got {returned.shape}"
            )
        return returned


def both_classes(chance: np.ndarray) -> np.ndarray:
    """Probabilities of class 0 and class 1."""
    return np.column_stack([1 - chance, chance])


def raw_of_chances(chances: np.ndarray, n_outputs: int) -> np.ndarray:
    """From probabilities to raw: log-odds of class 1, or logarithms where there are several."""
    if n_outputs == 1:
        return logit(np.clip(chances[:, 1:], SURE, 1 - SURE))
    return np.log(np.maximum(chances, SURE))
