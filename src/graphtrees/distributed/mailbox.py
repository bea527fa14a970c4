"""Messages between the workers of a cluster, over the connections that it has already.

A plugin adds a few handlers to every worker: addresses, TLS and serialisation are the cluster's.
Messages are known by (fit, step, sender): a worker may send before the other one asks.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from distributed import Worker, WorkerPlugin

from graphtrees.distributed.errors import FitEndedError, WorkerLostError

NAME = "graphtrees-mailbox"

# So many fits that are over are remembered, to drop what still arrives for them.
MOST_ENDED = 1_000


class Mailbox(WorkerPlugin):
    """What other workers sent to this one."""

    name = NAME
    idempotent = True

    def setup(self, worker: Worker) -> None:
        """Called when the plugin arrives at a worker."""
        self.worker = worker
        self.messages: dict[str, dict[tuple[int, int], asyncio.Future]] = {}
        self.ended: OrderedDict[str, str] = OrderedDict()
        worker.handlers["graphtrees_put"] = self.put
        worker.handlers["graphtrees_end"] = self.end
        worker.handlers["graphtrees_ping"] = self.ping

    def teardown(self, worker: Worker) -> None:
        """Called when the worker closes."""
        for fit in list(self.messages):
            self.forget(fit, f"worker {worker.address} is closing")

    # ---- what other workers, and the client, call -----------------------------------------------

    async def put(self, fit: str, step: int, sender: int, data: bytes) -> str:
        """A message has arrived."""
        if fit in self.ended:
            return self.ended[fit]
        slot = self._slot(fit, step, sender)
        if not slot.done():
            slot.set_result(data)
        return ""

    async def end(self, fit: str, reason: str) -> None:
        """A fit is over: whoever waits for a message of it stops waiting."""
        self.forget(fit, reason)

    async def ping(self) -> str:
        """This worker answers."""
        return "here"

    # ---- what a fit on this worker calls --------------------------------------------------------

    async def send(self, address: str, fit: str, step: int, sender: int, data: bytes) -> None:
        """Send a message; raises where it cannot be delivered."""
        try:
            refused = await self.worker.rpc(address).graphtrees_put(
                fit=fit, step=step, sender=sender, data=data
            )
        except OSError as error:
            raise WorkerLostError(f"worker {address} cannot be reached: {error}", address) from None
        if refused:
            raise FitEndedError(refused)

    async def receive(self, fit: str, step: int, sender: int, seconds: float) -> bytes:
        """A message, once it is there; TimeoutError after so many seconds."""
        if fit in self.ended:
            raise FitEndedError(self.ended[fit])
        slot = self._slot(fit, step, sender)
        data = await asyncio.wait_for(asyncio.shield(slot), seconds)
        del self.messages[fit][step, sender]
        return data

    async def is_there(self, address: str, seconds: float) -> bool:
        """Whether a worker answers within so many seconds."""
        try:
            await asyncio.wait_for(self.worker.rpc(address).graphtrees_ping(), seconds)
        except (TimeoutError, OSError):
            return False
        return True

    def _slot(self, fit: str, step: int, sender: int) -> asyncio.Future[Any]:
        of_fit = self.messages.setdefault(fit, {})
        if (step, sender) not in of_fit:
            of_fit[step, sender] = asyncio.get_running_loop().create_future()
        return of_fit[step, sender]

    def forget(self, fit: str, reason: str) -> None:
        """Drop the messages of a fit, and those that still arrive."""
        self.ended[fit] = reason
        while len(self.ended) > MOST_ENDED:
            self.ended.popitem(last=False)
        for slot in self.messages.pop(fit, {}).values():
            if not slot.done():
                slot.set_exception(FitEndedError(reason))
                slot.exception()  # nobody may be waiting for it
