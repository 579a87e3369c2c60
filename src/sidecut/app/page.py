"""The page of one session: figures and callbacks over a `State`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bokeh.document import Document
from jinja2 import Template
from tornado.ioloop import IOLoop

from sidecut.app.answers import Answer, Doubt, Trail
from sidecut.app.ask import Question
from sidecut.app.ask_panel import AskPanel
from sidecut.app.controls import Controls
from sidecut.app.doubt_list import DoubtList
from sidecut.app.image_view import ImageView
from sidecut.app.keys import Keys
from sidecut.app.layout import Layout
from sidecut.app.look import script
from sidecut.app.messages import Messages
from sidecut.app.opening import Opening
from sidecut.app.path_panel import PathPanel
from sidecut.app.points_view import PointsView
from sidecut.app.state import State
from sidecut.app.uploads import MAX_UPLOAD
from sidecut.app.work import Worker


class Page:
    """One session.

    Parameters
    ----------
    document : Document
        Bokeh's side of the browser's page.
    first : Path or None
        The file to open first; None for the sample photograph.
    """

    def __init__(self, document: Document, first: Path | None = None) -> None:
        self.state = State()
        self._document = document
        self._loop = IOLoop.current()
        # One can go on drawing while something else is being opened.
        self._opener, self._worker = Worker(self._later), Worker(self._later)
        self.messages = Messages(self._received)
        say = self.messages.say
        self.common = Controls()
        self.image = ImageView(self.state, self.common.colour)
        self.points = PointsView(self.state, self.common.colour, self.changed, say)
        self.panel = PathPanel(self.state, self.answer)
        self.asking = AskPanel(self.state, self._ask, self._reply, self._enough)
        self.doubts = DoubtList(self._highlight)
        self.opening = Opening(self.state, self.common, self.messages, self._opener, self._settled)
        self.keys = Keys(
            self.state,
            self.common,
            (self.image.tool, self.points.tool),
            {
                "u": self._undo,
                "r": self._redo,
                "a": self._ask,
                "f": self.panel.follow_evidence,
            },
            self._reply,
        )
        # Bokeh hears the buttons of a document only if they were told what to do before.
        self._connect()
        self.layout = Layout(
            self.common, self.image, self.points, self.panel, self.asking, self.doubts
        )
        self.messages.attach(document, self.layout.roots[0])
        for root in self.layout.roots:
            document.add_root(root)

        document.title = "sidecut"
        document.template = Template(script("page.html"))
        document.template_variables["page_css"] = script("page.css")
        limits = f"const MAX_UPLOAD = {MAX_UPLOAD};\n"
        document.template_variables["page_js"] = limits + script("page.js")
        document.config.notify_connection_status = False
        # Nothing heavy begins before a browser has really connected.
        document.on_event("document_ready", lambda event: self.opening.begin(first))
        document.on_session_destroyed(lambda context: self._close())

    def _connect(self) -> None:
        """Say what each common control does."""
        guarded = self.messages.guarded
        self.common.undo.on_click(self._undo)
        self.common.redo.on_click(self._redo)
        self.common.clear.on_click(lambda: self._stepped(self.state.clear(), "clear"))
        for what, button in self.common.exports.items():
            button.on_click(guarded(partial(self._export, what)))
        self.points.standardize.on_click(
            guarded(lambda: self.opening.open(self.state.standardized()))
        )

    def _close(self) -> None:
        self._opener.close()
        self._worker.close()

    def _later(self, call: Callable[[], None]) -> None:
        """Call on the page's own thread, from any; the document is touched on that thread only."""
        self._loop.add_callback(self._document.add_next_tick_callback, call)

    @property
    def view(self) -> ImageView | PointsView:
        """What shows the subject."""
        return self.image if self.state.is_image else self.points

    def _settled(self) -> None:
        self._worker.cancel()
        self.layout.show(image=self.state.is_image)
        self.messages.mode("image" if self.state.is_image else "points")
        self.view.open()
        self._show_evidence()
        self.asking.show()
        self.messages.say(self.state.welcome())
        self.answer()

    # -- saying ---------------------------------------------------------------------------------

    def _received(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "stroke" and self.state.is_image:
            self.image.stroke(fields)
            self.changed()
        elif kind == "key":
            self.keys.press(str(fields["key"]))

    def changed(self) -> None:
        """Show what was said, and begin to answer it."""
        self.state.ask(None)
        self.asking.show()
        self.view.show_said()
        self.answer()

    def _undo(self) -> None:
        self._stepped(self.state.undo(), "undo")

    def _redo(self) -> None:
        self._stepped(self.state.redo(), "redo")

    def _stepped(self, done: bool, what: str) -> None:
        if done:
            self.changed()
        else:
            self.messages.say(f"Nothing to {what}.")

    # -- answering ------------------------------------------------------------------------------

    def _start(self, job: Callable[[Any], Any], done: Callable[[Any], None]) -> None:
        self._worker.start(job, done, self.messages.complain)

    def answer(self, then: Callable[[], None] = lambda: None) -> None:
        """Label everything anew, in the background; an older answer on its way is dropped.

        Labels are shown before the path is followed, and `then` comes last.
        """
        if self.state.ground is not None:
            self._start(self.state.answer_job(), partial(self._answered, then))

    def _answered(self, then: Callable[[], None], answer: Answer) -> None:
        self.state.show(answer)
        self.view.show_answer()
        self._start(self.state.trail_job(), partial(self._trailed, then))

    def _trailed(self, then: Callable[[], None], trail: Trail | None) -> None:
        self.state.trail = trail
        self._show_evidence()
        if summary := self.state.summary():
            self.messages.say(summary)
        then()

    def _show_evidence(self) -> None:
        self.panel.show()
        self.doubts.show(self.state.answer.doubtful if self.state.answer else ())

    def _highlight(self, doubt: Doubt | None) -> None:
        if self.state.ground is not None:
            self.view.show_doubt(doubt)

    # -- asking ---------------------------------------------------------------------------------

    def _enough(self) -> None:
        self._worker.cancel()
        self.state.ask(None)
        self.asking.show()
        self.view.show_question(None)

    def _ask(self) -> None:
        if self.state.answer is None:
            self.messages.say("Open something first.")
        else:
            self._start(self.state.question_job(), self._asked)

    def _asked(self, question: Question | None) -> None:
        self.state.ask(question)
        self.asking.show()
        if question is None:
            self.messages.say("There is nothing to ask: draw in two colours first.")
            return
        self.view.show_question(question)
        self.messages.say("Answer with Yes, No or Skip.")

    def _reply(self, yes: bool | None) -> None:
        try:
            said = self.state.reply(yes, float(self.image.size.value))
        except ValueError as error:
            self.messages.complain(error)
            return
        self.asking.show()
        if said:
            self.view.show_said()
            self.answer(then=self._ask)
        elif self.state.question is None:
            self._ask()

    # -- taking home ----------------------------------------------------------------------------

    def _export(self, what: str) -> None:
        self.messages.download(*self.state.export(what))
