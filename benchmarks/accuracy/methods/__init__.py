"""The methods by name. A new one is an entry here and a function that makes an estimator."""

from __future__ import annotations

from benchmarks.accuracy.methods.base import Method, Setting
from benchmarks.accuracy.methods.ours import OURS
from benchmarks.accuracy.methods.peers import PEERS
from benchmarks.accuracy.methods.tuned import TUNED
from benchmarks.accuracy.problems import named_object

__all__ = ["GROUPS", "METHODS", "Method", "Setting", "method", "names_of"]

METHODS: dict[str, Method] = OURS | PEERS | TUNED
GROUPS = {"all": (*OURS, *PEERS), "ours": tuple(OURS), "peers": tuple(PEERS)}


def method(name: str) -> Method:
    """A method by its name, or by `module:name` of a `Method` elsewhere."""
    if ":" in name:
        return named_object(name)
    if name not in METHODS:
        raise KeyError(f"no method {name!r}; there are {', '.join([*GROUPS, *METHODS])}")
    return METHODS[name]


def names_of(listed: str) -> list[str]:
    """Names with commas between them, groups written out, each once."""
    words = [word.strip() for word in listed.split(",") if word.strip()]
    return list(dict.fromkeys(name for word in words for name in GROUPS.get(word, (word,))))
