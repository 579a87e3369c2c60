"""How the page is started: what is heard, what is refused, what is said."""

from __future__ import annotations

import asyncio
import socket

import pytest
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
