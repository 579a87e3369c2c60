"""What each key does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bokeh.models import RadioButtonGroup

from sidecut.app.ask_panel import REPLIES
from sidecut.app.controls import Controls
from sidecut.app.state import State

IMAGE_TOOLS = {"b": 0, "e": 1, "m": 2}
POINT_TOOLS = {"l": 0, "c": 1, "o": 2, "m": 3}
ANSWERS = {label[0].lower(): value for label, value in REPLIES}


class Keys:
    """The shortcuts, the same as the buttons they stand for.

    Parameters
    ----------
    state : State
        Whether a photograph is worked on, and whether a question is open.
    controls : Controls
        Has the colours.
    tools : pair of RadioButtonGroup
        The tools for photographs and for points.
    actions : mapping
        Other keys and what they call.
    reply : callable
        Takes the answer to a question.
    """

    def __init__(
        self,
        state: State,
        controls: Controls,
        tools: tuple[RadioButtonGroup, RadioButtonGroup],
        actions: Mapping[str, Callable[[], None]],
        reply: Callable[[bool | None], None],
    ) -> None:
        self._state, self._colour = state, controls.colour
        self._tools, self._actions, self._reply = tools, actions, reply

    def press(self, key: str) -> None:
        """Do what a key stands for; nothing where it stands for nothing."""
        image = self._state.is_image
        keys = IMAGE_TOOLS if image else POINT_TOOLS
        if key in keys:
            self._tools[0 if image else 1].active = keys[key]
        elif key.isdecimal() and 1 <= int(key) <= len(self._colour.labels):
            self._colour.active = int(key) - 1
        elif key in ANSWERS and self._state.question is not None:
            self._reply(ANSWERS[key])
        elif key in self._actions:
            self._actions[key]()
