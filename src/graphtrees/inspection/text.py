"""An inspection as a page of text, or as HTML."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphtrees.inspection.report import Inspection
    from graphtrees.inspection.shape import Features, Shape
    from graphtrees.inspection.target import Labels
    from graphtrees.inspection.twins import Overlap, Twins

LISTED = 8  # names that are listed before "and 5 more"
WIDTH = 86


@dataclass(frozen=True)
class Section:
    """A title and its lines."""

    title: str
    lines: list[str]


def write_sections(inspection: Inspection) -> list[Section]:
    sections = [
        Section("examples", _examples(inspection)),
        Section("graphs", _shape(inspection.shape)),
        Section("features", _features(inspection.features)),
    ]
    if inspection.labels is not None:
        sections.append(Section("labels", _labels(inspection.labels)))
    if inspection.copies is not None:
        sections.append(Section("copies", _twins(inspection.copies, inspection)))
    sections.append(Section("twins", _twins(inspection.twins, inspection)))
    if inspection.overlap is not None:
        sections.append(Section("test", _overlap(inspection.overlap, inspection.kind)))
    warnings = [line for text in inspection.warnings for line in wrapped(f"! {text}", "  ")]
    sections.append(Section("warnings", warnings or ["none"]))
    return sections


def as_text(sections: list[Section], emphasise: Callable[[str], str] = str) -> str:
    """Sections as a page, titles in a column of their own."""
    lines = []
    for section in sections:
        for place, line in enumerate(section.lines):
            title = section.title if place == 0 else ""
            lines.append((emphasise(f"{title:<10}") + line).rstrip())
    return "\n".join(lines)


def as_html(sections: list[Section]) -> str:
    rows = [
        f"<tr><th style='text-align:left;vertical-align:top'>{escape(section.title)}</th>"
        f"<td style='text-align:left;white-space:pre'>{escape(chr(10).join(section.lines))}</td>"
        "</tr>"
        for section in sections
    ]
    return f"<table>{''.join(rows)}</table>"


def _examples(inspection: Inspection) -> list[str]:
    kind = "rows of a table" if inspection.kind == "rows" else inspection.kind
    if inspection.kind in ("vertices", "edges"):
        kind += f" of {count(inspection.shape.n_graphs, 'graph')}"
    return [f"{inspection.n_examples:,} {kind}"]


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
    counts = [f"{name} {number:,}" for name, number in rare.items() if number]
    return lines + wrapped(" · ".join([*kinds, *counts]))


def _features(features: Features) -> list[str]:
    if features.n_features == 0:
        return ["none: questions can only count walks"]
    lines = [count(features.n_features, "feature")]
    for title, names in (
        ("categories", features.categorical),
        ("constant", features.constant),
        ("missing everywhere", features.all_missing),
        ("missing in part", [f"{n} {percent(s)}" for n, s in features.missing.items()]),
    ):
        if names:
            lines += wrapped(f"{title}: {listed(names)}")
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


def _twins(twins: Twins, inspection: Inspection) -> list[str]:
    few = "" if inspection.stable else f" within {inspection.rounds} rounds"
    are_copies = twins is inspection.copies
    verb = "are the same as another" if are_copies else f"cannot be told from another by 1-WL{few}"
    share = f" ({percent(twins.share)})" if twins.n_with_twin else ""
    lines = [f"{twins.n_with_twin:,} of {twins.n_examples:,}{share} {verb}"]
    if twins.n_in_conflict:
        lines.append(f"{twins.n_in_conflict:,} of them among examples with another label")
    if twins.ceiling is not None and twins.n_in_conflict:
        labels = inspection.labels
        score = "accuracy" if labels and labels.task == "classification" else "R2"
        method = "method at all" if are_copies else "such method"
        lines.append(f"so no {method} can pass {score} {twins.ceiling:.3f} here")
    if twins.shown:
        groups = [", ".join(map(str, group)) for group in twins.shown]
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


def count(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


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
