"""The photograph: brush, segments, contours and the relaxed indicator."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    CustomJS,
    LinearColorMapper,
    PanTool,
    RadioButtonGroup,
    Range1d,
    Slider,
    WheelZoomTool,
)
from bokeh.plotting import figure

from sidecut.app.answers import Doubt
from sidecut.app.ask import Question
from sidecut.app.look import (
    BUTTONS,
    CLEAR,
    COLOURS,
    DIVERGING,
    HIGHLIGHT,
    flipped,
    rgba,
    script,
    with_edges,
)
from sidecut.app.state import State
from sidecut.app.statements import MAX_LABELS

TOOLS = ("Brush", "Eraser", "Move")
VIEWS = ("Segments", "Contours", "Indicator")


class ImageView:
    """The figure and its tools; strokes come in through the page's inbox.

    Parameters
    ----------
    state : State
        What is shown.
    colour : RadioButtonGroup
        Which label the brush paints.
    """

    def __init__(self, state: State, colour: RadioButtonGroup) -> None:
        self._state = state
        self._colour = colour
        self.photo = ColumnDataSource({"image": [], "w": [], "h": []})
        self.overlay = ColumnDataSource({"image": [], "w": [], "h": []}, name="overlay")
        self.lead = ColumnDataSource({"image": [], "w": [], "h": []}, name="indicator")
        self.sheet = ColumnDataSource({"image": [], "w": [], "h": []}, name="scribbles")
        self.spot = ColumnDataSource({"x": [], "y": []}, name="spot")
        self._live = ColumnDataSource({"x": [], "y": []})

        self._pan, wheel = PanTool(), WheelZoomTool()
        self.figure = figure(
            name="photograph",
            tools=[self._pan, wheel],
            toolbar_location=None,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            sizing_mode="stretch_both",
            min_height=240,
            min_border=0,
            outline_line_color=None,
            background_fill_color="#dfe4ea",
        )
        self.figure.axis.visible = False
        self.figure.grid.visible = False
        self.figure.toolbar.active_scroll = wheel
        self.figure.toolbar.active_drag = None
        self._draw_layers()
        self._make_tools()
        self._listen()

    def _draw_layers(self) -> None:
        place = {"x": 0, "y": 0, "dw": "w", "dh": "h"}
        self.figure.image_rgba("image", source=self.photo, **place)
        self._mapper = LinearColorMapper(
            palette=[CLEAR] * (2 * MAX_LABELS + 1), low=-0.5, high=2 * MAX_LABELS + 0.5
        )
        self._segments = self.figure.image(
            "image", source=self.overlay, color_mapper=self._mapper, **place
        )
        heat = LinearColorMapper(palette=DIVERGING, low=0, high=255)
        self._indicator = self.figure.image(
            "image", source=self.lead, color_mapper=heat, visible=False, **place
        )
        strokes = LinearColorMapper(palette=[CLEAR, *COLOURS], low=-0.5, high=MAX_LABELS + 0.5)
        self.figure.image("image", source=self.sheet, color_mapper=strokes, **place)
        self._line = self.figure.line(
            "x", "y", source=self._live, line_cap="round", line_join="round", line_alpha=0.85
        )
        ring = {"fill_color": None, "line_width": 3}
        self.figure.scatter("x", "y", source=self.spot, size=30, line_color="#000000", **ring)
        self.figure.scatter("x", "y", source=self.spot, size=24, line_color=HIGHLIGHT, **ring)

    def _make_tools(self) -> None:
        style = {"stylesheets": [BUTTONS], "sizing_mode": "stretch_width"}
        self.tool = RadioButtonGroup(labels=list(TOOLS), active=0, name="image_tool", **style)
        self.size = Slider(
            title="Brush size", start=1, end=30, step=1, value=5, name="size", **style
        )
        self.view = RadioButtonGroup(labels=list(VIEWS), active=0, name="view", **style)
        self.view.stylesheets = [BUTTONS + ".bk-btn { padding: 5px 3px; font-size: 12px; }"]
        self.opacity = Slider(
            title="Opacity", start=0, end=1, step=0.05, value=0.4, name="opacity", **style
        )

    def _listen(self) -> None:
        brush = CustomJS(
            args={
                "figure": self.figure,
                "live": self._live,
                "line": self._line,
                "tool": self.tool,
                "size": self.size,
                "colour": self._colour,
                "colours": COLOURS,
            },
            code=script("stroke.js"),
        )
        for event in ("panstart", "pan", "panend", "tap", "doubletap"):
            self.figure.js_on_event(event, brush)
        paint = CustomJS(
            args={
                "mapper": self._mapper,
                "view": self.view,
                "opacity": self.opacity,
                "segments": self._segments,
                "indicator": self._indicator,
                "colours": COLOURS,
            },
            code=script("palette.js"),
        )
        fit = CustomJS(args={"figure": self.figure, "photo": self.photo}, code=script("fit.js"))
        self.photo.js_on_change("data", fit)
        self.figure.js_on_change("inner_width", fit)
        self.figure.js_on_change("inner_height", fit)
        self.view.js_on_change("active", paint)
        self.opacity.js_on_change("value", paint)
        self.overlay.js_on_change("data", CustomJS(code="window.sidecut.overlayArrived()"))
        # The line under the mouse has become pixels.
        forget = "live.setv({data: {x: [], y: []}}, {sync: false})"
        self.sheet.js_on_change("data", CustomJS(args={"live": self._live}, code=forget))
        self.tool.on_change("active", lambda attr, old, new: self._move(new == len(TOOLS) - 1))
        self.view.on_change("active", lambda attr, old, new: self.show_answer())
        self._colour.on_change("active", lambda attr, old, new: self._show_lead())
        self._paint()

    def _paint(self) -> None:
        tint = f"{round(255 * self.opacity.value):02x}"
        areas = [colour + tint for colour in COLOURS]
        self._mapper.palette = [CLEAR, *areas, *(colour + "ff" for colour in COLOURS)]

    def _move(self, on: bool) -> None:
        self.figure.toolbar.active_drag = self._pan if on else None

    # -- showing --------------------------------------------------------------------------------

    def open(self) -> None:
        """Show a new photograph."""
        subject = self._state.ready.subject
        height, width = subject.shape
        self.photo.data = self._layer(rgba(subject.picture))
        for source in (self.overlay, self.lead):
            source.data = self._layer(np.zeros((height, width), np.uint8))
        self.show_said()

    def show_answer(self) -> None:
        """Show the segments, or the indicator where it is looked at."""
        if self._state.answer is None or not self._state.is_image:
            return
        labels = self._state.answer.labels.reshape(self._state.ready.subject.shape)
        self.overlay.data = self._layer(flipped(with_edges(labels)))
        self._show_lead()

    def _show_lead(self) -> None:
        if self.view.active != VIEWS.index("Indicator") or not self._state.is_image:
            return
        lead = self._state.indicator(self._colour.active + 1)
        bytes_ = np.clip(127.5 + 127.5 * lead, 0, 255).astype(np.uint8)
        self.lead.data = self._layer(flipped(bytes_.reshape(self._state.ready.subject.shape)))

    def show_said(self) -> None:
        """Show what was drawn; nothing is asked about any more."""
        self.sheet.data = self._layer(flipped(self._state.scribbles.labels))
        self._ring(None)

    def show_doubt(self, doubt: Doubt | None) -> None:
        """Ring the middle of a doubtful stroke, or none."""
        stroke = doubt.stroke if doubt else None
        nodes = np.flatnonzero(self._state.scribbles.stroke == stroke)
        self._ring(int(nodes[len(nodes) // 2]) if len(nodes) else None)

    def show_question(self, question: Question | None) -> None:
        """Ring the pixel that is asked about, or none."""
        self._ring(question.node if question else None)

    def _ring(self, node: int | None) -> None:
        if node is None:
            self.spot.data = {"x": [], "y": []}
            return
        x, y = self._state.ready.plane[node]
        self.spot.data = {"x": [x], "y": [self._state.ready.subject.shape[0] - y]}

    def _layer(self, image: object) -> dict[str, list[object]]:
        height, width = self._state.ready.subject.shape
        return {"image": [image], "w": [width], "h": [height]}

    def stroke(self, fields: dict[str, Any]) -> None:
        """Take a stroke from the page; y upward there, downward here."""
        height = self._state.ready.subject.shape[0]
        ends = zip(fields["x"], fields["y"], strict=True)
        places = [(float(x), height - float(y)) for x, y in ends]
        self._state.draw(int(fields["label"]), float(fields["radius"]), places)
