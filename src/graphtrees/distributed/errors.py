"""What can go wrong between workers."""

from __future__ import annotations


class WorkerLostError(RuntimeError):
    """A worker left the cluster, hangs, or cannot be reached.

    Parameters
    ----------
    message : str
        What happened, and to which worker.
    address : str
        The address of the worker.

    Examples
    --------
    >>> raise WorkerLostError("worker tcp://10.0.0.7:40001 left the cluster")
    Traceback (most recent call last):
        ...
    graphtrees.distributed.errors.WorkerLostError: worker tcp://10.0.0.7:40001 left the cluster
    """

    def __init__(self, message: str, address: str = "") -> None:
        super().__init__(message, address)
        self.address = address

    def __str__(self) -> str:
        return str(self.args[0])


class FitEndedError(RuntimeError):
    """Another worker, or the client, ended this fit; the reason was raised there."""
