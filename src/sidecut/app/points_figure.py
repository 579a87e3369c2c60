"""The picture of points or a graph: clusters, links, given labels, and what is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    LassoSelectTool,
    LinearColorMapper,
    PanTool,
    WheelZoomTool,
)
from bokeh.plotting import figure

from sidecut.app.look import BAD, COLOURS, HIGHLIGHT, INK, calm
from sidecut.app.state import State
from sidecut.app.statements import MAX_LABELS

ENDS = {"x0": "x0", "y0": "y0", "x1": "x1", "y1": "y1"}
NO_LINES: dict[str, Any] = {**{name: [] for name in ENDS}, "colour": []}
# What lies on this level is painted without painting all points again.
ABOVE: dict[str, Any] = {"level": "overlay"}


class PointsFigure:
    """The figure and its sources.

    Parameters
    ----------
    state : State
        What is shown.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.points = ColumnDataSource({"x": [], "y": [], "label": []}, name="points")
        self.marked = ColumnDataSource({"x": [], "y": [], "label": []}, name="marked")
        self.edges = ColumnDataSource(dict(NO_LINES), name="edges")
        self.must = ColumnDataSource(dict(NO_LINES), name="must")
        self.cannot = ColumnDataSource(dict(NO_LINES), name="cannot")
        self.doubt = ColumnDataSource(dict(NO_LINES), name="doubt")
        self.spot = ColumnDataSource({"x": [], "y": []}, name="ends")
        self.pan, self.lasso, wheel = PanTool(), LassoSelectTool(continuous=False), WheelZoomTool()
        self.lasso.overlay.fill_alpha = 0.15
        self.figure = figure(
            name="plane",
            tools=[self.pan, self.lasso, wheel],
            toolbar_location=None,
            sizing_mode="stretch_both",
            min_height=240,
            # WebGL without a graphics card took four times as long to paint 50 000 points.
            output_backend="canvas",
            outline_line_color="#d9dee6",
            visible=False,
        )
        self.figure.toolbar.active_scroll = wheel
        self.figure.toolbar.active_drag = None
        calm(self.figure)
        self._draw_layers()

    def _draw_layers(self) -> None:
        plot = self.figure
        mapper = LinearColorMapper(palette=["#8a94a3", *COLOURS], low=-0.5, high=MAX_LABELS + 0.5)
        colour = {"field": "label", "transform": mapper}
        plot.segment(**ENDS, source=self.edges, line_color="#c3cad4", line_alpha=0.6)
        self._dots = plot.scatter(
            "x",
            "y",
            source=self.points,
            size=7,
            fill_color=colour,
            line_color=None,
            fill_alpha=0.85,
        )
        # The lasso tells us a line; what Bokeh itself would select is not wanted.
        self._dots.nonselection_glyph = self._dots.selection_glyph = self._dots.glyph
        self.lasso.renderers = []
        plot.segment(
            **ENDS, source=self.doubt, line_color=HIGHLIGHT, line_width=9, line_alpha=0.9, **ABOVE
        )
        links: dict[str, Any] = {**ENDS, "line_color": "colour", "line_width": 2, **ABOVE}
        plot.segment(source=self.must, **links)
        plot.segment(source=self.cannot, line_dash=[6, 4], **links)
        ring: dict[str, Any] = {"x": "x", "y": "y", "fill_color": None, **ABOVE}
        plot.scatter(source=self.marked, size=11, line_color=colour, line_width=2.5, **ring)
        plot.scatter(source=self.spot, size=20, line_color=INK, line_width=3, **ring)
        plot.scatter(source=self.spot, size=15, line_color=HIGHLIGHT, line_width=3, **ring)

    # -- showing --------------------------------------------------------------------------------

    def open(self) -> None:
        """Show new points."""
        ground = self._state.ready
        n = len(ground.plane)
        x, y = ground.plane.T.astype(np.float32)
        self.edges.data = self._lines(ground.subject.edges())
        # Fifty thousand points are a cloud; a hundred are things to click on.
        self._dots.glyph.size = float(np.clip(220 / np.sqrt(n), 2.5, 10))
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = ground.axes
        # A graph's eigenvectors have outliers that would squeeze the rest into a corner.
        low, high = np.quantile(ground.plane, (0.001, 0.999), axis=0)
        room = 0.06 * np.maximum(high - low, 1e-9)
        for axis, k in ((self.figure.x_range, 0), (self.figure.y_range, 1)):
            axis.start, axis.end = float((low - room)[k]), float((high + room)[k])
        self.points.data = {"x": x, "y": y, "label": np.zeros(n, np.uint8)}
        self.show_pair(None)

    def show_labels(self) -> None:
        """Colour the points; only the column of labels is sent."""
        if self._state.answer is not None:
            self.points.data["label"] = self._state.answer.labels

    def show_said(self) -> None:
        """Show links, red where they are violated, and the labels that were given."""
        rows = self._state.link_rows()
        for source, together in ((self.must, True), (self.cannot, False)):
            own = [row for row in rows if row.link.together == together]
            pairs = [row.link.pair for row in own]
            source.data = self._lines(pairs, [INK if row.met else BAD for row in own])
        marks = self._state.marks
        nodes = np.flatnonzero(marks)
        x, y = self._state.ready.plane[nodes].T
        self.marked.data = {"x": x, "y": y, "label": marks[nodes].astype(np.uint8)}

    def show_spots(self, nodes: list[int]) -> None:
        """Ring some points."""
        places = self._state.ready.plane[nodes] if nodes else np.empty((0, 2))
        self.spot.data = {"x": places[:, 0], "y": places[:, 1]}

    def show_pair(self, pair: tuple[int, int] | None) -> None:
        """Highlight a pair, or none."""
        self.doubt.data = self._lines([pair] if pair else [])
        self.show_spots(list(pair) if pair else [])

    def _lines(self, pairs: Any, colours: Sequence[str] | None = None) -> dict[str, Any]:
        plane = self._state.ready.plane
        ends = np.asarray(pairs, np.intp).reshape(-1, 2)
        (x0, y0), (x1, y1) = plane[ends[:, 0]].T, plane[ends[:, 1]].T
        colour = [INK] * len(ends) if colours is None else list(colours)
        return {"x0": x0, "y0": y0, "x1": x1, "y1": y1, "colour": colour}
