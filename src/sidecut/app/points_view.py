"""Points and graphs: links by two clicks, labels by lasso, the table of links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.events import DoubleTap, SelectionGeometry, Tap
from bokeh.models import (
    Button,
    ColumnDataSource,
    CustomJS,
    DataTable,
    LassoSelectTool,
    LinearColorMapper,
    NumberEditor,
    NumberFormatter,
    PanTool,
    RadioButtonGroup,
    Spinner,
    StringFormatter,
    TableColumn,
    TextInput,
    WheelZoomTool,
)
from bokeh.plotting import figure

from sidecut.app.look import BAD, BUTTONS, COLOURS, HIGHLIGHT, INK, SOFT
from sidecut.app.state import State
from sidecut.app.statements import MAX_LABELS

TOOLS = ("Must-link", "Cannot-link", "Lasso", "Move")
EMPTY_LINKS: dict[str, list[Any]] = {"x0": [], "y0": [], "x1": [], "y1": [], "colour": []}


class PointsView:
    """The figure, its tools and the table.

    Parameters
    ----------
    state : State
        What is shown.
    colour : RadioButtonGroup
        Which label the lasso gives.
    changed : callable
        Called after the person said something.
    say : callable
        Shows a message.
    """

    def __init__(
        self,
        state: State,
        colour: RadioButtonGroup,
        changed: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self._state, self._colour, self._changed, self._say = state, colour, changed, say
        self._first: int | None = None
        self._quiet = False
        self.points = ColumnDataSource({"x": [], "y": [], "label": []}, name="points")
        self.marked = ColumnDataSource({"x": [], "y": [], "label": []}, name="marked")
        self.must = ColumnDataSource(dict(EMPTY_LINKS), name="must")
        self.cannot = ColumnDataSource(dict(EMPTY_LINKS), name="cannot")
        self.doubt = ColumnDataSource(dict(EMPTY_LINKS), name="doubt")
        self.spot = ColumnDataSource({"x": [], "y": []}, name="ends")
        self._make_figure()
        self._make_tools()
        self._make_table()

    def _make_figure(self) -> None:
        self._pan, self._lasso, wheel = (
            PanTool(),
            LassoSelectTool(continuous=False),
            WheelZoomTool(),
        )
        self._lasso.overlay.fill_alpha = 0.15
        self.figure = figure(
            name="plane",
            tools=[self._pan, self._lasso, wheel],
            toolbar_location=None,
            sizing_mode="stretch_both",
            min_height=240,
            output_backend="webgl",
            outline_line_color="#d9dee6",
            visible=False,
        )
        self.figure.toolbar.active_scroll = wheel
        self.figure.toolbar.active_drag = None
        self.figure.grid.grid_line_color = "#eef1f5"
        for axis in self.figure.axis:
            axis.axis_label_text_color = axis.major_label_text_color = SOFT
            axis.axis_label_text_font_style = "normal"
            axis.axis_line_color = axis.major_tick_line_color = "#b9c2ce"
            axis.minor_tick_line_color = None
        mapper = LinearColorMapper(palette=["#8a94a3", *COLOURS], low=-0.5, high=MAX_LABELS + 0.5)
        self._dots = self.figure.scatter(
            "x",
            "y",
            source=self.points,
            size=7,
            fill_color={"field": "label", "transform": mapper},
            line_color=None,
            fill_alpha=0.85,
        )
        # The lasso tells us a line; what Bokeh itself would select is not wanted.
        self._dots.nonselection_glyph = self._dots.selection_glyph = self._dots.glyph
        self._lasso.renderers = []
        ends = {"x0": "x0", "y0": "y0", "x1": "x1", "y1": "y1"}
        self.figure.segment(
            **ends, source=self.doubt, line_color=HIGHLIGHT, line_width=9, line_alpha=0.9
        )
        self.figure.segment(**ends, source=self.must, line_color="colour", line_width=2)
        self.figure.segment(
            **ends, source=self.cannot, line_color="colour", line_width=2, line_dash=[6, 4]
        )
        self.figure.scatter(
            "x",
            "y",
            source=self.marked,
            size=11,
            fill_color=None,
            line_color={"field": "label", "transform": mapper},
            line_width=2.5,
        )
        ring = {"fill_color": None, "line_width": 3}
        self.figure.scatter("x", "y", source=self.spot, size=20, line_color=INK, **ring)
        self.figure.scatter("x", "y", source=self.spot, size=15, line_color=HIGHLIGHT, **ring)
        # Two quick clicks on two points are a double one to Bokeh.
        self.figure.on_event(Tap, self._tapped)
        self.figure.on_event(DoubleTap, self._tapped)
        self.figure.on_event(SelectionGeometry, self._lassoed)

    def _make_tools(self) -> None:
        style = {"stylesheets": [BUTTONS], "sizing_mode": "stretch_width"}
        self.tool = RadioButtonGroup(
            labels=list(TOOLS), active=0, name="points_tool", orientation="vertical", **style
        )
        self.tool.on_change("active", lambda attr, old, new: self._choose(new))
        self.count = Spinner(
            title="Clusters", low=2, high=MAX_LABELS, step=1, value=2, name="count", **style
        )
        self.count.on_change("value", lambda attr, old, new: self._count(new))
        self.standardize = Button(label="Standardise columns", name="standardize", **style)

    def _make_table(self) -> None:
        self.table_source = ColumnDataSource(
            {"kind": [], "first": [], "second": [], "weight": [], "met": []}, name="links"
        )
        whole = NumberFormatter(format="0")
        self.table = DataTable(
            source=self.table_source,
            columns=[
                TableColumn(field="kind", title="Kind", formatter=StringFormatter()),
                TableColumn(field="first", title="Point", formatter=whole),
                TableColumn(field="second", title="Point", formatter=whole),
                TableColumn(
                    field="weight",
                    title="Weight (edit)",
                    formatter=NumberFormatter(format="0.[00]"),
                    editor=NumberEditor(step=0.1),
                ),
                TableColumn(field="met", title="Met"),
            ],
            editable=True,
            reorderable=False,
            index_position=None,
            height=150,
            sizing_mode="stretch_width",
            name="table",
            visible=False,
        )
        self.table_source.on_change("data", self._edited)
        # The table itself looks only when the number of rows changes.
        again = CustomJS(args={"view": self.table.view}, code="view.change.emit()")
        self.table_source.js_on_change("data", again)
        style = {"stylesheets": [BUTTONS], "width": 110, "align": "end"}
        self.remove = Button(label="Remove chosen", name="remove", **style)
        self.remove.on_click(self._remove)
        self.ends = TextInput(
            title="Link two points by number",
            placeholder="12, 57",
            width=190,
            name="by_number",
        )
        self.add_must = Button(label="Must-link", name="add_must", **style)
        self.add_cannot = Button(label="Cannot-link", name="add_cannot", **style)
        self.add_must.on_click(lambda: self._add(True))
        self.add_cannot.on_click(lambda: self._add(False))

    # -- what the person does -------------------------------------------------------------------

    def _choose(self, tool: int) -> None:
        self._first = None
        self.show_spots([])
        drags = {2: self._lasso, 3: self._pan}
        self.figure.toolbar.active_drag = drags.get(tool)

    def _tapped(self, event: Tap) -> None:
        if self.tool.active not in (0, 1) or event.x is None or self._state.ground is None:
            return
        node = self._state.nearest(event.x, event.y)
        if node is None:
            self._say("No point is near; click on a point.")
            return
        if self._first is None or self._first == node:
            self._first = node
            self.show_spots([node])
            self._say(f"Point {self._state.ready.subject.row_name(node)}: now click its partner.")
            return
        first, self._first = self._first, None
        self.show_spots([])
        self._state.link(first, node, together=self.tool.active == 0)
        self._changed()

    def _lassoed(self, event: SelectionGeometry) -> None:
        geometry: Any = event.geometry
        if not event.final or self.tool.active != 2 or geometry.get("type") != "poly":
            return
        nodes = self._state.inside(geometry["x"], geometry["y"])
        if not len(nodes):
            self._say("The lasso holds no points.")
            return
        self._state.mark(self._colour.active + 1, nodes.tolist())
        self._changed()

    def _add(self, together: bool) -> None:
        parts = self.ends.value.replace(",", " ").split()
        if len(parts) != 2 or not all(part.isdecimal() and len(part) < 10 for part in parts):
            self._say("Write two numbers of points, such as 12, 57.")
            return
        try:
            self._state.link(int(parts[0]), int(parts[1]), together=together)
        except ValueError as error:
            self._say(str(error))
            return
        self.ends.value = ""
        self._changed()

    def _remove(self) -> None:
        rows = [row for row in self.table_source.selected.indices if row < len(self._state.links)]
        if not rows:
            self._say("Choose lines of the table first.")
            return
        self._state.unlink(rows)
        self._changed()

    def _edited(self, attr: str, old: Any, new: Any) -> None:
        if not self._quiet:
            # Bokeh is still at work on this very change; the table may be set again after it.
            self.figure.document.add_next_tick_callback(self._take_weights)

    def _take_weights(self) -> None:
        weights = list(self.table_source.data["weight"])
        for row, (link, weight) in enumerate(zip(self._state.links, weights, strict=False)):
            if weight == link.weight:
                continue
            try:
                self._state.weigh(row, weight)
            except (TypeError, ValueError):
                self.show_links()
                self._say(f"A weight must be a positive number, got {weight!r}.")
                return
            self._changed()
            return
        # Something else was edited: put it back.
        self.show_links()

    def _count(self, count: Any) -> None:
        if isinstance(count, int) and 2 <= count <= MAX_LABELS and count != self._state.n_clusters:
            self._state.n_clusters = count
            if self._state.ground is not None and not self._state.is_image:
                self._changed()

    # -- showing --------------------------------------------------------------------------------

    def open(self) -> None:
        """Show new points."""
        ground = self._state.ready
        n = len(ground.plane)
        self._first = None
        x, y = ground.plane.T.astype(np.float32)
        self.points.data = {"x": x, "y": y, "label": np.zeros(n, np.uint8)}
        # Fifty thousand points are a cloud; a hundred are things to click on.
        size = float(np.clip(220 / np.sqrt(n), 2.5, 10))
        self._dots.glyph.size = size
        self.figure.xaxis.axis_label, self.figure.yaxis.axis_label = ground.axes
        # A graph's eigenvectors have outliers that would squeeze the rest into a corner.
        low, high = np.quantile(ground.plane, (0.001, 0.999), axis=0)
        room = 0.06 * np.maximum(high - low, 1e-9)
        for axis, k in ((self.figure.x_range, 0), (self.figure.y_range, 1)):
            axis.start, axis.end = float((low - room)[k]), float((high + room)[k])
        self.count.value = self._state.n_clusters
        self.standardize.visible = ground.subject.kind == "points" and ground.axes[0] != "x"
        self.show_spots([])
        self.doubt.data = dict(EMPTY_LINKS)
        self.show_links()

    def show_answer(self) -> None:
        """Colour the points; only the column of labels is sent."""
        if self._state.answer is None or self._state.is_image:
            return
        self.points.data["label"] = self._state.answer.labels
        self.show_links()

    def show_links(self) -> None:
        """Show links and labels that were given, and the table."""
        rows = self._state.link_rows()
        for source, together in ((self.must, True), (self.cannot, False)):
            own = [row for row in rows if row.link.together == together]
            source.data = self._lines(
                [(row.link.first, row.link.second) for row in own],
                [INK if row.met else BAD for row in own],
            )
        marks = self._state.marks
        nodes = np.flatnonzero(marks)
        x, y = self._state.ready.plane[nodes].T
        self.marked.data = {"x": x, "y": y, "label": marks[nodes].astype(np.uint8)}
        self._quiet = True
        self.table_source.data = {
            "kind": ["must-link" if row.link.together else "cannot-link" for row in rows],
            "first": [row.link.first for row in rows],
            "second": [row.link.second for row in rows],
            "weight": [row.link.weight for row in rows],
            "met": ["yes" if row.met else "violated" for row in rows],
        }
        self._quiet = False

    def show_spots(self, nodes: list[int]) -> None:
        """Ring some points."""
        places = self._state.ready.plane[nodes] if nodes else np.empty((0, 2))
        self.spot.data = {"x": places[:, 0], "y": places[:, 1]}

    def show_pair(self, pair: tuple[int, int] | None) -> None:
        """Highlight a pair, or none."""
        self.doubt.data = self._lines([pair] if pair else [], [HIGHLIGHT] if pair else [])
        self.show_spots(list(pair) if pair else [])

    def _lines(self, pairs: list[tuple[int, int]], colours: list[str]) -> dict[str, Any]:
        plane = self._state.ready.plane
        ends = np.array(pairs, np.intp).reshape(-1, 2)
        (x0, y0), (x1, y1) = plane[ends[:, 0]].T, plane[ends[:, 1]].T
        return {"x0": x0, "y0": y0, "x1": x1, "y1": y1, "colour": colours}
