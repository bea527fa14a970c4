"""Try to break the library with generated and damaged input.

    python benchmarks/fuzz.py --minutes 10 --seed 1 --jobs 2
    python benchmarks/fuzz.py --cases 1500 --minutes 30 --seed 0     # the same cases every time
    python benchmarks/fuzz.py --replay tests/found/law-0123456789.json

Every case runs in a child process with limits on time and address space. A crash, a hang, an
error that is not a proper refusal, or a broken law is a finding: it is shrunk and written to
`--out`, by default tests/found, where the tests replay it. The exit code is 1 where there were any.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fuzzing.cases import about, load_case, make_case, save_case
from fuzzing.pool import Child
from fuzzing.shrink import shrink

FOUND = Path(__file__).parents[1] / "tests" / "found"
SECONDS = 120  # for one case


class Run:
    """The cases of one seed, shared out among child processes."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.end = time.monotonic() + 60 * options.minutes
        self.numbers = itertools.count(options.first)
        self.counts: Counter[str] = Counter()
        self.found: dict[str, list[str]] = {}
        self.lock = threading.Lock()

    def work(self) -> None:
        child = Child(self.options.seconds)
        try:
            while (case := self._next()) is not None:
                result = child.ask(case)
                with self.lock:
                    self.counts["cases"] += 1
                    self.counts[result["outcome"]] += 1
                if result["outcome"] == "finding":
                    self._keep(case, result, child)
        finally:
            child.stop()

    def _next(self) -> dict[str, Any] | None:
        with self.lock:
            number = next(self.numbers)
        last = self.options.cases
        if time.monotonic() > self.end or (last and number >= self.options.first + last):
            return None
        return make_case(self.options.seed, number)

    def _keep(self, case: dict[str, Any], result: dict[str, Any], child: Child) -> None:
        """Shrink and write the first finding of its kind."""
        signature = result["signature"]
        if case["kind"] == "law" or " nowhere" in signature:
            signature = f"{about(case)}: {signature}"
        with self.lock:
            known = signature in self.found
            self.found.setdefault(signature, []).append(str(case["seed"]))
        if known:
            return

        def still_fails(smaller: dict[str, Any]) -> bool:
            return child.ask(smaller).get("signature") == result["signature"]

        small = shrink(case, still_fails, self.options.shrink_seconds)
        path = save_case(small, result["complaint"], self.options.out)
        print(f"\nFOUND {signature}\n  {result['complaint']}\n  {path}", flush=True)
        if self.options.trace:
            print(result["trace"], flush=True)


def parse(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=0, help="stop after so many (0: never)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="child processes side by side")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for one case")
    parser.add_argument("--shrink-seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=FOUND, help="where findings are written")
    parser.add_argument("--trace", action="store_true", help="show tracebacks")
    parser.add_argument("--replay", type=Path, help="try this one file and show what happens")
    return parser.parse_args(words)


def replay(path: Path, seconds: float) -> int:
    child = Child(seconds)
    result = child.ask(load_case(path))
    child.stop()
    print(result.pop("trace", ""))
    print(json.dumps(result, indent=1))
    return int(result["outcome"] == "finding")


def main(words: list[str] | None = None) -> int:
    options = parse(words)
    if options.replay:
        return replay(options.replay, options.seconds)
    run, start = Run(options), time.monotonic()
    threads = [threading.Thread(target=run.work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = run.counts
    print(
        f"\nseed {options.seed}: {counts['cases']} cases in {time.monotonic() - start:.0f} s: "
        f"{counts['fine']} fine, {counts['refused']} refused, {counts['finding']} findings of "
        f"{len(run.found)} kinds"
    )
    if options.cases and counts["cases"] < options.cases:
        print(f"stopped by --minutes {options.minutes:g} before the {options.cases} cases")
    for signature, seeds in run.found.items():
        print(f"  {len(seeds):4d}  {signature}  (first: {seeds[0]})")
    return int(bool(run.found))


if __name__ == "__main__":
    sys.exit(main())
