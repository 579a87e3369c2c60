"""How the page is started: what is heard, what is refused, what is said."""

from __future__ import annotations

import asyncio
import re
import socket
import urllib.request
from http.client import HTTPConnection
from urllib.parse import urlparse

import pytest
from bokeh.util.token import get_session_id
from click.testing import CliRunner

from sidecut.app import __main__ as module
from sidecut.app.server import LOOPBACK, make_server, serve
from sidecut.cli.app import sidecut


@pytest.fixture
def busy_port():
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        yield taken.getsockname()[1]


@pytest.fixture
def started():
    servers = []
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def start(**options):
        servers.append(make_server(0, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.unlisten()
        server.stop()
    loop.run_until_complete(asyncio.sleep(0))
    asyncio.set_event_loop(None)
    loop.close()


def test_nobody_else_is_heard(started):
    server = started()
    assert server.address == LOOPBACK
    hosts = server._tornado.websocket_origins
    assert hosts == {f"127.0.0.1:{server.port}", f"localhost:{server.port}"}


def test_a_public_server_hears_one_more_name(started):
    server = started(public="lab.example")
    assert server.address == ""
    assert f"lab.example:{server.port}" in server._tornado.websocket_origins
    assert "*" not in "".join(server._tornado.websocket_origins)


def test_a_busy_port_is_one_line(busy_port, capsys):
    assert module.main(["--port", str(busy_port), "--no-browser"]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert f"port {busy_port} cannot be used" in message
    result = CliRunner().invoke(sidecut, ["app", "--port", str(busy_port), "--no-browser"])
    assert result.exit_code == 1
    assert "choose --port" in result.output
    with pytest.raises(OSError, match="choose --port"):
        serve(busy_port, browser=False)


def test_the_command_tells_what_it_takes(tmp_path):
    result = CliRunner().invoke(sidecut, ["app", "--help"])
    assert result.exit_code == 0
    for word in ("--port", "--no-browser", "--public", "FILE"):
        assert word in result.output
    result = CliRunner().invoke(sidecut, ["app", str(tmp_path / "missing.png")])
    assert result.exit_code == 2
    assert "missing.png" in result.output


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_other_origins_are_refused(server, origin):
    host = urlparse(server.url).netloc

    headers = {
        "Origin": origin,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "c2lkZWN1dC1zaWRlY3V0IQ==",
        "Sec-WebSocket-Protocol": "bokeh, token",
    }
    connection = HTTPConnection(host, timeout=10)
    connection.request("GET", "/ws", headers=headers)
    assert connection.getresponse().status == 403
    connection.close()


def test_headers_keep_the_page_to_itself(server):
    with urllib.request.urlopen(server.url) as answer:
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        body = answer.read().decode()
    assert "cdn." not in body
    with urllib.request.urlopen(server.url + "autoload.js?bokeh-autoload-element=1") as answer:
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_no_link_leads_into_the_session_of_another(server):
    """Bokeh would join whoever names a session; here a name that comes with a request is lost."""

    def session(address, **headers):
        request = urllib.request.Request(address, headers=headers)
        with urllib.request.urlopen(request) as answer:
            token = re.search(r'"token":"([^"]+)"', answer.read().decode()).group(1)
        return token, get_session_id(token)

    token, mine = session(server.url)
    named = f"{server.url}?bokeh-session-id={mine}"
    assert session(named)[1] != mine
    assert session(f"{server.url}?bokeh-token={token}")[1] != mine
    assert session(server.url, **{"Bokeh-Session-Id": mine})[1] != mine


def test_a_public_server_says_what_that_means(start_server):
    server = start_server("--public", "127.0.0.1")
    assert any("no password" in line for line in server.said)
    assert server.url.startswith("http://127.0.0.1:")
