"""One HTML file out of its parts. What comes from data is JSON that no parser takes for markup."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable
from importlib import resources
from typing import Any

STYLES = ("base.css", "panels.css", "examples.css", "graph.css", "tree.css", "detail.css")
SCRIPTS = (
    "dom.js", "numbers.js", "charts.js", "confusions.js", "overview.js", "columns.js", "list.js",
    "shapes.js", "graph.js", "strip.js", "tree.js", "words.js", "detail.js", "main.js",
)  # fmt: skip


def build_page(title: str, data: Any, blocks: Iterable[tuple[str, Any]]) -> bytes:
    """The page: `data` is read when it opens, each block (name, content) when it is asked for."""
    style = "\n".join(_static(name) for name in STYLES)
    script = "\n".join(['"use strict";', "{", *(_static(name) for name in SCRIPTS), "}"])
    parts = {
        "policy": _policy(style, script),
        "title": html.escape(title),
        "style": style,
        "data": to_block("page", data),
        "script": script,
        "blocks": "\n".join(to_block(name, content) for name, content in blocks),
    }
    # In one pass: what is filled in is never looked at again.
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _static("page.html"))
    return page.encode("utf-8", "xmlcharrefreplace")  # half a surrogate pair has no bytes


def to_block(name: str, content: Any) -> str:
    """A data block; names are ours, the content may hold anything.

    >>> to_block("page", {"label": "</script>"})
    '<script type="application/json" id="page">{"label":"\\\\u003c/script\\\\u003e"}</script>'
    """
    return f'<script type="application/json" id="{name}">{to_json(content)}</script>'


def to_json(content: Any) -> str:
    """JSON in ASCII without <, > and &, so that it is nothing but data wherever it stands."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, and only our own script and style run, known by their hashes."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _static(name: str) -> str:
    folder = resources.files("graphtrees.plot.report") / "static"
    return (folder / name).read_text(encoding="utf-8").replace("\r\n", "\n")
