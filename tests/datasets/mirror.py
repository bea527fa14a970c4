"""A web server that can fail in the ways that web servers fail."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler


@dataclass
class Mirror:
    """What the server has, how it misbehaves and what it was asked."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    # Path -> what happens at each request in turn: "cut", "no length", "stall", an HTTP status, or
    # "ok". The last one stays.
    faults: dict[str, list] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def fault(self, path: str):
        """What happens this time."""
        faults = self.faults.get(path, ["ok"])
        return faults.pop(0) if len(faults) > 1 else faults[0]


class Handler(BaseHTTPRequestHandler):
    """Answers GET from the mirror of its server."""

    def do_GET(self) -> None:
        mirror = self.server.mirror
        path = self.path.lstrip("/")
        mirror.asked.append(path)
        fault = mirror.fault(path)
        body = mirror.files.get(path)
        if isinstance(fault, int) or body is None:
            self.send_error(fault if isinstance(fault, int) else 404)
            return
        self.send_response(200)
        if fault != "no length":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault == "stall":
            time.sleep(0.5)
        self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)

    def log_message(self, *args) -> None:
        """Say nothing: tests read stderr."""
