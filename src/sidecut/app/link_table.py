"""The table of links: weights to edit, links to add by name and to remove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bokeh.models import (
    Button,
    CellFormatter,
    ColumnDataSource,
    CustomJS,
    DataTable,
    NumberEditor,
    NumberFormatter,
    StringFormatter,
    TableColumn,
    TextInput,
)

from sidecut.app.look import BUTTONS
from sidecut.app.state import State

COLUMNS = ("kind", "first", "second", "one", "two", "weight", "met")


def _column(field: str, title: str, formatter: CellFormatter, **options: Any) -> TableColumn:
    return TableColumn(field=field, title=title, formatter=formatter, sortable=False, **options)


class LinkTable:
    """The table and the tools beside it.

    Parameters
    ----------
    state : State
        Has the links.
    changed : callable
        Called after the person said something.
    say : callable
        Shows a message.
    """

    def __init__(
        self, state: State, changed: Callable[[], None], say: Callable[[str], None]
    ) -> None:
        self._state, self._changed, self._say = state, changed, say
        self._quiet = False
        self.source = ColumnDataSource({name: [] for name in COLUMNS}, name="links")
        weight = NumberFormatter(format="0.[00]")
        self.table = DataTable(
            source=self.source,
            columns=[
                _column("kind", "Kind", StringFormatter()),
                _column("one", "Point", StringFormatter()),
                _column("two", "Point", StringFormatter()),
                _column("weight", "Weight (edit)", weight, editor=NumberEditor(step=0.1)),
                _column("met", "Met", StringFormatter()),
            ],
            editable=True,
            reorderable=False,
            index_position=None,
            height=150,
            sizing_mode="stretch_width",
            name="table",
            visible=False,
        )
        self.source.on_change("data", lambda attr, old, new: self._edited())
        # The table itself looks only when the number of rows changes.
        again = CustomJS(args={"view": self.table.view}, code="view.change.emit()")
        self.source.js_on_change("data", again)
        style = {"stylesheets": [BUTTONS], "width": 110, "align": "end"}
        self.remove = Button(label="Remove chosen", name="remove", **style)
        self.remove.on_click(self._remove)
        self.ends = TextInput(
            title="Link two points", placeholder="12, 57", width=190, name="by_number"
        )
        self.add_must = Button(label="Must-link", name="add_must", **style)
        self.add_cannot = Button(label="Cannot-link", name="add_cannot", **style)
        self.add_must.on_click(lambda: self._add(True))
        self.add_cannot.on_click(lambda: self._add(False))

    def show(self) -> None:
        """Show the links as they are."""
        rows = self._state.link_rows()
        links = [row.link for row in rows]
        name = self._state.ready.subject.row_name
        data = {
            "kind": ["must-link" if link.together else "cannot-link" for link in links],
            "first": [link.first for link in links],
            "second": [link.second for link in links],
            "one": [name(link.first) for link in links],
            "two": [name(link.second) for link in links],
            "weight": [link.weight for link in links],
            "met": ["yes" if row.met else "violated" for row in rows],
        }
        if data != dict(self.source.data):  # setting it ends an edit that has begun
            self._quiet = True
            self.source.data = data
            self._quiet = False

    def _add(self, together: bool) -> None:
        try:
            self._state.link(*self._state.find(self.ends.value), together=together)
        except ValueError as error:
            self._say(str(error))
            return
        self.ends.value = ""
        self._changed()

    def _remove(self) -> None:
        rows = [row for row in self.source.selected.indices if row < len(self._state.links)]
        if not rows:
            self._say("Choose lines of the table first.")
            return
        self.source.selected.indices = []
        self._state.unlink(rows)
        self._changed()

    def _edited(self) -> None:
        if not self._quiet:
            # Bokeh is still at work on this very change; the table may be set again after it.
            self.table.document.add_next_tick_callback(self._take_weights)

    def _take_weights(self) -> None:
        weights = list(self.source.data["weight"])
        for row, (link, weight) in enumerate(zip(self._state.links, weights, strict=False)):
            if weight == link.weight:
                continue
            try:
                self._state.weigh(row, weight)
            except (TypeError, ValueError):
                self.show()
                self._say(f"A weight must be a positive number, got {weight!r}.")
                return
            self._changed()
            return
        # Something else was edited: put it back.
        self.show()
