"""Save a model while it is being trained."""

from __future__ import annotations

import os
from pathlib import Path

from graphtrees.ensembles.rounds import RoundState
from graphtrees.files.writing import plain_parameters
from graphtrees.graphs.validation.arguments import as_count, as_path
from graphtrees.validation.models import fitted_trees


class Checkpoint:
    """A callback that saves the model every few rounds, so that a long run can be taken up again.

    The file is a model file, written whole or not at all: a run that is killed leaves the newest
    complete one. `fit(..., resume_from=path)` goes on from it and gives the same model, bit for
    bit, as a run that was never stopped; `graphtrees.load_model(path)` reads it as it stands.

    Parameters
    ----------
    path : str or path
        Ends in .json or .json.gz. Written anew each time.
    every : int, default=10
        Rounds between two writes; the last round of a run is always written.

    Examples
    --------
    >>> import graphtrees as gt, pathlib, tempfile
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=8, random_state=0)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.json.gz"
    >>> model = gt.GraphBoostingClassifier(4, random_state=0)
    >>> _ = model.fit(data.X, data.y, callbacks=[gt.Checkpoint(path, every=2)])
    >>> longer = gt.GraphBoostingClassifier(6, random_state=0)
    >>> longer.fit(data.X, data.y, resume_from=path).n_iter_
    6
    """

    def __init__(self, path: str | os.PathLike, every: int = 10) -> None:
        self.every: int = as_count(every, "every")
        self.path: Path = as_path(path)
        self._tried: bool = False

    def before_round(self, state: RoundState) -> None:
        """Find out before any work is done whether the model can be written.

        Parameters
        ----------
        state : object
            Where the training stands, as callbacks get it.

        Raises
        ------
        FileNotFoundError
            There is no folder to write into.
        TypeError
            The model has a part that no file holds, such as a loss of your own.
        """
        if not self._tried:
            if not self.path.parent.is_dir():
                raise FileNotFoundError(f"Checkpoint: there is no folder {self.path.parent}")
            plain_parameters(fitted_trees(state.model).training.parameters)
            self._tried = True

    def after_round(self, state: RoundState) -> None:
        """Write, if it is time to.

        Parameters
        ----------
        state : object
            Where the training stands, as callbacks get it.
        """
        n_done = state.round + 1
        if n_done % self.every == 0 or n_done == state.n_rounds:
            state.model.save(self.path)
