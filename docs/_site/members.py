"""Which members of a class the reference shows, and how they are called."""

from __future__ import annotations

import inspect
from typing import Any

import graphtrees

PRIVATE = {"flat"}  # the arrays behind graphs, for the package's own use


def own_members() -> dict[str, list[str]]:
    """For each public class its methods and properties that this package defines.

    Attributes of fitted estimators are in the section "Attributes" of their class.
    """
    public = {name: getattr(graphtrees, name) for name in graphtrees.__all__}
    return {name: _members(kind) for name, kind in public.items() if inspect.isclass(kind)}


def _members(kind: type) -> list[str]:
    return [
        member
        for member, value in inspect.getmembers(kind)
        if not member.startswith("_")
        and not member.endswith("_")
        and member not in PRIVATE
        and _home(value).startswith("graphtrees")
    ]


def _home(value: object) -> str:
    inner = value.fget if isinstance(value, property) else value
    return getattr(inner, "__module__", None) or ""


def show_signature(
    app: Any,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    given: str | None,
    returned: str | None,
) -> tuple[str, None] | None:
    """The signature of a class as `help` shows it: that of `__init__`, even beside a `__new__`."""
    if what != "class":
        return None
    signature = inspect.signature(thing)
    plain = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty)), None
