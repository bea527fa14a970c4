"""Train on one large graph with less memory than the fit needs.

    python benchmarks/out_of_core.py --vertices 10_000_000 --memory-limit 2GB

A graph with two edges a vertex and four features is written to Parquet files (`--folder`, kept from
run to run). The process then forbids itself more memory than the limit, beyond what it had before
the fit: `RLIMIT_DATA` of Linux bounds everything that does not lie in files. `--whole` trains with
all arrays in memory, for comparison; the last line is a hash of the trees, which must agree.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

STEP = 1_000_000


def write_graph(folder: Path, n: int) -> None:
    """Files of a million vertices each, and of their edges: one to a near vertex, one to any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    for name in ("vertices", "edges"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for first in range(0, n, STEP):
        ids = np.arange(first, min(n, first + STEP))
        x, kind = rng.normal(size=(len(ids), 3)).astype("f4"), rng.integers(0, 5, len(ids))
        noise = rng.normal(size=len(ids)) * 0.3
        label = (x[:, 0] + 0.5 * x[:, 1] + (kind == 2) + noise > 0.3).astype("i1")
        columns = {"id": ids, "a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "kind": kind.astype("f4")}
        near = np.minimum(n - 1, ids + 1 + rng.integers(0, 50, len(ids)))
        ends = np.r_[near, rng.integers(0, n, len(ids))]
        file = f"part-{first // STEP:04}.parquet"
        pq.write_table(pa.table(columns | {"label": label}), folder / "vertices" / file)
        pq.write_table(
            pa.table({"source": np.r_[ids, ids], "target": ends}), folder / "edges" / file
        )


class Watch(threading.Thread):
    """The most memory of this process so far, in MB: what lies in no file, and what does."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.anonymous = self.of_files = 0

    def run(self) -> None:
        while True:
            anonymous, of_files = resident()
            self.anonymous = max(self.anonymous, anonymous)
            self.of_files = max(self.of_files, of_files)
            time.sleep(0.05)


def resident() -> tuple[int, int]:
    lines = Path("/proc/self/status").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) // 1000 for line in lines if "kB" in line}
    return found["RssAnon"], found["RssFile"]


def compile_kernels(settings: dict[str, Any]) -> None:
    import graphtrees as gt
    from graphtrees._storage import keep_in_files, storage_scope, temporary_folder

    with tempfile.TemporaryDirectory() as folder:
        write_graph(Path(folder), 300)
        tables = gt.scan_graph(f"{folder}/vertices", f"{folder}/edges")
        with storage_scope():
            keep_in_files(temporary_folder())
            gt.GraphBoostingClassifier(**settings).fit(tables, "label")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--vertices", type=int, default=1_000_000)
    asked.add_argument("--memory-limit", default="2GB")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--leaves", type=int, default=8)
    asked.add_argument("--folder", type=Path)
    asked.add_argument("--threads", type=int, default=2)
    asked.add_argument("--whole", action="store_true", help="no limit: all arrays in memory")
    given = asked.parse_args()
    folder = given.folder or Path(tempfile.gettempdir(), f"graph-of-{given.vertices}")
    if not folder.exists():
        write_graph(folder, given.vertices)

    import graphtrees as gt
    from graphtrees.estimators.memory_limit import bytes_text, parse_memory

    settings = {
        "max_walk_length": 1, "max_leaf_nodes": given.leaves, "n_jobs": given.threads,
        "random_state": 0,
    }  # fmt: skip
    compile_kernels(settings | {"n_estimators": 1})
    tables = gt.scan_graph(folder / "vertices", folder / "edges")
    model = gt.GraphBoostingClassifier(n_estimators=given.rounds, verbose=2, **settings)
    before, watch = resident()[0], Watch()
    if not given.whole:
        model.set_params(memory_limit=given.memory_limit)
        limit = parse_memory(given.memory_limit) or 0
        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + limit, used + limit))
    watch.start()
    start = time.perf_counter()
    model.fit(tables, "label")
    seconds = time.perf_counter() - start
    print(f"{tables}: {seconds:.0f} s with {given.threads} threads")
    print(f"memory beyond files {bytes_text((watch.anonymous - before) * 10**6)}, "
          f"of files {bytes_text(watch.of_files * 10**6)} at the most")  # fmt: skip
    trees = model.trees_to_dataframe().to_csv(index=False)
    print("trees", hashlib.sha256(trees.encode()).hexdigest()[:16])


if __name__ == "__main__":
    main()
