"""The right of the page: the path and its slider, the evidence, doubtful statements, ask me."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import Button, ColumnDataSource, Div, HoverTool, RadioButtonGroup, Slider
from bokeh.plotting import figure

from sidecut.app.answers import Answer, Doubt
from sidecut.app.look import BUTTONS, INK, SOFT, TEXT, heading
from sidecut.app.state import LABEL_NAMES, State
from sidecut.path.core import WALK

# Strokes mean millions of pairs; their number says nothing to a person.
MANY = 100_000
CHOSEN, HERE = "#e0a100", "#0b5cad"


class PathPanel:
    """The curve of the constrained path and what goes with it.

    Parameters
    ----------
    state : State
        What is shown.
    followed : callable
        Called when the person moved along the path.
    highlight : callable
        Shows a doubtful statement, or none.
    asked : callable
        Called when the person wants a question, with nothing; and with the reply to one.
    """

    def __init__(
        self,
        state: State,
        followed: Callable[[], None],
        highlight: Callable[[Doubt | None], None],
        asked: Callable[[], None],
        replied: Callable[[bool | None], None],
    ) -> None:
        self._state, self._followed, self._highlight = state, followed, highlight
        self._quiet = False
        self._doubts: tuple[Doubt, ...] = ()
        self.curve = ColumnDataSource({"mu": [], "cost": [], "satisfaction": []}, name="curve")
        self.here = ColumnDataSource({"cost": [], "satisfaction": []}, name="here")
        self.chosen = ColumnDataSource({"cost": [], "satisfaction": []}, name="chosen")
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
        self.doubtful = RadioButtonGroup(
            labels=[], active=None, orientation="vertical", name="doubtful", visible=False, **wide
        )
        self.doubtful.on_change("active", lambda attr, old, new: self._doubt(new))
        self.no_doubt = Div(text='<span class="soft">None so far.</span>', **text)
        self.ask = Button(label="Ask me", name="ask", button_type="primary", **wide)
        self.ask.on_click(asked)
        self.question = Div(name="question", visible=False, **text)
        replies = (("Yes", True), ("No", False), ("Skip", None))
        self.replies = []
        for label, value in replies:
            button = Button(label=label, name=label.lower(), visible=False, **wide)
            button.on_click(lambda value=value: replied(value))
            self.replies.append(button)
        self.no_path = Div(
            text='<span class="soft">Say something to see the path between the cut of the graph '
            "alone and the one that meets the constraints best.</span>",
            **text,
        )
        self.legend = Div(
            text=f'<span style="color:{CHOSEN}">★</span> the cut chosen &nbsp; '
            f'<span style="color:{HERE}">●</span> the slider',
            visible=False,
            **text,
        )
        for widget in (self.figure, self.slider, self.auto):
            widget.visible = False
        self.layout = column(
            heading("The constrained path"),
            self.no_path,
            self.figure,
            self.legend,
            self.slider,
            self.auto,
            self.figures,
            heading("Ask me"),
            self.question,
            row(*self.replies, sizing_mode="stretch_width"),
            self.ask,
            heading("Doubtful"),
            self.no_doubt,
            self.doubtful,
            sizing_mode="stretch_width",
            name="side",
            spacing=3,
        )

    def _make_figure(self) -> None:
        self.figure = figure(
            name="path",
            height=180,
            sizing_mode="stretch_width",
            toolbar_location=None,
            tools="",
            x_axis_label="satisfaction v′Q̄v, share of the most",
            y_axis_label="cost v′L̄v",
            outline_line_color=None,
            min_border_right=12,
        )
        self.figure.grid.grid_line_color = "#eef1f5"
        for axis in self.figure.axis:
            axis.axis_label_text_font_style = "normal"
            axis.axis_label_text_color = axis.major_label_text_color = SOFT
            axis.axis_line_color = axis.major_tick_line_color = "#b9c2ce"
            axis.minor_tick_line_color = None
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

    def _doubt(self, active: int | None) -> None:
        known = active is not None and active < len(self._doubts)
        self._highlight(self._doubts[active] if known and active is not None else None)

    # -- showing --------------------------------------------------------------------------------

    def show_answer(self) -> None:
        """Show figures and doubtful statements."""
        answer = self._state.answer
        self.auto.disabled = self._state.mu is None
        self.figures.text = _in_figures(answer) if answer else ""
        doubts = answer.doubtful if answer else ()
        if doubts != self._doubts:
            self._doubts = doubts
            self.doubtful.active = None
            self.doubtful.labels = [doubt.text for doubt in doubts]
        self.doubtful.visible, self.no_doubt.visible = bool(doubts), not doubts

    def show_trail(self) -> None:
        """Show the curve, the choice, and where the slider is."""
        trail, mu = self._state.trail, self._state.mu
        nothing: dict[str, Any] = {"cost": [], "satisfaction": []}
        for widget in (self.figure, self.legend, self.slider, self.auto):
            widget.visible = trail is not None
        self.no_path.visible = trail is None
        if trail is None:
            self.curve.data = {"mu": [], **nothing}
            self.here.data, self.chosen.data = dict(nothing), dict(nothing)
            return
        # Q has no unit of its own, so satisfaction is shown against the most that any cut has.
        most = float(np.abs(trail.satisfaction).max()) or 1.0
        along = trail.satisfaction / most
        self.curve.data = {"mu": trail.mu, "cost": trail.cost, "satisfaction": along}
        if mu is None and trail.chosen is not None:
            cost, satisfaction = trail.chosen
            self.chosen.data = {"cost": [cost], "satisfaction": [satisfaction / most]}
            step = int(np.abs(trail.satisfaction - satisfaction).argmin())
            self.here.data = dict(nothing)
        else:
            step = WALK.index(mu) if mu in WALK else 0
            self.here.data = {"cost": [trail.cost[step]], "satisfaction": [along[step]]}
        self._quiet = True
        self.slider.value = step
        self._quiet = False

    def show_question(self) -> None:
        """Show the question that is open, or none."""
        question = self._state.question
        for widget in (self.question, *self.replies):
            widget.visible = question is not None
        if question is None:
            self.question.text = ""
        elif question.partner >= 0:
            name = self._state.ready.subject.row_name
            ends = f"{escape(name(question.node))} and {escape(name(question.partner))}"
            self.question.text = f"Do the ringed points {ends} belong together?"
        else:
            colour = LABEL_NAMES[question.label - 1]
            self.question.text = f"Does the ringed spot belong to {question.label} ({colour})?"


def _in_figures(answer: Answer) -> str:
    """Return the evidence as a list of terms."""
    given = answer.satisfaction.total
    lines = []
    if given.count:
        of = f" of {given.count:,}" if given.count < MANY else ""
        lines.append((f"Pairs met{of}", f"{answer.satisfaction.share:.1%}"))
    if answer.held_out == answer.held_out:
        score = f"{answer.held_out:.1%} ± {answer.held_out_error:.1%}"
        lines.append(("Held-out score", score))
    terms = "".join(f"<dt>{term}</dt><dd>{value}</dd>" for term, value in lines)
    return f'<dl>{terms}</dl><span class="soft">{escape(answer.reason)}</span>'
