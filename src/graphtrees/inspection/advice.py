"""The warnings of an inspection: only what would spoil a model or its score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphtrees.inspection.text import count, listed, percent

if TYPE_CHECKING:
    from graphtrees.inspection.report import Inspection

LOW_CEILING = 0.98
MANY_COPIES = 0.01  # share of the examples
RARE_CLASS = 10  # examples
LOPSIDED = 0.9  # share of the most frequent class
OFTEN_MISSING = 0.5


def advise(inspection: Inspection) -> list[str]:
    """A sentence for each thing that needs attention, the worst first."""
    return [
        *_about_overlap(inspection),
        *_about_labels(inspection),
        *_about_twins(inspection),
        *_about_features(inspection),
        *_about_shape(inspection),
    ]


def _about_overlap(inspection: Inspection) -> list[str]:
    overlap = inspection.overlap
    if overlap is None:
        return []
    warnings = []
    if overlap.n_shared:
        warnings.append(
            f"{overlap.n_shared:,} of {overlap.n_test:,} test examples are training examples as "
            "well: the test score will be too good."
        )
    if overlap.unknown_classes:
        warnings.append(
            f"the test part has classes that training lacks: {listed(overlap.unknown_classes)}."
        )
    return warnings


def _about_labels(inspection: Inspection) -> list[str]:
    labels = inspection.labels
    if labels is None:
        return []
    warnings = []
    if labels.by_position:
        warnings.append(
            "like labels lie together: shuffle before you split, or the parts will differ "
            "(train_test_split does; KFold needs shuffle=True)."
        )
    if labels.n_missing:
        warnings.append(
            f"{count(labels.n_missing, 'example')} without a label: leave out of training."
        )
    if labels.counts is not None:
        warnings += _about_balance(labels.counts, labels.majority)
    return warnings


def _about_balance(counts: dict, majority: float | None) -> list[str]:
    if len(counts) == 1:
        return [f"all labels are {next(iter(counts))!r}: there is nothing to learn."]
    warnings = []
    if majority is not None and majority > LOPSIDED:
        warnings.append(
            f"{percent(majority)} of the labels are {next(iter(counts))!r}: accuracy will look "
            "good whatever you do; look at ROC-AUC or average precision."
        )
    rare = [str(name) for name, number in counts.items() if number < RARE_CLASS]
    if rare and sum(counts.values()) >= 2 * RARE_CLASS:
        warnings.append(f"classes with fewer than {RARE_CLASS} examples: {listed(rare)}.")
    return warnings


def _about_twins(inspection: Inspection) -> list[str]:
    warnings = []
    copies, twins = inspection.copies, inspection.twins
    if copies is not None and copies.n_in_conflict:
        warnings.append(
            f"{copies.n_in_conflict:,} graphs are copies of one another with different labels: "
            f"no method at all can score above {copies.ceiling:.3f} on these examples."
        )
    if copies is not None and copies.share > MANY_COPIES:
        warnings.append(
            f"{percent(copies.share)} of the graphs occur more than once: a random split puts "
            "copies into training and test."
        )
    if twins.ceiling is not None and twins.ceiling < LOW_CEILING:
        warnings.append(
            f"{percent(twins.share)} of the {inspection.kind} have a twin that no 1-WL method (no "
            f"message passing) can tell apart: such a method cannot score above "
            f"{twins.ceiling:.3f} here."
        )
    return warnings


def _about_features(inspection: Inspection) -> list[str]:
    features = inspection.features
    warnings = []
    if features.constant:
        warnings.append(f"the same at every vertex, so of no use: {listed(features.constant)}.")
    if features.all_missing:
        warnings.append(f"missing at every vertex: {listed(features.all_missing)}.")
    mostly_missing = [name for name, share in features.missing.items() if share > OFTEN_MISSING]
    if mostly_missing:
        warnings.append(f"missing at more than half of the vertices: {listed(mostly_missing)}.")
    warnings += [f"{collapse.text}." for collapse in features.collapsing]
    return warnings + [f"{odd.text}." for odd in features.odd_texts]


def _about_shape(inspection: Inspection) -> list[str]:
    shape = inspection.shape
    warnings = []
    if shape.n_without_vertices:
        warnings.append(f"{count(shape.n_without_vertices, 'graph')} without vertices.")
    if inspection.kind != "rows" and shape.n_edges == 0 and shape.n_vertices:
        warnings.append("no graph has an edge.")
    return warnings
