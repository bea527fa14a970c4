"""An inspection in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphtrees.inspection.alike import Alike
    from graphtrees.inspection.overlap import Overlap
    from graphtrees.inspection.report import Inspection
    from graphtrees.inspection.shape import Features, Shape
    from graphtrees.inspection.target import Labels

LISTED = 8  # names that are listed before "and 5 more"
WIDTH = 86


@dataclass(frozen=True)
class Section:
    """A title and its lines."""

    title: str
    lines: list[str]


def write_sections(found: Inspection) -> list[Section]:
    sections = [
        Section("examples", _examples(found)),
        Section("graphs", _shape(found.shape)),
        Section("features", _features(found.features)),
    ]
    if found.labels is not None:
        sections.append(Section("labels", _labels(found.labels)))
    if found.copies is not None:
        sections.append(Section("copies", _alike(found.copies, found, "are the same as another")))
    sections.append(Section("twins", _alike(found.twins, found, _twin_words(found))))
    if found.overlap is not None:
        sections.append(Section("test", _overlap(found.overlap, found.kind)))
    warned = [line for text in found.warnings for line in wrapped(f"! {text}", "  ")]
    sections.append(Section("warnings", warned or ["none"]))
    return sections


def _examples(found: Inspection) -> list[str]:
    words = {"rows": "rows of a table", "vertices": "vertices", "edges": "edges"}
    kind = words.get(found.kind, "graphs")
    if found.kind in ("vertices", "edges"):
        kind += f" of {count(found.shape.n_graphs, 'graph')}"
    return [f"{found.n_examples:,} {kind}"]


def _shape(shape: Shape) -> list[str]:
    kinds = ["directed" if shape.directed else "undirected"]
    kinds += ["weighted"] * shape.weighted
    kinds += [f"edge types: {listed(shape.edge_types)}"] * bool(shape.edge_types)
    kinds += [f"edge features: {listed(shape.edge_features)}"] * bool(shape.edge_features)
    lines = [f"{'':<12}{'min':>9}{'median':>9}{'mean':>9}{'max':>9}"]
    for name, spread in shape.spreads.items():
        numbers = (spread.min, spread.median, spread.mean, spread.max)
        lines.append(f"{name:<12}" + "".join(f"{short(number):>9}" for number in numbers))
    rare = {
        "without vertices": shape.n_without_vertices,
        "without edges": shape.n_without_edges,
        "isolated vertices": shape.n_isolated,
        "self-loops": shape.n_self_loops,
        "repeated edges": shape.n_repeated_edges,
    }
    told = [f"{name} {number:,}" for name, number in rare.items() if number]
    return lines + wrapped(" · ".join([*kinds, *told]))


def _features(features: Features) -> list[str]:
    if features.n_features == 0:
        return ["none: questions can only count walks"]
    lines = [count(features.n_features, "feature")]
    for word, names in (
        ("categories", features.categorical),
        ("constant", features.constant),
        ("missing everywhere", features.all_missing),
        ("missing in part", [f"{n} {percent(s)}" for n, s in features.missing.items()]),
    ):
        if names:
            lines += wrapped(f"{word}: {listed(names)}")
    return lines


def _labels(labels: Labels) -> list[str]:
    lines = []
    if labels.counts is not None:
        n = max(labels.n_known, 1)
        shares = [f"{name} {many:,} ({percent(many / n)})" for name, many in labels.counts.items()]
        lines += wrapped(f"{count(len(shares), 'class', 'classes')}: {listed(shares)}")
        if labels.majority is not None:
            lines.append(f"always naming the most frequent scores {labels.majority:.3f}")
    elif labels.quantiles is not None:
        points = [f"{name} {short(value)}" for name, value in labels.quantiles.items()]
        lines += ["numbers: " + " · ".join(points[:5]), " · ".join(points[5:])]
    if labels.n_missing:
        lines.append(f"missing: {labels.n_missing:,}")
    if labels.by_position:
        lines.append("sorted by position")
    return lines or ["none"]


def _twin_words(found: Inspection) -> str:
    few = "" if found.stable else f" within {found.rounds} rounds"
    return f"cannot be told from another by 1-WL{few}"


def _alike(alike: Alike, found: Inspection, words: str) -> list[str]:
    share = f" ({percent(alike.share)})" if alike.n_with_twin else ""
    lines = [f"{alike.n_with_twin:,} of {alike.n_examples:,}{share} {words}"]
    if alike.n_in_conflict:
        lines.append(f"{alike.n_in_conflict:,} of them among examples with another label")
    if alike.ceiling is not None and alike.n_in_conflict:
        score = "accuracy" if found.labels and found.labels.task == "classification" else "R2"
        method = "method at all" if alike is found.copies else "such method"
        lines.append(f"so no {method} can pass {score} {alike.ceiling:.3f} here")
    if alike.shown:
        groups = [", ".join(map(str, group)) for group in alike.shown]
        lines.append(f"for example {' · '.join(groups)}")
    return lines


def _overlap(overlap: Overlap, kind: str) -> list[str]:
    lines = [f"{overlap.n_test:,} {kind}; {overlap.n_shared:,} are training examples as well"]
    if overlap.shown:
        lines.append(f"for example test {listed(list(map(str, overlap.shown)))}")
    lines.append(f"{overlap.n_alike:,} cannot be told from a training example by 1-WL")
    return lines


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False)


def listed(names: list[Any]) -> str:
    shown = ", ".join(map(str, names[:LISTED]))
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED:,} more"


def count(number: int, word: str, words: str | None = None) -> str:
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def percent(share: float) -> str:
    """A share in per cent, never rounded to none or to all of it."""
    if 0 < share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f} %"


def short(number: float) -> str:
    """A number in few characters: whole ones as such."""
    if number == int(number) and abs(number) < 1e7:
        return f"{int(number):,}"
    return f"{number:.4g}"
