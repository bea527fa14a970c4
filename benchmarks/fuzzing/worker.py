"""The child process: tries case after case, within limits, and says how each went.

Reads one case a line from standard input, writes one answer a line to what was standard output.
What the library itself prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))


def limit_memory(n_bytes: int) -> None:
    """An address space of so many bytes, where the system knows such limits."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    except (ImportError, ValueError, OSError):
        pass


def answer(case: dict[str, Any]) -> dict[str, Any]:
    from fuzzing.cases import run_case
    from fuzzing.judge import complaint, place

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)  # a number went wrong inside
            run_case(case)
    except Exception as error:
        text = complaint(error)
        if text is None:
            return {"outcome": "refused"}
        where = text.split(":")[0] if text.startswith("law") else place(error)
        return {
            "outcome": "finding", "complaint": text,
            "signature": f"{type(error).__name__} {where}",
            "trace": "".join(traceback.format_exception(error))[-6000:],
        }  # fmt: skip
    return {"outcome": "fine"}


def main() -> None:
    limit_memory(int(sys.argv[1]))
    # The parent listens here; everything else that is printed is lost.
    talk = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.environ.setdefault("MPLBACKEND", "Agg")
    from fuzzing.odd import make

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make("model")  # compiles kernels, before anyone looks at the clock
    talk.write('{"outcome": "ready"}\n')
    talk.flush()
    for line in sys.stdin:
        talk.write(json.dumps(answer(json.loads(line))) + "\n")
        talk.flush()


if __name__ == "__main__":
    main()
