"""Workers of a Dask cluster that train one model together."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from graphtrees._communicator import Communicator
from graphtrees.distributed.errors import FitEndedError, WorkerLostError
from graphtrees.distributed.mailbox import Mailbox

# How often a waiting worker looks whether the fit is still wanted.
SECONDS_A_LOOK = 1.0


class DaskCommunicator(Communicator):
    """Number `rank` of the workers at these addresses; `fit` names the fit they work on.

    Whoever sends nothing for `timeout` seconds is asked whether it is there. A worker that answers
    is slow, and is waited for; one that does not is lost. `is_wanted` tells whether the client
    still waits for the model.
    """

    def __init__(
        self, mailbox: Mailbox, fit: str, rank: int, addresses: Sequence[str], timeout: float,
        is_wanted: Callable[[], bool],
    ) -> None:  # fmt: skip
        self.mailbox, self.fit, self.rank = mailbox, fit, rank
        self.addresses, self.timeout, self.is_wanted = list(addresses), timeout, is_wanted
        self.n_workers = len(self.addresses)
        self.n_messages = 0
        self.n_bytes = 0
        self._step = 0

    def exchange(self, pieces: Sequence[Any]) -> list[Any]:
        """Send pieces[k] to worker k; returns what each worker sent to this one."""
        self._check_wanted()
        if self.n_workers == 1:
            return list(pieces)
        same = all(piece is pieces[0] for piece in pieces)
        once = pickle.dumps(pieces[0], protocol=5) if same else b""
        data = [
            once if same or k == self.rank else pickle.dumps(piece, protocol=5)
            for k, piece in enumerate(pieces)
        ]
        loop = self.mailbox.worker.loop.asyncio_loop  # type: ignore[attr-defined]
        gathered = asyncio.run_coroutine_threadsafe(self._swap(self._step, data), loop).result()
        self._step += 1
        return [
            pieces[k] if k == self.rank else pickle.loads(one) for k, one in enumerate(gathered)
        ]

    async def _swap(self, step: int, data: list[bytes]) -> list[bytes]:
        others = [k for k in range(self.n_workers) if k != self.rank]
        self.n_messages += len(others)
        self.n_bytes += sum(len(data[k]) for k in others)
        send = self.mailbox.send
        sends = [send(self.addresses[k], self.fit, step, self.rank, data[k]) for k in others]
        receives = asyncio.gather(*(self._receive(step, k) for k in others))
        received, _ = await asyncio.gather(receives, asyncio.gather(*sends))
        gathered = dict(zip(others, received, strict=True))
        return [gathered.get(k, b"") for k in range(self.n_workers)]

    async def _receive(self, step: int, sender: int) -> bytes:
        waited, address = 0.0, self.addresses[sender]
        while True:
            try:
                return await self.mailbox.receive(self.fit, step, sender, SECONDS_A_LOOK)
            except TimeoutError:
                waited += SECONDS_A_LOOK
            self._check_wanted()
            if waited >= self.timeout:
                waited = 0.0
                if not await self.mailbox.is_there(address, self.timeout):
                    raise WorkerLostError(
                        f"worker {address} has not answered for {2 * self.timeout:g} seconds",
                        address,
                    )

    def _check_wanted(self) -> None:
        if not self.is_wanted():
            raise FitEndedError("nobody waits for this model any more")
