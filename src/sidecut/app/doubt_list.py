"""The statements that look like mistakes."""

from __future__ import annotations

from collections.abc import Callable

from bokeh.models import Div, RadioButtonGroup

from sidecut.app.answers import Doubt
from sidecut.app.look import BUTTONS, TEXT

LINES = BUTTONS + ".bk-btn { white-space: normal; text-align: left; overflow-wrap: anywhere; }"


class DoubtList:
    """Doubtful statements, the worst first; a click shows where one is.

    Parameters
    ----------
    highlight : callable
        Shows a statement, or none.
    """

    def __init__(self, highlight: Callable[[Doubt | None], None]) -> None:
        self._highlight = highlight
        self._doubts: tuple[Doubt, ...] = ()
        wide = {"sizing_mode": "stretch_width"}
        self.none = Div(text='<span class="soft">None so far.</span>', stylesheets=[TEXT], **wide)
        self.list = RadioButtonGroup(
            labels=[],
            active=None,
            orientation="vertical",
            name="doubtful",
            visible=False,
            stylesheets=[LINES],
            **wide,
        )
        self.list.on_change("active", lambda attr, old, new: self._choose(new))
        self.widgets = (self.none, self.list)

    def _choose(self, active: int | None) -> None:
        known = active is not None and active < len(self._doubts)
        self._highlight(self._doubts[active] if known and active is not None else None)

    def show(self, doubts: tuple[Doubt, ...]) -> None:
        """Show other statements."""
        if doubts != self._doubts:
            self._doubts = doubts
            self.list.active = None
            self.list.labels = [doubt.text for doubt in doubts]
        self.list.visible, self.none.visible = bool(doubts), not doubts
