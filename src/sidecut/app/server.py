"""Start the page: on this machine alone unless told otherwise."""

from __future__ import annotations

import logging
import socket
import webbrowser
from pathlib import Path
from typing import Any

from bokeh.application import Application
from bokeh.application.handlers import FunctionHandler
from bokeh.document import Document
from bokeh.models import Div
from bokeh.server.server import Server
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform

from sidecut.app.page import Page
from sidecut.app.uploads import MAX_UPLOAD

logger = logging.getLogger(__name__)

DEFAULT_PORT = 5006
LOOPBACK = "127.0.0.1"
# Each has a basis of some ten megabytes.
MAX_SESSIONS = 32
# A closed tab is forgotten after this time, its work with it.
FORGET_MS = 15_000
SESSION_NAMES = ("bokeh-session-id", "bokeh-token")

PUBLIC_MEANS = (
    "Everyone who can reach {host}:{port} can use this page: no password, no encryption. Each "
    "visitor has data of their own, computes on this machine, and sees {first}. Pages of other "
    "sites stay locked out."
)


class SafeExchange(OutputTransform):
    """Gives each request a session of its own, and keeps browsers from loading things elsewhere.

    Bokeh lets an address name the session. Whoever sends such a link could read what is uploaded
    there, so names that come with a request are forgotten before Bokeh looks.
    """

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        for name in SESSION_NAMES:
            request.arguments.pop(name, None)
            request.headers.pop(name, None)

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add headers that allow no frame of others and take away Bokeh's leave for other sites."""
        headers["Content-Security-Policy"] = (
            "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
            "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
        )
        headers["X-Content-Type-Options"] = "nosniff"
        headers["X-Frame-Options"] = "DENY"
        headers["Referrer-Policy"] = "no-referrer"
        for name in ("Origin", "Headers", "Credentials", "Methods"):
            headers.pop(f"Access-Control-Allow-{name}", None)
        return status_code, headers, chunk


def make_server(
    port: int = DEFAULT_PORT, *, first: Path | None = None, public: str | None = None
) -> Server:
    """Return a server that is bound but not yet running.

    Parameters
    ----------
    port : int
        Where to listen; 0 for any free port.
    first : Path or None
        A file that every new page opens.
    public : str or None
        The name or address by which others reach this machine; None keeps them out.
    """
    address = LOOPBACK if public is None else ""
    port = _free_port(address, port)
    hosts = (LOOPBACK, "localhost") if public is None else (public, LOOPBACK, "localhost")
    open_pages = 0

    def build(document: Document) -> None:
        nonlocal open_pages
        open_pages += 1
        if open_pages > MAX_SESSIONS:
            document.add_root(Div(text="Too many pages are open. Close one and load this again."))
        else:
            Page(document, first)

        def closed(context: Any) -> None:
            nonlocal open_pages
            open_pages -= 1

        document.on_session_destroyed(closed)

    server = Server(
        {"/": Application(FunctionHandler(build))},
        address=address,
        port=port,
        allow_websocket_origin=[f"{host}:{port}" for host in hosts],
        # Base64 is a third longer than the file it carries.
        websocket_max_message_size=MAX_UPLOAD * 3 // 2,
        unused_session_lifetime_milliseconds=FORGET_MS,
        check_unused_sessions_milliseconds=FORGET_MS // 3,
    )
    server._tornado.add_transform(SafeExchange)
    return server


def _free_port(address: str, port: int) -> int:
    """Return the port, or a free one for 0; an error where it is taken."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise OSError(f"port {port} cannot be used ({error.strerror}); choose --port") from None
        return int(probe.getsockname()[1])


def serve(
    port: int = DEFAULT_PORT,
    *,
    first: Path | None = None,
    public: str | None = None,
    browser: bool = True,
    tell: Any = None,
) -> None:
    """Run the page until it is interrupted.

    Parameters
    ----------
    port, first, public
        See `make_server`.
    browser : bool
        Open the page in the user's browser.
    tell : callable or None
        Gets the lines to print.
    """
    server = make_server(port, first=first, public=public)
    url = f"http://{public or LOOPBACK}:{server.port}/"
    say = tell or logger.info
    if public is not None:
        file = first.name if first else "the samples"
        say(PUBLIC_MEANS.format(host=public, port=server.port, first=file))
    say(f"The page is at {url} (Ctrl-C stops it)")
    server.start()
    if browser:
        server.io_loop.add_callback(webbrowser.open, url)
    try:
        server.io_loop.start()
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        server.stop()
