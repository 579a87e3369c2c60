"""The constrained path: its curve, the slider along it, and the evidence."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
from bokeh.models import Button, ColumnDataSource, Div, HoverTool, Slider
from bokeh.plotting import figure

from sidecut.app import words
from sidecut.app.look import BUTTONS, INK, TEXT, calm
from sidecut.app.state import State
from sidecut.path.core import WALK

CHOSEN, HERE = "#e0a100", "#0b5cad"
NOTHING: dict[str, Any] = {"cost": [], "satisfaction": []}


class PathPanel:
    """The curve of the constrained path and what goes with it.

    Parameters
    ----------
    state : State
        What is shown.
    followed : callable
        Called when the person moved along the path.
    """

    def __init__(self, state: State, followed: Callable[[], None]) -> None:
        self._state, self._followed = state, followed
        self._quiet = False
        self.curve = ColumnDataSource({"mu": [], **NOTHING}, name="curve")
        self.here = ColumnDataSource(dict(NOTHING), name="here")
        self.chosen = ColumnDataSource(dict(NOTHING), name="chosen")
        self._make_figure()
        wide = {"sizing_mode": "stretch_width", "stylesheets": [BUTTONS]}
        text = {"sizing_mode": "stretch_width", "stylesheets": [TEXT]}
        self.slider = Slider(
            title="From graph alone to constraints alone",
            start=0,
            end=len(WALK) - 1,
            step=1,
            value=0,
            show_value=False,
            name="along",
            **wide,
        )
        self.slider.on_change("value_throttled", lambda attr, old, new: self._moved(int(new)))
        self.auto = Button(label="Follow the evidence", name="auto", disabled=True, **wide)
        self.auto.on_click(self.follow_evidence)
        self.figures = Div(name="figures", **text)
        self.no_path = Div(
            text='<span class="soft">Say something to see the path between the cut of the graph '
            "alone and the one that meets the constraints best.</span>",
            **text,
        )
        self.legend = Div(
            text=f'<span style="color:{CHOSEN}">★</span> choice of the evidence &nbsp; '
            f'<span style="color:{HERE}">●</span> the slider',
            **text,
        )
        self._with_path = (self.figure, self.legend, self.slider, self.auto)
        self.widgets = (self.no_path, *self._with_path, self.figures)
        self.show()

    def _make_figure(self) -> None:
        self.figure = figure(
            name="path",
            height=150,
            sizing_mode="stretch_width",
            toolbar_location=None,
            tools="",
            x_axis_label="satisfaction v′Q̄v, share of the most",
            y_axis_label="cost v′L̄v",
            outline_line_color=None,
            min_border_right=12,
        )
        calm(self.figure)
        for axis in self.figure.axis:
            axis.ticker.desired_num_ticks = 4
        place = {"x": "satisfaction", "y": "cost"}
        self.figure.line(**place, source=self.curve, line_width=2.5, line_color=INK)
        dots = self.figure.scatter(**place, source=self.curve, size=5, color=INK)
        self.figure.scatter(
            **place,
            source=self.chosen,
            size=17,
            marker="star",
            fill_color=CHOSEN,
            line_color=INK,
        )
        self.figure.scatter(
            **place,
            source=self.here,
            size=12,
            fill_color=HERE,
            line_color="#ffffff",
            line_width=2,
        )
        hover = HoverTool(renderers=[dots], tooltips=[("μ", "@mu{0.000}"), ("cost", "@cost")])
        self.figure.add_tools(hover)

    # -- what the person does -------------------------------------------------------------------

    def _moved(self, step: int) -> None:
        if self._quiet or self._state.ground is None:
            return
        self._state.follow(step)
        self._followed()

    def follow_evidence(self) -> None:
        """Leave the path and go back to what held-out constraints choose."""
        if self._state.mu is not None:
            self._state.follow(None)
            self._followed()

    # -- showing --------------------------------------------------------------------------------

    def show(self) -> None:
        """Show the curve, the choice, where the slider is, and the figures."""
        trail, mu, answer = self._state.trail, self._state.mu, self._state.answer
        self.auto.disabled = mu is None
        for widget in self._with_path:
            widget.visible = trail is not None
        self.no_path.visible = trail is None
        self.figures.text = ""
        if answer is not None:
            chosen = trail.evidence if trail else None
            terms = words.evidence(answer, chosen)
            rows = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in terms)
            self.figures.text = f'<dl>{rows}</dl><span class="soft">{escape(answer.reason)}</span>'
        self.here.data, self.chosen.data = dict(NOTHING), dict(NOTHING)
        if trail is None:
            self.curve.data = {"mu": [], **NOTHING}
            return
        # Q has no unit of its own, so satisfaction is shown against the most that any cut has.
        most = float(np.abs(trail.satisfaction).max()) or 1.0
        along = trail.satisfaction / most
        self.curve.data = {"mu": trail.mu, "cost": trail.cost, "satisfaction": along}
        step = 0
        if trail.chosen is not None:
            cost, satisfaction = trail.chosen
            self.chosen.data = {"cost": [cost], "satisfaction": [satisfaction / most]}
            step = int(np.abs(trail.satisfaction - satisfaction).argmin())
        if mu is not None:
            step = WALK.index(mu) if mu in WALK else 0
            self.here.data = {"cost": [trail.cost[step]], "satisfaction": [along[step]]}
        self._quiet = True
        self.slider.value = step
        self._quiet = False
