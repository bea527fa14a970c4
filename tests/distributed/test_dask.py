"""Training on a cluster gives the very model of one machine, whatever form the graphs come in."""

from __future__ import annotations

import itertools
import threading

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pandas as pd
import pytest

import graphtrees as gt
from graphtrees.distributed import (
    DaskGraphBoostingClassifier,
    DaskGraphBoostingRegressor,
    DaskGraphForestClassifier,
    DaskGraphForestRegressor,
)
from graphtrees.estimators.saving import file_text

DATA = gt.datasets.make_red_isolated_vertex(n_graphs=61, n_vertices=8, random_state=0)
X, Y = DATA.X, DATA.y
NUMBERS = np.arange(61) % 7 + 0.25 * Y

pytestmark = pytest.mark.filterwarnings("ignore:.*scattering.*:UserWarning")


def in_pieces(how: str):
    """The same graphs in each of the forms that a cluster takes."""
    if how == "bag":
        return db.from_sequence(list(X), npartitions=5)
    if how == "delayed":
        cuts = [0, 1, 30, 30, 61]
        return [dask.delayed(X)[a:b] for a, b in itertools.pairwise(cuts)]
    return list(X) if how == "list" else X


@pytest.mark.parametrize("how", ["graphs", "list", "bag", "delayed"])
def test_boosting_gives_the_model_of_one_machine(client, how):
    remote = DaskGraphBoostingClassifier(4, min_samples_leaf=3, random_state=0)
    remote.fit(in_pieces(how), Y)
    local = gt.GraphBoostingClassifier(4, min_samples_leaf=3, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)
    assert remote.cluster_report_.n_workers > 1
    assert type(remote.to_local()) is gt.GraphBoostingClassifier
    assert file_text(remote.to_local()) == file_text(local)


@pytest.mark.parametrize("how", ["graphs", "bag"])
def test_forests_give_the_model_of_one_machine(client, how):
    """Of graphs that are here the trees are shared out; of graphs in pieces they grow together."""
    remote = DaskGraphForestClassifier(5, random_state=0).fit(in_pieces(how), Y)
    local = gt.GraphForestClassifier(5, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)


def test_regressors_give_the_model_of_one_machine(client):
    weight = np.arange(61) % 3
    for remote, local in (
        (DaskGraphBoostingRegressor(3), gt.GraphBoostingRegressor(3)),
        (DaskGraphForestRegressor(3), gt.GraphForestRegressor(3)),
    ):
        for model, examples in ((remote, in_pieces("bag")), (local, X)):
            model.set_params(random_state=1).fit(examples, NUMBERS, sample_weight=weight)
        assert file_text(remote) == file_text(local)


def test_labels_may_be_lazy_too(client):
    lazy = da.from_array(Y, chunks=20)
    remote = DaskGraphBoostingClassifier(2, random_state=0).fit(in_pieces("bag"), lazy)
    assert file_text(remote) == file_text(gt.GraphBoostingClassifier(2, random_state=0).fit(X, Y))


def test_early_stopping_and_sets_to_watch_score_as_on_one_machine(client):
    given = {"early_stopping": True, "n_iter_no_change": 2, "random_state": 0}
    remote = DaskGraphBoostingClassifier(20, **given).fit(in_pieces("bag"), Y)
    local = gt.GraphBoostingClassifier(20, **given).fit(X, Y)
    assert remote.evals_result_ == local.evals_result_
    assert file_text(remote) == file_text(local)
    sets = {"first": (X[:20], Y[:20]), "rest": (X[20:], Y[20:])}
    remote = DaskGraphBoostingClassifier(3, random_state=0).fit(X, Y, eval_set=sets)
    local = gt.GraphBoostingClassifier(3, random_state=0).fit(X, Y, eval_set=sets)
    assert remote.evals_result_ == local.evals_result_


