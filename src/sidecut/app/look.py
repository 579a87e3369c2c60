"""How the page looks: colours, and the small style sheets of its widgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from bokeh.models import Div
from numpy.typing import NDArray

from sidecut.app.statements import MAX_LABELS
from sidecut.plot._style import VIOLATED, cluster_color

ASSETS = Path(__file__).parent / "assets"
COLOURS = [cluster_color(k) for k in range(MAX_LABELS)]
CLEAR = "#00000000"
INK, SOFT, HIGHLIGHT, BAD = "#1c2430", "#5b6675", "#ffd400", VIOLATED
# Blue to white to red brown, readable for colour-blind people.
_STOPS = ("#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fddbc7", "#ef8a62", "#b2182b")


def _between(stops: tuple[str, ...], count: int) -> list[str]:
    """Return colours along a line through the stops."""
    levels = np.array([list(bytes.fromhex(stop.removeprefix("#"))) for stop in stops])
    at = np.linspace(0, len(stops) - 1, count)
    rows = np.stack([np.interp(at, np.arange(len(stops)), levels[:, k]) for k in range(3)], axis=1)
    return ["#" + bytes(row).hex() for row in rows.round().astype(np.uint8)]


DIVERGING = _between(_STOPS, 128)

# Every button keeps a ring while it has the keyboard's focus.
BUTTONS = """
:host { --font-size: 13px; }
.bk-btn { padding: 5px 8px; border-radius: 6px; color: #1c2430; border: 1px solid #b9c2ce; }
.bk-btn:focus-visible { outline: 3px solid #0b5cad; outline-offset: 1px; z-index: 2; }
.bk-btn.bk-active { background: #1c2430; color: #fff; border-color: #1c2430; }
.bk-btn-primary { background: #0b5cad; border-color: #0b5cad; color: #fff; }
.bk-btn[disabled] { opacity: .45; }
"""


def _on(colour: str) -> str:
    """Return ink or white, whichever is easier to read on a colour."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return INK if 0.3 * red + 0.59 * green + 0.11 * blue > 125 else "#ffffff"


SWATCHES = (
    BUTTONS
    + ".bk-btn { padding: 5px 0; min-width: 0; }\n"
    + "".join(
        f".bk-btn:nth-child({k}), .bk-btn:nth-child({k}).bk-active "
        f"{{ background: {colour}; color: {_on(colour)}; border-color: {colour}; }}\n"
        for k, colour in enumerate(COLOURS, start=1)
    )
    + ".bk-btn.bk-active { box-shadow: inset 0 0 0 2px #1c2430, inset 0 0 0 4px #fff; "
    "font-weight: 700; }\n"
)

HEADING = """
:host { color: #1c2430; font: 600 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
"""
TEXT = """
:host { color: #1c2430; font: 13px/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.soft { color: #5b6675; } .bad { color: #b3142a; } .good { color: #1b7a4b; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 12px; margin: 0; }
dt { color: #5b6675; } dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; }
"""


def heading(text: str) -> Div:
    """Return the title of a group of controls."""
    return Div(text=text, stylesheets=[HEADING], margin=(8, 5, 0, 5))


def calm(plot: Any) -> None:
    """Keep the axes of a figure in the background."""
    plot.grid.grid_line_color = "#eef1f5"
    for axis in plot.axis:
        axis.axis_label_text_color = axis.major_label_text_color = SOFT
        axis.axis_label_text_font_style = "normal"
        axis.axis_line_color = axis.major_tick_line_color = "#b9c2ce"
        axis.minor_tick_line_color = None


def script(name: str) -> str:
    """Return a piece of JavaScript."""
    return (ASSETS / name).read_text(encoding="utf-8")


def rgba(picture: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return a photograph as Bokeh draws it: bottom row first, four bytes a pixel."""
    height, width = picture.shape[:2]
    full = np.full((height, width, 4), 255, np.uint8)
    full[:, :, :3] = picture
    return np.ascontiguousarray(full[::-1]).view(np.uint32).reshape(height, width)


def with_edges(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return labels with MAX_LABELS added where a pixel borders another label."""
    edge = np.zeros(labels.shape, bool)
    down, right = labels[:-1] != labels[1:], labels[:, :-1] != labels[:, 1:]
    edge[:-1] |= down
    edge[1:] |= down
    edge[:, :-1] |= right
    edge[:, 1:] |= right
    result: NDArray[np.uint8] = np.where(edge & (labels > 0), labels + MAX_LABELS, labels)
    return result


def flipped(image: Any) -> Any:
    """Return an image with its bottom row first, as Bokeh draws it."""
    return np.ascontiguousarray(image[::-1])
