"""What all estimators on a Dask cluster share: `fit` there, and lazy predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from distributed import Client, get_client

from graphtrees.distributed.lazily import predict_lazily
from graphtrees.distributed.partitions import read_labels, read_source
from graphtrees.distributed.running import TIMEOUT, Report, Request, run_fit
from graphtrees.estimators.parameters import check_parameters
from graphtrees.estimators.watching import read_eval_sets
from graphtrees.validation.targets import labels_to_score


class OnDask:
    """`fit` on a cluster, `predict` lazily. Parameters are those of the estimator on one machine.

    `client` may be set to a `distributed.Client`; else the newest client of the process is used.
    After `fit`, `cluster_report_` tells how many workers took part and what they sent.
    """

    local_class: ClassVar[type]  # the estimator on one machine
    client: Client | None = None
    cluster_report_: Report

    def _client(self) -> Client:
        return get_client() if self.client is None else self.client

    def _unfitted_local(self) -> Any:
        return self.local_class(**self.get_params(deep=False))  # type: ignore[attr-defined]

    def to_local(self) -> Any:
        """The same model as an estimator that needs no cluster.

        Returns
        -------
        estimator
            Fitted, of the class without "Dask".
        """
        local = self._unfitted_local()
        for name, value in vars(self).items():
            if name not in ("client", "cluster_report_"):
                setattr(local, name, value)
        return local

    def predict(self, X: Any) -> Any:
        """What is predicted, computed on the cluster when it is asked for.

        Parameters
        ----------
        X : Graphs, GraphFiles, GraphTables, dask.bag of Graph, or list of delayed Graphs
            The graphs; of `GraphTables`, all vertices in the order of their rows.

        Returns
        -------
        dask array of shape (n_graphs,), or (n_graphs, n_outputs)
        """
        return predict_lazily(self._client(), self.to_local(), "predict", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier or R² of a regressor, computed on the cluster.

        Parameters
        ----------
        X : Graphs, GraphFiles, GraphTables, dask.bag of Graph, or list of delayed Graphs
            The graphs; of `GraphTables`, the vertices that have a label.
        y : array, dask array, or str
            Their labels, or the name of a column of Parquet files.
        sample_weight : array, dask array or str, optional
            How much each of them counts.

        Returns
        -------
        float
        """
        from sklearn.metrics import accuracy_score, r2_score

        source = read_source(X)
        client = self._client()
        truth = read_labels(client, y, source, "y")
        weight = read_labels(client, sample_weight, source, "sample_weight")
        of_classes = hasattr(self, "predict_proba")
        measure, truth = (
            (accuracy_score, labels_to_score(truth)) if of_classes else (r2_score, truth)
        )
        predicted = self.predict(X).compute()
        if source.labelled is not None:
            predicted = predicted[source.labelled]
        return float(measure(np.asarray(truth), predicted, sample_weight=weight))

    def _take_over(self, model: Any, report: Report) -> Self:
        parameters = self._get_param_names()  # type: ignore[attr-defined]
        kept = {name: vars(self)[name] for name in vars(self) if name in (*parameters, "client")}
        learned = {name: value for name, value in vars(model).items() if name not in parameters}
        self.__dict__ = kept | learned
        self.cluster_report_ = report
        return self

    def _run(
        self, X: Any, y: Any, sample_weight: Any, timeout: float, eval_set: Any = None,
        shares_trees: bool = False, checkpoint: str | None = None,
    ) -> Self:  # fmt: skip
        local = self._unfitted_local()
        check_parameters(local, local._constraints)
        client, source = self._client(), read_source(X)
        tasks = read_eval_sets(eval_set)
        sets = {one.name: read_source(one.X) for one in tasks}
        of_sets = {
            one.name: (
                read_labels(client, one.y, sets[one.name], "y"),
                read_labels(client, one.weight, sets[one.name], "sample_weight"),
            )
            for one in tasks
        }
        labels = (
            read_labels(client, y, source, "y"),
            read_labels(client, sample_weight, source, "sample_weight"),
            of_sets,
        )
        request = Request(
            local, source, sets, labels, timeout,
            shares_trees and source.in_memory is not None, checkpoint,
        )  # fmt: skip
        return self._take_over(*run_fit(client, request))


class BoostsOnDask(OnDask):
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None,
        checkpoint: Any = None, timeout: float = TIMEOUT,
    ) -> Self:  # fmt: skip
        """Train on the workers of the cluster; the model is the one that one machine would give.

        Parameters
        ----------
        X : Graphs, GraphFiles, GraphTables, dask.bag of Graph, or list of delayed Graphs
            The examples. Graphs that are here are divided among the workers. Of `GraphTables`,
            which `graphtrees.scan_graph` gives, the vertices that have a label are the examples.
        y : array, dask array, or str
            A label for each graph (or vertex), or the name of a column of Parquet files.
        sample_weight : array, dask array or str, optional
            How much each of them counts.
        eval_set : (X, y), (X, y, sample_weight), list or dict of name -> these, optional
            Examples to watch.
        checkpoint : path, optional
            On storage that all workers see. The model is saved there every ten rounds. Where the
            file exists, training goes on from it; a fit that loses a worker goes on from it by
            itself, with the others.
        timeout : float, default=30
            Seconds without a message after which a worker is asked whether it is there; if it does
            not answer for as long again, the fit ends with `WorkerLostError`.

        Returns
        -------
        self
        """
        path = None if checkpoint is None else str(Path(checkpoint).absolute())
        return self._run(X, y, sample_weight, timeout, eval_set, checkpoint=path)


class GrowsForestOnDask(OnDask):
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, timeout: float = TIMEOUT
    ) -> Self:  # fmt: skip
        """Train on the workers of the cluster; the model is the one that one machine would give.

        Of graphs that are here, every worker gets a copy, and grows some of the trees. Graphs in
        pieces stay where they are, and the workers grow every tree together.

        Parameters
        ----------
        X : Graphs, GraphFiles, GraphTables, dask.bag of Graph, or list of delayed Graphs
            The examples; of `GraphTables`, the vertices that have a label.
        y : array, dask array, or str
            A label for each graph (or vertex), or the name of a column of Parquet files.
        sample_weight : array, dask array or str, optional
            How much each of them counts.
        timeout : float, default=30
            Seconds without a message after which a worker is asked whether it is there.

        Returns
        -------
        self
        """
        return self._run(X, y, sample_weight, timeout, shares_trees=True)


class ClassifiesOnDask(OnDask):
    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, computed on the cluster when it is asked for.

        Parameters
        ----------
        X : Graphs, GraphFiles, GraphTables, dask.bag of Graph, or list of delayed Graphs
            The graphs.

        Returns
        -------
        dask array of shape (n_graphs, n_classes)
        """
        return predict_lazily(self._client(), self.to_local(), "predict_proba", X)
