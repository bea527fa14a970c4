"""What all pictures share: where they are drawn, and their colours."""

from __future__ import annotations

from typing import Any

from graphtrees._optional import require

INK = "#262b33"
FAINT = "#9aa3af"
PLUS = "#1667b8"  # S+, more than the threshold
MINUS = "#c2570c"  # S-, at most the threshold
ACCENT = "#1667b8"
# From hardly there to dark: reads in grey, and for all kinds of colour vision.
SHADES = ("#f3efe6", "#fdd49a", "#f79646", "#d1481b", "#7f1d0d")
# Against, in between, for: reads for all kinds of colour vision.
DIVERGING = ("#8f2d0a", "#d9743a", "#f5c9a3", "#f4f2ee", "#a9cbe8", "#3f86c6", "#0d3f7a")


def an_axes(ax: Any, purpose: str, size: tuple[float, float] | None = None) -> Any:
    """The Axes given, or those of a new figure."""
    pyplot = require("matplotlib.pyplot", extra="plot", purpose=purpose)
    if ax is not None:
        return ax
    _, axes = pyplot.subplots(figsize=size, layout="constrained")
    return axes


def check_title(title: Any) -> None:
    """Refuse what matplotlib would make text of, or fail to."""
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title must be text or None; got {type(title).__name__}")


def importance_colours() -> Any:
    """The colour map from unimportant to important."""
    colors = require("matplotlib.colors", extra="plot", purpose="plotting")
    return colors.LinearSegmentedColormap.from_list("graphtrees", SHADES)


def signed_colours() -> Any:
    """The colour map from what speaks against to what speaks for."""
    colors = require("matplotlib.colors", extra="plot", purpose="plotting")
    return colors.LinearSegmentedColormap.from_list("graphtrees_signed", DIVERGING)


def readable_on(colour: tuple[float, ...]) -> str:
    """Dark or white, whichever shows on a colour."""
    red, green, blue = colour[:3]
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def size_in_points(ax: Any) -> tuple[float, float]:
    """Width and height of the Axes on paper."""
    box = ax.get_window_extent()
    scale = 72.0 / ax.figure.dpi
    return box.width * scale, box.height * scale