def test_predictions_are_lazy_and_the_same(client):
    remote = DaskGraphBoostingClassifier(3, random_state=0).fit(X, Y)
    for how in ("graphs", "bag", "delayed"):
        lazy = remote.predict(in_pieces(how))
        assert isinstance(lazy, da.Array)
        assert (lazy.compute() == remote.to_local().predict(X)).all()
        proba = remote.predict_proba(in_pieces(how)).compute()
        np.testing.assert_array_equal(proba, remote.to_local().predict_proba(X))
    assert remote.predict(X).shape == (61,)
    assert remote.score(in_pieces("bag"), Y) == remote.to_local().score(X, Y)


def test_pieces_with_their_own_categories_are_joined_as_on_one_machine(client):
    rng = np.random.default_rng(0)
    kinds = [rng.choice(["C", "N", "O"][: 1 + k % 3], 5).tolist() for k in range(24)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    graphs = [
        gt.Graph(
            pd.DataFrame({"kind": kind}),
            edges,
            edge_types=["x", "y" if k % 2 else "x", "x", "z"[:1]],
        )
        for k, kind in enumerate(kinds)
    ]
    y = [kind.count("C") for kind in kinds]
    given = {"min_samples_leaf": 2, "operators": ("adjacency", "relations"), "random_state": 0}
    bag = db.from_sequence(graphs, npartitions=6)
    remote = DaskGraphBoostingRegressor(3, **given).fit(bag, y)
    assert file_text(remote) == file_text(gt.GraphBoostingRegressor(3, **given).fit(graphs, y))


def test_a_parquet_folder_is_read_by_the_workers(client, tmp_path):
    weight = 1.0 + np.arange(61) % 2
    X.to_parquet(tmp_path / "graphs", rows_per_file=7, y=Y, sample_weight=weight)
    files = gt.scan_parquet(tmp_path / "graphs")
    local = gt.GraphBoostingClassifier(3, random_state=0)
    local.fit(X, Y, sample_weight=weight, eval_set=(X, Y))
    remote = DaskGraphBoostingClassifier(3, random_state=0)
    remote.fit(files, "y", sample_weight="sample_weight", eval_set=(files, "y"))
    assert file_text(remote) == file_text(local)
    lazy = remote.predict(files)
    assert lazy.shape == (61,)
    assert (lazy.compute() == local.predict(X)).all()
    assert remote.score(files, "y") == local.score(X, Y)


def test_two_fits_at_once_do_not_wait_for_each_other(client):
    """Every worker has one thread: if a fit held it, each fit could wait for the other."""
    made = {}

    def fit(seed: int) -> None:
        model = DaskGraphForestClassifier(2, random_state=seed)
        made[seed] = model.fit(in_pieces("bag"), Y)

    threads = [threading.Thread(target=fit, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    for seed in range(3):
        local = gt.GraphForestClassifier(2, random_state=seed).fit(X, Y)
        assert file_text(made[seed]) == file_text(local)


def test_progress_is_shown_where_the_client_is(client, capsys):
    DaskGraphBoostingClassifier(3, random_state=0, verbose=2).fit(X, Y)
    lines = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("round ") for line in lines) >= 1
    DaskGraphBoostingClassifier(3, random_state=0).fit(X, Y)
    assert "round" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((None, Y), "X must be Graphs"),
        (([1, 2], Y), "X must be Graphs"),
        ((X, "label"), "only a Parquet folder"),
        ((X, Y[:5]), "61"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(client, given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        DaskGraphBoostingClassifier(2).fit(*given)


def test_a_bag_of_other_things_is_refused(client):
    with pytest.raises(TypeError, match="must hold graphs in its pieces; got int"):
        DaskGraphBoostingClassifier(2).fit(db.from_sequence(range(10)), range(10))


def test_wrong_parameters_are_refused_before_anything_is_sent(client):
    with pytest.raises(ValueError, match="learning_rate"):
        DaskGraphBoostingClassifier(learning_rate=-1).fit(X, Y)
