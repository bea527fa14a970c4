"""Wear the library down: kills and resumes, many fits and predictions, threads on shared graphs.

    python benchmarks/soak.py              # some minutes; prints a table
    python benchmarks/soak.py --quick      # seconds: shows that everything runs

The exit code is 1 where anything differed. Memory is that of the process at the start and at the
end of each part, libraries and compiled kernels included.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS = 60  # of the run that is killed again and again
SLOWNESS = 0.03  # seconds added to a round of it, so that kills fall everywhere


@dataclass(frozen=True)
class Amounts:
    """How much of everything."""

    kills: int = 50
    predictions: int = 10_000
    fits: int = 200
    threads: int = 6
    turns: int = 20  # fits and predictions of each thread


QUICK = Amounts(kills=3, predictions=50, fits=6, threads=6, turns=2)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    times: int
    outcome: str
    sound: bool
    before: int
    after: int
    seconds: float

    def line(self) -> str:
        memory = f"{self.before / 2**20:.0f} | {self.after / 2**20:.0f}"
        word = self.outcome if self.sound else f"**{self.outcome}**"
        return f"| {self.what} | {self.times:,} | {word} | {memory} | {self.seconds:.0f} s |"


def task(seed: int = 0, n_graphs: int = 120) -> tuple[Any, np.ndarray]:
    import graphtrees as gt

    data = gt.datasets.make_red_isolated_vertex(n_graphs, n_vertices=12, random_state=seed)
    return data.X, data.y


def a_model(n_estimators: int = 5, **given: Any) -> Any:
    import graphtrees as gt

    return gt.GraphBoostingClassifier(
        n_estimators, subsample=0.7, min_samples_leaf=2, random_state=0, **given
    )


# ---- kills and resumes ---------------------------------------------------------------------------


def train_in_child(checkpoint: Path, output: Path) -> None:
    """Go on from the checkpoint if there is one; write the model at the end."""
    import graphtrees as gt

    def slow(state: Any) -> None:
        time.sleep(SLOWNESS)

    resume = {"resume_from": checkpoint} if checkpoint.exists() else {}
    callbacks = [gt.Checkpoint(checkpoint, every=1), slow]
    a_model(ROUNDS, n_jobs=1).fit(*task(), callbacks=callbacks, **resume).save(output)


def kill_and_resume(amounts: Amounts) -> Iterator[str]:
    """Kill at random moments, some of them while a file is being written."""
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder:
        checkpoint, output = Path(folder) / "run.json", Path(folder) / "model.json"
        whole = Path(folder) / "whole.json"
        start = time.monotonic()
        _child(Path(folder) / "other.json", whole).wait()
        length = time.monotonic() - start
        killed = 0
        while killed < amounts.kills:
            child = _child(checkpoint, output)
            time.sleep(rng.uniform(0.0, length))
            child.send_signal(signal.SIGKILL)
            killed += child.wait() == -signal.SIGKILL
            if checkpoint.exists():
                json.loads(checkpoint.read_text())  # whole, or not there
            if output.exists():  # it was done before it was killed: once more from the start
                yield from _compare(whole, output, "a resumed run")
                checkpoint.unlink()
                output.unlink()
        if _child(checkpoint, output).wait():
            yield "the last run failed"
        yield from _compare(whole, output, "the last run")
        left = [path.name for path in Path(folder).iterdir() if path.suffix != ".json"]
        if left:
            yield f"files left behind: {left}"


def _child(checkpoint: Path, output: Path) -> subprocess.Popen:
    words = [sys.executable, __file__, "--child", str(checkpoint), str(output)]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL)


def _compare(whole: Path, output: Path, what: str) -> Iterator[str]:
    if whole.read_bytes() != output.read_bytes():
        yield f"{what} wrote another model"


# ---- in this process -----------------------------------------------------------------------------


def predict_often(amounts: Amounts) -> Iterator[str]:
    X, y = task()
    model = a_model().fit(X, y)
    wanted = model.predict_proba(X)
    for turn in range(amounts.predictions):
        place = turn % len(X)
        if not np.array_equal(model.predict_proba(X[place : place + 1])[0], wanted[place]):
            yield f"prediction {turn} differs"


def fit_often(amounts: Amounts) -> Iterator[str]:
    X, y = task()
    wanted = a_model().fit(X, y).predict_proba(X)
    for turn in range(amounts.fits):
        if not np.array_equal(a_model().fit(X, y).predict_proba(X), wanted):
            yield f"fit {turn} differs"


def share_among_threads(amounts: Amounts) -> Iterator[str]:
    """Each thread fits and predicts, on the same graphs and with one common model too."""
    X, y = task()
    common = a_model().fit(X, y)
    wanted = common.predict_proba(X)
    differing: list[str] = []

    def work(number: int) -> None:
        try:
            for turn in range(amounts.turns):
                own = a_model(n_jobs=1 + number % 2).fit(X, y)
                for name, model in (("its own", own), ("the common", common)):
                    if not np.array_equal(model.predict_proba(X), wanted):
                        differing.append(f"thread {number}, turn {turn}: {name} model differs")
        except Exception as error:
            differing.append(f"thread {number}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(amounts.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield from differing


def memory() -> int:
    """Bytes of this process that are in memory; 0 where nobody tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    import resource

    return pages * resource.getpagesize()


def run(what: str, times: int, part: Callable[[Amounts], Iterator[str]], amounts: Amounts) -> Row:
    before, start = memory(), time.monotonic()
    differing = list(part(amounts))
    seconds = time.monotonic() - start
    outcome = "the same" if not differing else f"{len(differing)} differ: {differing[0]}"
    return Row(what, times, outcome, not differing, before, memory(), seconds)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--child", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.child:
        train_in_child(*options.child)
        return 0
    amounts = QUICK if options.quick else Amounts()
    a_model().fit(*task())  # compiles kernels and fills caches
    parts = (
        ("kills and resumes", amounts.kills, kill_and_resume),
        ("predictions", amounts.predictions, predict_often),
        ("fits", amounts.fits, fit_often),
        (f"turns of {amounts.threads} threads", amounts.threads * amounts.turns,
         share_among_threads),
    )  # fmt: skip
    print("| what | times | model | MB before | MB after | time |")
    print("| --- | --- | --- | --- | --- | --- |")
    sound = True
    for what, times, part in parts:
        row = run(what, times, part, amounts)
        sound &= row.sound
        print(row.line(), flush=True)
    return int(not sound)


if __name__ == "__main__":
    sys.exit(main())
