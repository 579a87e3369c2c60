"""A real browser on a real server, and subjects for the logic without one."""

from __future__ import annotations

from typing import Any

import pytest

from sidecut.app.samples import sample
from sidecut.app.subject import Subject

from .driver import RunningServer, Visit, launched, why_not
from .subjects import HEIGHT, WIDTH, halves, opened


@pytest.fixture(scope="module")
def browser() -> Any:
    if reason := why_not():
        pytest.skip(reason)
    with launched() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def server(browser: Any) -> Any:
    running = RunningServer()
    yield running
    assert "Traceback" not in running.stop()


@pytest.fixture
def start_server() -> Any:
    """Start servers of one's own."""
    started: list[RunningServer] = []

    def start(*options: str) -> RunningServer:
        started.append(RunningServer(*options))
        return started[-1]

    yield start
    for running in started:
        if running.process.poll() is None:
            running.stop()


@pytest.fixture
def visit(browser: Any) -> Any:
    """Open tabs; in the end none has an error in its console, and none went abroad."""
    visits: list[Visit] = []

    def open_tab(url: str, *, width: int = 1280, ready: str = "ready") -> Visit:
        height = 800 if width < 1700 else 1080
        tab = Visit(browser.new_page(viewport={"width": width, "height": height}))
        visits.append(tab)
        tab.page.goto(url)
        if ready:
            tab.wait_for_words(ready)
        return tab

    yield open_tab
    for tab in visits:
        if not tab.page.is_closed():
            tab.page.close()
        assert tab.requests > 3
        assert tab.abroad == []
        assert tab.errors == []


@pytest.fixture
def photo():
    return opened(Subject("image", "halves.png", halves(), full_size=(WIDTH, HEIGHT)))


@pytest.fixture
def moons():
    return opened(sample("moons"))
