"""Messages between the workers of a cluster, over the connections that it has already.

A plugin adds a few handlers to every worker: addresses, TLS and serialisation are the cluster's.
Messages are known by (fit, step, sender): a worker may send before the other one asks. They are
not answered: what they are for is the message that the other worker sends of its own accord.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Collection

from distributed import Worker, WorkerPlugin
from distributed.protocol import to_serialize

from graphtrees.distributed.errors import FitEndedError, WorkerLostError

NAME = "graphtrees-mailbox"

# So many fits that are over are remembered, to drop what still arrives for them.
MOST_ENDED = 1_000

# Messages of more bytes travel in a frame of their own, which is not copied on the way.
LARGE = 2**16


class Inbox:
    """Messages of one fit: the event loop puts them here, the thread that trains takes them."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.messages: dict[tuple[int, int], bytes | memoryview] = {}
        self.error: Exception | None = None

    def put(self, step: int, sender: int, data: bytes | memoryview) -> None:
        with self.changed:
            self.messages[step, sender] = data
            self.changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Whoever waits for a message raises this error."""
        with self.changed:
            self.error = self.error or error
            self.changed.notify_all()

    def wait(self, step: int, senders: Collection[int], seconds: float) -> list[int]:
        """Wait for messages; returns the senders of those that have not come in time."""

        def missing() -> list[int]:
            return [one for one in senders if (step, one) not in self.messages]

        with self.changed:
            self.changed.wait_for(lambda: self.error is not None or not missing(), seconds)
            if self.error is not None:
                raise self.error
            return missing()

    def take(self, step: int, sender: int) -> bytes | memoryview:
        with self.changed:
            return self.messages.pop((step, sender))


class Mailbox(WorkerPlugin):
    """What other workers sent to this one."""

    name = NAME
    idempotent = True

    def setup(self, worker: Worker) -> None:
        """Called when the plugin arrives at a worker."""
        self.worker = worker
        self.lock = threading.Lock()
        self.inboxes: dict[str, Inbox] = {}
        self.ended: OrderedDict[str, str] = OrderedDict()
        worker.handlers["graphtrees_put"] = self.put
        worker.handlers["graphtrees_end"] = self.end
        worker.handlers["graphtrees_ping"] = self.ping

    def teardown(self, worker: Worker) -> None:
        """Called when the worker closes."""
        for fit in list(self.inboxes):
            self.forget(fit, f"worker {worker.address} is closing")

    # ---- what other workers, and the client, call -----------------------------------------------

    def put(self, fit: str, step: int, sender: int, data: bytes | memoryview) -> None:
        """A message has arrived; those of fits that are over are dropped."""
        if fit not in self.ended:
            self.inbox(fit).put(step, sender, data)

    async def end(self, fit: str, reason: str) -> None:
        """A fit is over: whoever waits for a message of it stops waiting."""
        self.forget(fit, reason)

    async def ping(self) -> str:
        """This worker answers."""
        return "here"

    # ---- what a fit on this worker calls --------------------------------------------------------

    def inbox(self, fit: str) -> Inbox:
        """The messages of a fit; of one that is over, FitEndedError."""
        with self.lock:
            if fit in self.ended:
                raise FitEndedError(self.ended[fit])
            return self.inboxes.setdefault(fit, Inbox())

    def send(self, addresses: dict[str, bytes], fit: str, step: int, sender: int) -> None:
        """Send data to each address; called by the thread that trains, and not waited for."""
        loop = self.worker.loop.asyncio_loop  # type: ignore[attr-defined]
        asyncio.run_coroutine_threadsafe(self._send_all(addresses, fit, step, sender), loop)

    async def _send_all(
        self, addresses: dict[str, bytes], fit: str, step: int, sender: int
    ) -> None:
        sends = [self._send(to, data, fit, step, sender) for to, data in addresses.items()]
        for error in await asyncio.gather(*sends, return_exceptions=True):
            if isinstance(error, Exception) and fit in self.inboxes:
                self.inboxes[fit].fail(error)

    async def _send(self, address: str, data: bytes, fit: str, step: int, sender: int) -> None:
        given = to_serialize(memoryview(data)) if len(data) > LARGE else data
        message = {"op": "graphtrees_put", "fit": fit, "step": step, "sender": sender}
        pool = self.worker.rpc
        try:
            comm = await pool.connect(address)
            try:
                await comm.write({**message, "data": given, "reply": False})
            finally:
                pool.reuse(address, comm)
        except OSError as error:
            raise WorkerLostError(f"worker {address} cannot be reached: {error}", address) from None

    def is_there(self, address: str, seconds: float) -> bool:
        """Whether a worker answers within so many seconds."""
        loop = self.worker.loop.asyncio_loop  # type: ignore[attr-defined]
        asked = self._ping(address, seconds)
        return asyncio.run_coroutine_threadsafe(asked, loop).result()

    async def _ping(self, address: str, seconds: float) -> bool:
        try:
            await asyncio.wait_for(self.worker.rpc(address).graphtrees_ping(), seconds)
        except (TimeoutError, OSError):
            return False
        return True

    def forget(self, fit: str, reason: str) -> None:
        """Drop the messages of a fit, and those that still arrive."""
        with self.lock:
            self.ended[fit] = reason
            while len(self.ended) > MOST_ENDED:
                self.ended.popitem(last=False)
            inbox = self.inboxes.pop(fit, None)
        if inbox is not None:
            inbox.fail(FitEndedError(reason))
