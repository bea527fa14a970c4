"""Labels of a drawn graph: each beside its vertex, none over another."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.plot.axes import INK, readable_on
from graphtrees.plot.visible import drawable, shorten

# Labels are written at every vertex where there is room, else only where weight is.
ROOM_FOR_LABELS = 11.0  # points from vertex to vertex
MOST_LABELS = 24
GAP = 1.0  # points between a vertex and its label, and between labels


def draw_labels(
    ax: Any, place: np.ndarray, texts: list[str], order: np.ndarray, n_weighty: int,
    across: np.ndarray, faces: np.ndarray, step: float, note: Any,
) -> None:  # fmt: skip
    """Write texts in this order, long ones shortened, those that find no free place left out.

    Where there is no room for all, only the first `n_weighty` are tried. Everything else has to be
    drawn before, because it takes room; the `note` stays the last text.
    """
    texts = [shorten(text) for text in texts]
    longest = max((len(texts[k]) for k in order), default=0)
    roomy = step >= ROOM_FOR_LABELS * max(1.0, longest / 3)
    size = float(np.clip(0.4 * step, 6.0, 10.0))
    paper = _Paper(ax, place, across)
    effects = require("matplotlib.patheffects", extra="plot", purpose="plotting")
    for k in order if roomy else order[: min(n_weighty, MOST_LABELS)]:
        label = ax.annotate(
            texts[k], place[k], ha="center", va="center", fontsize=size, xytext=(0, 0),
            textcoords="offset points", zorder=4, parse_math=False, annotation_clip=False,
        )  # fmt: skip
        label.set_in_layout(False)  # labels keep to the room there is
        offset = paper.put(k, label) if texts[k] else None
        if offset is None:
            label.remove()
            continue
        label.xyann = offset
        label.set_color(INK if any(offset) else readable_on(faces[k]))
        if any(offset):  # a label beside its vertex lies on edges
            label.set_path_effects([effects.withStroke(linewidth=2, foreground="white", alpha=0.8)])
    if note is not None:
        note.remove()
        ax.add_artist(note)


def write_below(ax: Any, lines: list[str]) -> Any:
    """A note below the picture, in small letters; None where there is nothing to say."""
    if not lines:
        return None
    text = drawable("\n".join(lines))
    return ax.text(0.5, -0.02, text, transform=ax.transAxes, ha="center", va="top",
                   fontsize=8, color=INK, parse_math=False)  # fmt: skip


class _Paper:
    """What is where on an Axes, in points: dots, and the labels that were put beside them."""

    def __init__(self, ax: Any, place: np.ndarray, across: np.ndarray) -> None:
        ax.figure.draw_without_rendering()  # settles where the axes lie in the figure
        self.scale = 72 / ax.figure.dpi
        self.at = ax.transData.transform(place) * self.scale if len(place) else place
        self.across = across
        room = ax.get_position(original=True).transformed(ax.figure.transSubfigure)
        self.low, self.high = (np.array(corner) * self.scale for corner in (room.min, room.max))
        boxes = [self._box(text) for text in ax.texts if text.get_text()]
        self.labels = np.array(boxes).reshape(-1, 4)  # middles, halves of width and height

    def put(self, k: int, label: Any) -> tuple[float, float] | None:
        """Where to write the label of a vertex, as an offset from it; None where no room is."""
        half = self._box(label)[2:]
        offsets = [o for o in self._offsets(k, half) if not self._hides(k, o, half)]
        offsets = [o for o in offsets if self._inside(k, o, half)]
        if not offsets:
            return None
        best = next((o for o in offsets if not self._covers(k, o, half)), offsets[0])
        self.labels = np.vstack([self.labels, np.r_[self.at[k] + best, half]])
        return best

    def _box(self, text: Any) -> np.ndarray:
        box = text.get_window_extent()
        middle = np.array([box.x0 + box.x1, box.y0 + box.y1]) / 2
        return np.r_[middle, box.width / 2, box.height / 2] * self.scale

    def _offsets(self, k: int, half: np.ndarray) -> list[tuple[float, float]]:
        """On the vertex where it is large enough; else above, below, right and left of it."""
        across = self.across[k]
        aside, above = across / 2 + half + GAP
        around = [(0.0, above), (0.0, -above), (aside, 0.0), (-aside, 0.0)]
        return [(0.0, 0.0), *around] if 2 * half[0] <= across else around

    def _hides(self, k: int, offset: tuple[float, float], half: np.ndarray) -> bool:
        """Whether a label here lies over another."""
        apart = np.abs(self.at[k] + offset - self.labels[:, :2])
        return bool((apart < half + self.labels[:, 2:] + GAP).all(axis=1).any())

    def _covers(self, k: int, offset: tuple[float, float], half: np.ndarray) -> bool:
        """Whether it lies over another vertex."""
        apart = np.abs(self.at[k] + offset - self.at) - half
        over = np.hypot(*np.maximum(apart, 0).T) < self.across / 2
        over[k] = False
        return bool(over.any())

    def _inside(self, k: int, offset: tuple[float, float], half: np.ndarray) -> bool:
        middle = self.at[k] + offset
        return bool((middle - half >= self.low).all() and (middle + half <= self.high).all())
