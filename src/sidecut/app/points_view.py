"""Points and graphs: links by two clicks, labels by lasso."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bokeh.events import DoubleTap, SelectionGeometry, Tap
from bokeh.models import Button, RadioButtonGroup, Spinner

from sidecut.app.answers import Doubt
from sidecut.app.ask import Question
from sidecut.app.link_table import LinkTable
from sidecut.app.look import BUTTONS
from sidecut.app.points_figure import PointsFigure
from sidecut.app.state import State
from sidecut.app.statements import MAX_LABELS

TOOLS = ("Must-link", "Cannot-link", "Lasso", "Move")
MUST, CANNOT, LASSO, MOVE = range(len(TOOLS))


class PointsView:
    """The picture, its tools and the table.

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
        self.picture = PointsFigure(state)
        self.table = LinkTable(state, changed, say)
        plot = self.picture.figure
        # Two quick clicks on two points are a double one to Bokeh.
        plot.on_event(Tap, self._tapped)
        plot.on_event(DoubleTap, self._tapped)
        plot.on_event(SelectionGeometry, self._lassoed)
        style = {"stylesheets": [BUTTONS], "sizing_mode": "stretch_width"}
        self.tool = RadioButtonGroup(
            labels=list(TOOLS), active=MUST, name="points_tool", orientation="vertical", **style
        )
        self.tool.on_change("active", lambda attr, old, new: self._choose(new))
        self.count = Spinner(
            title="Clusters", low=2, high=MAX_LABELS, step=1, value=2, name="count", **style
        )
        self.count.on_change("value", lambda attr, old, new: self._count(new))
        self.standardize = Button(label="Standardise columns", name="standardize", **style)

    # -- what the person does -------------------------------------------------------------------

    def _choose(self, tool: int) -> None:
        self._first = None
        self.picture.show_spots([])
        drags = {LASSO: self.picture.lasso, MOVE: self.picture.pan}
        self.picture.figure.toolbar.active_drag = drags.get(tool)

    def _tapped(self, event: Tap) -> None:
        if self.tool.active not in (MUST, CANNOT) or event.x is None or self._state.ground is None:
            return
        node = self._state.ground.nearest(event.x, event.y)
        if node is None:
            self._say("No point is near; click on a point.")
            return
        if self._first is None or self._first == node:
            self._first = node
            self.picture.show_spots([node])
            self._say(f"Point {self._state.ready.subject.row_name(node)}: now click its partner.")
            return
        first, self._first = self._first, None
        self.picture.show_spots([])
        self._state.link(first, node, together=self.tool.active == MUST)
        self._changed()

    def _lassoed(self, event: SelectionGeometry) -> None:
        geometry: Any = event.geometry
        if not event.final or self.tool.active != LASSO or geometry.get("type") != "poly":
            return
        nodes = self._state.ready.inside(geometry["x"], geometry["y"])
        if not len(nodes):
            self._say("The lasso holds no points.")
            return
        self._state.mark(self._colour.active + 1, nodes.tolist())
        self._changed()

    def _count(self, count: Any) -> None:
        if isinstance(count, int) and 2 <= count <= MAX_LABELS and count != self._state.n_clusters:
            self._state.n_clusters = count
            if self._state.ground is not None and not self._state.is_image:
                self._changed()

    # -- showing --------------------------------------------------------------------------------

    def open(self) -> None:
        """Show new points."""
        ground = self._state.ready
        self._first = None
        self.picture.open()
        self.count.value = self._state.n_clusters
        self.standardize.visible = ground.subject.kind == "points" and ground.axes[0] != "x"
        self._show_links()

    def show_said(self) -> None:
        """Show what was said; nothing is asked about any more."""
        self._show_links()
        self.picture.show_pair(None)

    def show_answer(self) -> None:
        """Show the clusters."""
        self.picture.show_labels()
        self._show_links()

    def show_doubt(self, doubt: Doubt | None) -> None:
        """Highlight a doubtful pair, or none."""
        self.picture.show_pair(doubt.pair if doubt else None)

    def show_question(self, question: Question | None) -> None:
        """Highlight the pair that is asked about, or none."""
        self.picture.show_pair((question.node, question.partner) if question else None)

    def _show_links(self) -> None:
        self.picture.show_said()
        self.table.show()
