"""Questions to the person: one at a time, answered by yes, no or skip."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from bokeh.layouts import row
from bokeh.models import Button, Div

from sidecut.app.look import BUTTONS, TEXT
from sidecut.app.state import State

REPLIES: tuple[tuple[str, bool | None], ...] = (("Yes", True), ("No", False), ("Skip", None))


class AskPanel:
    """The question and its answers.

    Parameters
    ----------
    state : State
        Has the question.
    asked : callable
        Called when the person wants one.
    replied : callable
        Takes the answer.
    stopped : callable
        Called when the person wants no more.
    """

    def __init__(
        self,
        state: State,
        asked: Callable[[], None],
        replied: Callable[[bool | None], None],
        stopped: Callable[[], None],
    ) -> None:
        self._state = state
        wide = {"sizing_mode": "stretch_width", "stylesheets": [BUTTONS]}
        self.ask = Button(label="Ask me", name="ask", button_type="primary", **wide)
        self.ask.on_click(asked)
        self.question = Div(
            name="question", visible=False, sizing_mode="stretch_width", stylesheets=[TEXT]
        )
        buttons = []
        for label, value in REPLIES:
            button = Button(label=label, name=label.lower(), **wide)
            button.on_click(lambda value=value: replied(value))
            buttons.append(button)
        enough = Button(label="Enough", name="enough", **wide)
        enough.on_click(stopped)
        self.replies = row(*buttons, enough, visible=False, sizing_mode="stretch_width")
        self.widgets = (self.question, self.replies, self.ask)

    def show(self) -> None:
        """Show the question that is open, or the button that asks for one."""
        text = self._state.question_text()
        self.question.text = escape(text)
        self.question.visible = self.replies.visible = bool(text)
        self.ask.visible = not text
