"""Workers of a Dask cluster that train one model together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphtrees._communicator import Communicator
from graphtrees.distributed.errors import FitEndedError, WorkerLostError
from graphtrees.distributed.mailbox import Inbox, Mailbox
from graphtrees.distributed.messages import from_bytes, to_bytes

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
        return self.start_exchange(pieces)()

    def start_exchange(self, pieces: Sequence[Any]) -> Callable[[], list[Any]]:
        """Send pieces as `exchange` does; the function that comes back waits for the others'."""
        self._check_wanted()
        own = pieces[self.rank]
        if self.n_workers == 1:
            return lambda: [own]
        others = [k for k in range(self.n_workers) if k != self.rank]
        same = all(piece is pieces[0] for piece in pieces)
        once = to_bytes(pieces[0]) if same else b""
        data = [once if same else to_bytes(pieces[k]) for k in others]
        self.n_messages += len(others)
        self.n_bytes += sum(map(len, data))
        step, self._step = self._step, self._step + 1
        inbox = self.mailbox.inbox(self.fit)
        addresses = [self.addresses[k] for k in others]
        self.mailbox.send(dict(zip(addresses, data, strict=True)), self.fit, step, self.rank)

        def receive() -> list[Any]:
            self._wait(inbox, step, others)
            received = {k: from_bytes(inbox.take(step, k)) for k in others}
            return [received.get(k, own) for k in range(self.n_workers)]

        return receive

    def _wait(self, inbox: Inbox, step: int, senders: list[int]) -> None:
        """Until all have sent a message; asks those that are late whether they are there."""
        waited = 0.0
        while missing := inbox.wait(step, senders, SECONDS_A_LOOK):
            waited += SECONDS_A_LOOK
            self._check_wanted()
            if waited < self.timeout:
                continue
            waited = 0.0
            for address in [self.addresses[k] for k in missing]:
                if not self.mailbox.is_there(address, self.timeout):
                    raise WorkerLostError(
                        f"worker {address} has not answered for {2 * self.timeout:g} seconds",
                        address,
                    )

    def _check_wanted(self) -> None:
        if not self.is_wanted():
            raise FitEndedError("nobody waits for this model any more")
