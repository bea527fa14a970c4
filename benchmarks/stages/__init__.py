"""The parts of the benchmark, in the order in which they run; each lists its cases."""

from collections.abc import Callable, Iterator

from stages import boosters, cold, exactness, fits, networks, prediction, scaling
from stages.setup import Case, Setup

STAGES: dict[str, Callable[[Setup], Iterator[Case]]] = {
    "published": fits.published,
    "boosters": boosters.cases,
    "networks": networks.cases,
    "prediction": prediction.cases,
    "large": fits.large,
    "scaling": scaling.cases,
    "exactness": exactness.cases,
    "cold": cold.cases,
}
