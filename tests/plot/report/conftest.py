"""Pages written once, and two ways to read them: by their blocks, and in a real browser."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import some_graphs
from models import small

import graphtrees as gt

# Each of these would do harm, or break the page, if it were ever taken for more than text.
HOSTILE = (
    "<script>window.harmed = 1</script>",
    "</script><script>window.harmed = 2</script>",
    "\"><img src=x onerror='window.harmed = 3'>",
    "<!-- <b>bold</b> & &lt;",
    "{{script}} ${1 + 1} \\u003c",
    "</title></style>\u2028\x00\ud800",
)


@dataclass
class Parsed(HTMLParser):
    """What a browser would make of a page: its elements, and the text of scripts and styles."""

    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self._inside = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.texts[self._inside] = self.texts.get(self._inside, "") + data

    def block(self, name: str) -> Any:
        """The content of a data block."""
        return json.loads(self.texts[name])

    def names(self, start: str) -> list[str]:
        return [name for name in self.texts if name.startswith(start)]


@dataclass(frozen=True)
class Written:
    """A page beside what it was written from."""

    model: Any
    X: Any
    y: Any
    path: Path

    @property
    def parsed(self) -> Parsed:
        page = Parsed()
        page.feed(self.path.read_text(encoding="utf-8"))
        page.close()
        return page

    def listed(self) -> list[int]:
        """Positions in X of the examples, in the order of the list; names must be the default."""
        return [int(name) for name in self.parsed.block("page")["examples"]["name"]]


@pytest.fixture(scope="session")
def write(tmp_path_factory):
    """Write a page and give it back with what it was written from."""

    def write(model: Any, X: Any, y: Any = None, **options: Any) -> Written:
        path = tmp_path_factory.mktemp("page") / "report.html"
        model.report(X, y, path, **options)
        return Written(model, X, y, path)

    return write


def labels(n: int, n_classes: int = 2) -> np.ndarray:
    return np.random.default_rng(0).integers(n_classes, size=n)


@pytest.fixture(scope="session")
def of_classes(write) -> Written:
    """Thirty graphs in two classes, the first eight not what the model learnt."""
    X, y = some_graphs(30, n_vertices=(4, 9), feature_names=["charge", "mass"]), labels(30)
    model = small(gt.GraphBoostingClassifier, n_estimators=7, max_leaf_nodes=4)
    model.fit(X, y, eval_set=(X[:9], y[:9]))
    return write(model, X, np.where(np.arange(30) < 8, 1 - y, y))


@pytest.fixture(scope="session")
def of_numbers(write) -> Written:
    X = some_graphs(25, n_vertices=(3, 7), directed=True)
    y = np.random.default_rng(1).normal(size=25)
    return write(small(gt.GraphForestRegressor).fit(X, y), X, y)


@pytest.fixture(scope="session")
def of_vertices(write) -> Written:
    """Vertices of a long path, of which the page draws surroundings only."""
    graph = gt.Graph(np.sin(np.arange(40.0))[:, None], [(i, i + 1) for i in range(39)])
    model = small(gt.GraphBoostingClassifier, max_walk_length=2)
    y = labels(40, 3)
    return write(model.fit(graph.vertices, y), graph.vertices, y)


@pytest.fixture(scope="session")
def of_edges(write) -> Written:
    graph = some_graphs(1, n_vertices=(7, 7), seed=3)[0]
    y = labels(graph.n_edges)
    model = small(gt.GraphTreeClassifier, max_leaf_nodes=8)
    return write(model.fit(graph.edges, y), graph.edges, y, names=range(graph.n_edges))


@pytest.fixture(scope="session")
def hostile(write) -> Written:
    """Every text that can come from data is one of `HOSTILE`."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kinds = pandas.CategoricalDtype(HOSTILE[:5])
    graphs = [
        gt.Graph(
            pandas.DataFrame({
                HOSTILE[0]: rng.normal(size=6),
                HOSTILE[2]: pandas.Series(rng.choice(HOSTILE[:5], 6)).astype(kinds),
            }),
            [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
            vertex_names=HOSTILE,
        )
        for _ in range(24)
    ]  # fmt: skip
    y = np.array(HOSTILE[:3], dtype=object)[np.arange(24) % 3]
    model = small(gt.GraphBoostingClassifier, n_estimators=6)
    model.fit(graphs, y, eval_set={HOSTILE[3]: (graphs[:6], y[:6])})
    names = [HOSTILE[k % 6] + str(k) for k in range(24)]
    ids = {HOSTILE[1]: [HOSTILE[k % 4] for k in range(24)]}
    return write(model, graphs, y, title=HOSTILE[5] + HOSTILE[1], names=names, ids=ids)


@pytest.fixture(scope="session")
def browser():
    """Chromium as the machine has it, without a window and with an empty profile of its own."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("no Chromium or Chrome on this machine")
    quiet = [
        "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update",
    ]  # fmt: skip
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=quiet, timeout=120_000)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser):
    """Open a page; at the end of the test nothing must have gone wrong or been asked for."""
    contexts, wrong = [], []

    def show(written: Written, width: int = 1280, height: int = 900, **options: Any) -> Any:
        still = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
        context = browser.new_context(**still, **options)
        contexts.append(context)
        context.add_init_script(
            "const parse = JSON.parse; window.parsed = 0;"
            "JSON.parse = (...given) => { window.parsed += 1; return parse(...given); };"
        )
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: asked.url == address or wrong.append(asked.url))
        address = written.path.as_uri()
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield show
    for context in contexts:
        context.close()
    assert wrong == []
