"""From findings to warnings: only what would spoil a model or its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphtrees.inspection.words import count, listed, percent

if TYPE_CHECKING:
    from graphtrees.inspection.report import Inspection

LOW_CEILING = 0.98
MANY_COPIES = 0.01  # share of the examples
RARE_CLASS = 10  # examples
LOPSIDED = 0.9  # share of the most frequent class
OFTEN_MISSING = 0.5


def advise(found: Inspection) -> list[str]:
    """A sentence for each thing that needs attention, the worst first."""
    return [
        *_about_overlap(found),
        *_about_labels(found),
        *_about_twins(found),
        *_about_features(found),
        *_about_shape(found),
    ]


def _about_overlap(found: Inspection) -> list[str]:
    overlap = found.overlap
    if overlap is None:
        return []
    said = []
    if overlap.n_shared:
        said.append(
            f"{overlap.n_shared:,} of {overlap.n_test:,} test examples are training examples as "
            "well: the test score will be too good."
        )
    if overlap.unknown_classes:
        said.append(
            f"the test part has classes that training lacks: {listed(overlap.unknown_classes)}."
        )
    return said


def _about_labels(found: Inspection) -> list[str]:
    labels = found.labels
    if labels is None:
        return []
    said = []
    if labels.by_position:
        said.append(
            "like labels lie together: shuffle before you split, or the parts will differ "
            "(train_test_split does; KFold needs shuffle=True)."
        )
    if labels.n_missing:
        said.append(f"{count(labels.n_missing, 'example')} without a label: leave out of training.")
    if labels.counts is not None:
        said += _about_balance(labels.counts, labels.majority)
    return said


def _about_balance(counts: dict, majority: float | None) -> list[str]:
    if len(counts) == 1:
        return [f"all labels are {next(iter(counts))!r}: there is nothing to learn."]
    said = []
    if majority is not None and majority > LOPSIDED:
        said.append(
            f"{percent(majority)} of the labels are {next(iter(counts))!r}: accuracy will look "
            "good whatever you do; look at ROC-AUC or average precision."
        )
    rare = [str(name) for name, number in counts.items() if number < RARE_CLASS]
    if rare and sum(counts.values()) >= 2 * RARE_CLASS:
        said.append(f"classes with fewer than {RARE_CLASS} examples: {listed(rare)}.")
    return said


def _about_twins(found: Inspection) -> list[str]:
    said = []
    copies, twins = found.copies, found.twins
    if copies is not None and copies.n_in_conflict:
        said.append(
            f"{copies.n_in_conflict:,} graphs are copies of one another with different labels: "
            f"no method at all can score above {copies.ceiling:.3f} on these examples."
        )
    if copies is not None and copies.share > MANY_COPIES:
        said.append(
            f"{percent(copies.share)} of the graphs occur more than once: a random split puts "
            "copies into training and test."
        )
    if twins.ceiling is not None and twins.ceiling < LOW_CEILING:
        said.append(
            f"{percent(twins.share)} of the {found.kind} have a twin that no 1-WL method (no "
            f"message passing) can tell apart: such a method cannot score above "
            f"{twins.ceiling:.3f} here."
        )
    return said


def _about_features(found: Inspection) -> list[str]:
    features = found.features
    said = []
    if features.constant:
        said.append(f"the same at every vertex, so of no use: {listed(features.constant)}.")
    if features.all_missing:
        said.append(f"missing at every vertex: {listed(features.all_missing)}.")
    often = [name for name, share in features.missing.items() if share > OFTEN_MISSING]
    if often:
        said.append(f"missing at more than half of the vertices: {listed(often)}.")
    said += [f"{collapse.text}." for collapse in features.collapsing]
    return said + [f"{odd.text}." for odd in features.odd_texts]


def _about_shape(found: Inspection) -> list[str]:
    shape = found.shape
    said = []
    if shape.n_without_vertices:
        said.append(f"{count(shape.n_without_vertices, 'graph')} without vertices.")
    if found.kind != "rows" and shape.n_edges == 0 and shape.n_vertices:
        said.append("no graph has an edge.")
    return said
