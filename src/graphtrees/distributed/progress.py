"""Progress of a fit on the cluster, shown where the client is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, Worker

from graphtrees._progress import LISTENER, Progress


@contextmanager
def report_to_client(worker: Worker, fit: str, tells: bool) -> Iterator[None]:
    """Steps of this worker become events of the cluster, or go unsaid."""

    def tell(what: str, total: int, note: str) -> None:
        if tells:
            worker.log_event(fit, {"what": what, "total": total, "note": note})

    token = LISTENER.set(tell)
    try:
        yield
    finally:
        LISTENER.reset(token)


@contextmanager
def shown(client: Client, fit: str, verbose: int) -> Iterator[None]:
    """Show the steps of all workers."""
    progress: Progress | None = None

    def show(event: tuple[Any, Any]) -> None:
        nonlocal progress
        message = event[1]
        if progress is None:
            progress = Progress(message["what"], message["total"], verbose)
        progress.step(message["note"])

    if not verbose:
        yield
        return
    client.subscribe_topic(fit, show)
    try:
        yield
    finally:
        client.unsubscribe_topic(fit)
        if progress is not None:
            progress.close()
