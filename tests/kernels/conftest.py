from __future__ import annotations

import pytest

from kernels.watching import Watch


@pytest.fixture
def watch(monkeypatch) -> Watch:
    """Every kernel is compared with its twin whenever it is called."""
    return Watch(monkeypatch)
