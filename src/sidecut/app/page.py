"""The page of one session: figures and callbacks over a `State`."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bokeh.document import Document
from bokeh.models import ColumnDataSource, CustomJS
from jinja2 import Template
from tornado.ioloop import IOLoop

from sidecut.app.answers import Answer, Doubt
from sidecut.app.controls import Controls, Layout
from sidecut.app.image_view import ImageView
from sidecut.app.look import script
from sidecut.app.path_panel import PathPanel
from sidecut.app.points_view import PointsView
from sidecut.app.samples import SAMPLES, sample
from sidecut.app.session_file import Saved
from sidecut.app.state import LABEL_NAMES, Ground, State, open_file, open_upload
from sidecut.app.subject import Subject
from sidecut.app.uploads import MAX_UPLOAD
from sidecut.app.work import Worker

logger = logging.getLogger(__name__)

IMAGE_KEYS = {"b": 0, "e": 1, "m": 2}
POINT_KEYS = {"l": 0, "c": 1, "o": 2, "m": 3}


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
        self._first = first
        # One can go on drawing while something else is being opened.
        self._opener, self._worker = Worker(self._later), Worker(self._later)
        self._numbers = 0

        self._outbox = ColumnDataSource(
            {"kind": [], "text": [], "name": [], "share": [], "number": []}, name="outbox"
        )
        self._inbox = ColumnDataSource({"kind": [], "number": [], "fields": []}, name="inbox")
        self._inbox.on_change("data", self._received)
        self.common = Controls()
        self.image = ImageView(self.state, self.common.colour)
        self.points = PointsView(self.state, self.common.colour, self.changed, self.say)
        self.panel = PathPanel(self.state, self.answer, self._highlight, self._ask, self._reply)
        self.layout = Layout(self.common, self.image, self.points, self.panel)
        # What hangs on no root would not be kept in step with the browser.
        self.layout.roots[0].tags = [self._inbox, self._outbox]
        # Bokeh hears the buttons of a document only if they were told what to do before.
        self._connect()
        for root in self.layout.roots:
            document.add_root(root)

        document.title = "sidecut"
        document.template = Template(script("page.html"))
        document.template_variables["page_css"] = script("page.css")
        limits = f"const MAX_UPLOAD = {MAX_UPLOAD};\n"
        document.template_variables["page_js"] = limits + script("page.js")
        document.config.notify_connection_status = False
        hear = CustomJS(
            args={"inbox": self._inbox, "outbox": self._outbox},
            code="window.sidecut.connect(inbox); window.sidecut.receive(outbox.data)",
        )
        document.js_on_event("document_ready", hear)
        document.js_on_event("connection_lost", CustomJS(code="window.sidecut.disconnect()"))
        self._outbox.js_on_change("data", CustomJS(code="window.sidecut.receive(cb_obj.data)"))
        # Nothing heavy begins before a browser has really connected.
        document.on_event("document_ready", lambda event: self._begin())
        document.on_session_destroyed(lambda context: self._close())

    def _close(self) -> None:
        self._opener.close()
        self._worker.close()

    def _later(self, call: Callable[[], None]) -> None:
        """Call on the page's own thread, from any; the document is touched on that thread only."""
        self._loop.add_callback(self._document.add_next_tick_callback, call)

    # -- widgets --------------------------------------------------------------------------------

    def _connect(self) -> None:
        """Say what each common control does."""
        common = self.common
        common.undo.on_click(lambda: self._stepped(self.state.undo(), "undo"))
        common.redo.on_click(lambda: self._stepped(self.state.redo(), "redo"))
        common.clear.on_click(self._clear)
        for what, button in common.exports.items():
            button.on_click(self._guarded(partial(self._export, what)))
        common.samples.on_change("value", lambda attr, old, new: self._open_sample(new))
        # Content, name and type come one after the other: look at them when all are there.
        common.file.on_change(
            "value", lambda attr, old, new: self._document.add_next_tick_callback(self._uploaded)
        )
        common.stop.on_click(self._stop)
        self.points.standardize.on_click(self._guarded(self._standardize))

    def _show_mode(self) -> None:
        image = self.state.is_image
        self.layout.show(image=image)
        self._send("mode", "image" if image else "points")

    # -- messages -------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        """Show a message."""
        self._send("info", text)

    def complain(self, error: Exception) -> None:
        """Show what went wrong; what nobody expected is logged."""
        if isinstance(error, ValueError | ImportError | OSError | MemoryError):
            text = str(error) or type(error).__name__
        else:
            logger.error("unexpected error", exc_info=error)
            text = f"Something went wrong here ({type(error).__name__}); your work is kept."
        self._send("error", text)

    def _send(self, kind: str, text: str, *, name: str = "", share: float = -1.0) -> None:
        self._numbers += 1
        self._outbox.data = {
            "kind": [kind],
            "text": [text],
            "name": [name],
            "share": [share],
            "number": [self._numbers],
        }

    def _guarded(self, action: Callable[[], None]) -> Callable[[], None]:
        def act() -> None:
            try:
                action()
            except Exception as error:  # a callback's error belongs on the page
                self.complain(error)

        return act

    def _failed_to_open(self, error: Exception) -> None:
        self.common.stop.visible = False
        self.complain(error)

    # -- opening --------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self.state.ground is not None or self._opener.busy:
            return
        first = self._first
        if first is None:
            self._open_sample("photograph")
        else:
            self._read(lambda: open_file(first), first.name)

    def _open_sample(self, which: str) -> None:
        if which:
            self._read(lambda: sample(which), SAMPLES[which])
            self.common.samples.value = ""

    def _uploaded(self) -> None:
        name, value = str(self.common.file.filename), self.common.file.value
        if not isinstance(value, str) or not value:
            return
        self.common.file.clear()  # the same file may be opened again later
        self._read(lambda: open_upload(name, base64.b64decode(value)), name)

    def _read(self, read: Callable[[], Subject | Saved], name: str) -> None:
        self._send("busy", f"Reading {name}")
        self._opener.start(lambda ticket: read(), self.open, self._failed_to_open)

    def open(self, what: Subject | Saved) -> None:
        """Prepare what was read and show it; until then the work so far stays."""
        self.common.stop.visible = True
        self._opener.start(
            self.state.open(what),
            self._settled,
            self._failed_to_open,
            lambda text, share: self._send("busy", text, share=share),
        )

    def _stop(self) -> None:
        self._opener.cancel()
        self.common.stop.visible = False
        self.say("Stopped.")

    def _standardize(self) -> None:
        subject = self.state.ready.subject
        saved = Saved(
            subject.standardized, self.state.statements, self.state.n_clusters, self.state.mu
        )
        self.open(saved)

    def _settled(self, ground: Ground) -> None:
        self.common.stop.visible = False
        self._worker.cancel()
        self.state.settle(ground)
        self._show_mode()
        (self.image if self.state.is_image else self.points).open()
        self.panel.show_answer()
        self.panel.show_trail()
        self.panel.show_question()
        subject = ground.subject
        if self.state.is_image:
            height, width = subject.shape
            shrunk = "" if (width, height) == subject.full_size else ", made smaller to work on"
            size = f"{width} × {height} pixels{shrunk}"
        else:
            size = f"{subject.n_samples:,} points"
        self.say(f"{subject.name}: {size}, ready. " + self._hint())
        self.answer()

    def _hint(self) -> str:
        if self.state.is_image:
            return "Draw on two parts in two colours."
        return "Click two points to link them."

    # -- saying ---------------------------------------------------------------------------------

    def _received(self, attr: str, old: Any, new: Any) -> None:
        try:
            for kind, text in zip(new["kind"], new["fields"], strict=True):
                fields = json.loads(text)
                if kind == "stroke" and self.state.is_image:
                    self.image.stroke(fields)
                    self.changed()
                elif kind == "key":
                    self._key(str(fields["key"]))
        except Exception as error:  # the browser's words are not ours
            self.complain(error)

    def changed(self) -> None:
        """Show what was said, and begin to answer it."""
        self.state.question = None
        self.panel.show_question()
        self._show_said()
        self.answer()

    def _show_said(self) -> None:
        if self.state.is_image:
            self.image.show_strokes()
            self.image.show_spot(None)
        else:
            self.points.show_links()
            self.points.show_pair(None)

    def _stepped(self, done: bool, what: str) -> None:
        if self.state.ground is None:
            return
        if done:
            self.changed()
        else:
            self.say(f"Nothing to {what}.")

    def _clear(self) -> None:
        if self.state.ground is not None and self.state.statements:
            self.state.clear()
            self.changed()

    def _key(self, key: str) -> None:
        tool = self.image.tool if self.state.is_image else self.points.tool
        keys = IMAGE_KEYS if self.state.is_image else POINT_KEYS
        replies: dict[str, bool | None] = {"y": True, "n": False, "s": None}
        if key in keys:
            tool.active = keys[key]
        elif key.isdecimal():
            self.common.colour.active = int(key) - 1
        elif key in replies and self.state.question is not None:
            self._reply(replies[key])
        elif key == "u":
            self._stepped(self.state.undo(), "undo")
        elif key == "r":
            self._stepped(self.state.redo(), "redo")
        elif key == "a":
            self._ask()
        elif key == "f":
            self.panel.follow_evidence()

    # -- answering ------------------------------------------------------------------------------

    def answer(self) -> None:
        """Label everything anew, in the background; an older answer on its way is dropped."""
        if self.state.ground is None:
            return
        self._worker.start(self.state.answer_job(), self._answered, self.complain)

    def _answered(self, answer: Answer) -> None:
        self.state.show(answer)
        (self.image if self.state.is_image else self.points).show_answer()
        self._worker.start(self.state.trail_job(), self._trailed, self.complain)

    def _trailed(self, trail: Any) -> None:
        self.state.trail = trail
        self.panel.show_answer()
        self.panel.show_trail()
        answer = self.state.answer
        if answer is not None and self.state.statements:
            self.say(self._summary(answer))

    def _summary(self, answer: Answer) -> str:
        if not answer.labels.any():
            return answer.reason
        names, counts = np.unique(answer.labels, return_counts=True)
        sizes = ", ".join(
            f"{LABEL_NAMES[name - 1]} {count / len(answer.labels):.0%}"
            for name, count in zip(names.tolist(), counts.tolist(), strict=True)
        )
        violated = answer.satisfaction.total.count_violated
        broken = "" if self.state.is_image or not violated else f" Violated pairs: {violated:,}."
        return f"Clusters: {sizes}.{broken}"

    # -- asking ---------------------------------------------------------------------------------

    def _ask(self) -> None:
        if self.state.answer is None or self.state.ground is None:
            self.say("Open something first.")
            return
        self._worker.start(self.state.question_job(), self._asked, self.complain)

    def _asked(self, question: Any) -> None:
        self.state.ask(question)
        self.panel.show_question()
        if question is None:
            self.say("There is nothing to ask: say something first, or all is clear already.")
            return
        if self.state.is_image:
            self.image.show_spot(question.node)
        else:
            self.points.show_pair((question.node, question.partner))
        self.say("Answer with Yes, No or Skip.")

    def _reply(self, yes: bool | None) -> None:
        try:
            said = self.state.reply(yes, float(self.image.size.value))
        except ValueError as error:
            self.complain(error)
            return
        if self.state.question is not None:
            self.panel.show_question()
            return
        if said:
            self._show_said()
            self.panel.show_question()
            self._worker.start(self.state.answer_job(), self._answered_then_ask, self.complain)
        else:
            self._ask()

    def _answered_then_ask(self, answer: Answer) -> None:
        self.state.show(answer)
        (self.image if self.state.is_image else self.points).show_answer()
        self._worker.start(self.state.trail_job(), self._trailed_then_ask, self.complain)

    def _trailed_then_ask(self, trail: Any) -> None:
        self._trailed(trail)
        self._ask()

    def _highlight(self, doubt: Doubt | None) -> None:
        if self.state.is_image:
            self.image.show_stroke(doubt.stroke if doubt else None)
        elif self.state.ground is not None:
            self.points.show_pair(doubt.pair if doubt else None)

    # -- taking home ----------------------------------------------------------------------------

    def _export(self, what: str) -> None:
        name, content = self.state.export(what)
        self._send("download", base64.b64encode(content).decode(), name=name)
        self.say(f"Exported {name}.")
