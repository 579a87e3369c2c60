"""Opening samples, uploads and files: read, prepare and show, in the background."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

from sidecut.app.controls import Controls
from sidecut.app.ground import Ground
from sidecut.app.messages import Messages
from sidecut.app.samples import SAMPLES, sample
from sidecut.app.session_file import Saved
from sidecut.app.state import State, open_file, open_upload
from sidecut.app.subject import Subject
from sidecut.app.work import Worker


class Opening:
    """What the person works on next; until it is ready the work so far goes on.

    Parameters
    ----------
    state : State
        What a subject is opened in.
    controls : Controls
        Samples, files and the button that stops.
    messages : Messages
        Where progress and errors are shown.
    worker : Worker
        What runs the jobs.
    settled : callable
        Called when something new is ready to be worked on.
    """

    def __init__(
        self,
        state: State,
        controls: Controls,
        messages: Messages,
        worker: Worker,
        settled: Callable[[], None],
    ) -> None:
        self._state, self._controls, self._messages = state, controls, messages
        self._worker, self._settled = worker, settled
        controls.samples.on_change("value", lambda attr, old, new: self.open_sample(new))
        controls.file.on_change("value", lambda attr, old, new: self._soon(self._uploaded))
        controls.stop.on_click(self._stop)

    def begin(self, first: Path | None) -> None:
        """Open a file, or the sample photograph; nothing where something is open already."""
        if self._state.ground is not None or self._worker.busy:
            return
        if first is None:
            self.open_sample("photograph")
        else:
            self._read(lambda: open_file(first), first.name)

    def open_sample(self, which: str) -> None:
        """Open a sample; an empty name means none."""
        if which:
            self._read(lambda: sample(which), SAMPLES[which])
            self._controls.samples.value = ""

    def open(self, what: Subject | Saved) -> None:
        """Prepare what was read and show it."""
        self._controls.stop.visible = True
        self._worker.start(self._state.open(what), self._ready, self._failed, self._messages.busy)

    def _soon(self, call: Callable[[], None]) -> None:
        # Content, name and type come one after the other: look at them when all are there.
        self._controls.file.document.add_next_tick_callback(call)

    def _uploaded(self) -> None:
        file = self._controls.file
        name, value = str(file.filename), file.value
        if not isinstance(value, str) or not value:
            return
        file.clear()  # the same file may be opened again later
        self._read(lambda: open_upload(name, base64.b64decode(value)), name)

    def _read(self, read: Callable[[], Subject | Saved], name: str) -> None:
        self._messages.busy(f"Reading {name}")
        self._worker.start(lambda ticket: read(), self.open, self._failed)

    def _ready(self, ground: Ground) -> None:
        self._controls.stop.visible = False
        self._state.settle(ground)
        self._settled()

    def _failed(self, error: Exception) -> None:
        self._controls.stop.visible = False
        self._messages.complain(error)

    def _stop(self) -> None:
        self._worker.cancel()
        self._controls.stop.visible = False
        self._messages.say("Stopped.")
