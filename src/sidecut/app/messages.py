"""What the server tells the browser beside Bokeh's own words, and what it is told."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from typing import Any

from bokeh.document import Document
from bokeh.models import ColumnDataSource, CustomJS, Model

logger = logging.getLogger(__name__)


class Messages:
    """The line of messages, downloads, and the browser's strokes and keys.

    Parameters
    ----------
    received : callable
        Gets the kind of what the browser sent, and its fields.
    """

    def __init__(self, received: Callable[[str, dict[str, Any]], None]) -> None:
        self._received = received
        self._numbers = 0
        self._outbox = ColumnDataSource(
            {"kind": [], "text": [], "name": [], "share": [], "number": []}, name="outbox"
        )
        self._inbox = ColumnDataSource({"kind": [], "number": [], "fields": []}, name="inbox")
        self._inbox.on_change("data", lambda attr, old, new: self._take(new))

    def attach(self, document: Document, root: Model) -> None:
        """Connect both ends; what hangs on no root would not be kept in step with the browser."""
        root.tags = [self._inbox, self._outbox]
        hear = CustomJS(
            args={"inbox": self._inbox, "outbox": self._outbox},
            code="window.sidecut.connect(inbox); window.sidecut.receive(outbox.data)",
        )
        document.js_on_event("document_ready", hear)
        document.js_on_event("connection_lost", CustomJS(code="window.sidecut.disconnect()"))
        self._outbox.js_on_change("data", CustomJS(code="window.sidecut.receive(cb_obj.data)"))

    def say(self, text: str) -> None:
        """Show a message."""
        self._send("info", text)

    def busy(self, text: str, share: float = -1.0) -> None:
        """Show what is being done, and how much of it is behind if that is known."""
        self._send("busy", text, share=share)

    def complain(self, error: Exception) -> None:
        """Show what went wrong; what nobody expected is logged."""
        if isinstance(error, ValueError | ImportError | OSError | MemoryError):
            text = str(error) or type(error).__name__
        else:
            logger.error("unexpected error", exc_info=error)
            text = f"Something went wrong here ({type(error).__name__}); your work is kept."
        self._send("error", text)

    def guarded(self, action: Callable[[], None]) -> Callable[[], None]:
        """Return the action with its errors shown on the page."""

        def act() -> None:
            try:
                action()
            except Exception as error:  # a callback's error belongs on the page
                self.complain(error)

        return act

    def mode(self, name: str) -> None:
        """Show the keys of photographs ("image") or of points ("points")."""
        self._send("mode", name)

    def download(self, name: str, content: bytes) -> None:
        """Hand out a file."""
        self._send("download", base64.b64encode(content).decode(), name=name)
        self.say(f"Exported {name}.")

    def _send(self, kind: str, text: str, *, name: str = "", share: float = -1.0) -> None:
        self._numbers += 1
        self._outbox.data = {
            "kind": [kind],
            "text": [text],
            "name": [name],
            "share": [share],
            "number": [self._numbers],
        }

    def _take(self, new: Any) -> None:
        try:
            for kind, text in zip(new["kind"], new["fields"], strict=True):
                self._received(str(kind), json.loads(text))
        except Exception as error:  # the browser's words are not ours
            self.complain(error)
