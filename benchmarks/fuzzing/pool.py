"""Child processes that try cases; one that dies or hangs is a finding and is replaced."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

WORKER = Path(__file__).with_name("worker.py")
MEMORY = 6 * 2**30  # address space, most of which is libraries and stacks of threads
START_SECONDS = 600  # an empty cache: kernels are compiled


class Child:
    """One child process, started when first needed."""

    def __init__(self, seconds: float, memory: int = MEMORY) -> None:
        self.seconds = seconds
        self.memory = memory
        self._process: subprocess.Popen[str] | None = None

    def ask(self, case: dict[str, Any]) -> dict[str, Any]:
        """How the case went."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(case) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return self._died()
        line = self._line(self.seconds)
        if line is None:
            self.stop()
            text = f"no answer within {self.seconds:g} s"
            return {"outcome": "finding", "complaint": text, "signature": "hang", "trace": ""}
        return json.loads(line) if line else self._died()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._errors.close()
            self._process = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
            self._process = subprocess.Popen(
                [sys.executable, "-X", "faulthandler", str(WORKER), str(self.memory)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
            )  # fmt: skip
            if not self._line(START_SECONDS):
                raise RuntimeError(f"a child process did not start:\n{self._died()['trace']}")
        return self._process

    def _line(self, seconds: float) -> str | None:
        """The next line; empty where the child ended, None where it takes too long."""
        process, found = self._process, queue.Queue[str](1)
        assert process is not None
        assert process.stdout is not None
        threading.Thread(target=lambda: found.put(process.stdout.readline()), daemon=True).start()
        try:
            return found.get(timeout=seconds)
        except queue.Empty:
            return None

    def _died(self) -> dict[str, Any]:
        assert self._process is not None
        code = self._process.wait()
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        self._errors.seek(0)
        trace = self._errors.read()[-6000:]
        self.stop()
        return {
            "outcome": "finding", "complaint": f"the process ended with {name}",
            "signature": f"died {name}", "trace": trace,
        }  # fmt: skip
