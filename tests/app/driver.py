"""Drives the page in chromium, for the tests and the benchmark."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "out" / "app"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
# The machine may be busy with other tests.
PATIENCE = 120_000

# Where a pixel of the photograph, or a point, is on the screen.
FRAME = """(name) => {
  const model = Bokeh.documents[0].get_model_by_name(name)
  const view = Bokeh.index.find_one_by_id(model.id)
  const box = view.el.getBoundingClientRect()
  return {
    left: box.x + view.frame.bbox.left, top: box.y + view.frame.bbox.top,
    width: view.frame.bbox.width, height: view.frame.bbox.height,
    x0: model.x_range.start, x1: model.x_range.end, y0: model.y_range.start, y1: model.y_range.end,
  }
}"""

OVERFLOWING = """() => {
  const found = []
  const root = document.documentElement
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) found.push("page")
  for (const box of document.querySelectorAll(".grid > *, .bar, .message, .keys"))
    if (box.scrollWidth > box.clientWidth + 1) found.push(box.className)
  const walk = (node, right) => {
    for (const child of node.children ?? []) {
      const inner = child.shadowRoot
      for (const button of (inner ?? child).querySelectorAll("button"))
        if (button.offsetParent && (button.scrollWidth > button.clientWidth + 1 ||
            button.getBoundingClientRect().right > right))
          found.push(button.textContent)
      if (inner) walk(inner, right)
      walk(child, right)
    }
  }
  for (const box of document.querySelectorAll(".grid > *"))
    walk(box, box.getBoundingClientRect().right)
  return found
}"""


class RunningServer:
    """The page's server in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "sidecut.app", "--no-browser", "--port", "0", *options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.url = ""
        self.said: list[str] = []
        for line in self.process.stdout:
            self.said.append(line)
            if "http://" in line:
                self.url = line.split("The page is at ")[1].split()[0]
                break
        assert self.url, self.process.stderr.read()

    def stop(self) -> str:
        """Interrupt it and return what it wrote to stderr."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=30)[1]


@dataclass
class Visit:
    """One tab, and everything that went wrong or abroad in it."""

    page: Any
    errors: list[str] = field(default_factory=list)
    abroad: list[str] = field(default_factory=list)
    requests: int = 0

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._request)
        self.page.on("websocket", self._request)

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _request(self, request: Any) -> None:
        self.requests += 1
        parts = urlparse(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            self.abroad.append(request.url)

    # -- reading --------------------------------------------------------------------------------

    def words(self) -> str:
        return self.page.locator("#words").inner_text()

    def wait_for_words(self, text: str) -> None:
        self.page.wait_for_function(
            "(text) => document.getElementById('words').textContent.includes(text)",
            arg=text,
            timeout=PATIENCE,
        )

    def wait_until(self, code: str, arg: Any = None) -> None:
        self.page.wait_for_function(code, arg=arg, timeout=PATIENCE)

    def column(self, source: str, name: str) -> list[Any]:
        code = """([source, name]) =>
            Array.from(Bokeh.documents[0].get_model_by_name(source).data[name])"""
        return self.page.evaluate(code, [source, name])

    def segments(self) -> np.ndarray:
        """The labels that the page shows, top row first."""
        code = """() => {
            const data = Bokeh.documents[0].get_model_by_name("overlay").data
            return [Array.from(data.image[0]), data.h[0], data.w[0]]
        }"""
        codes, height, width = self.page.evaluate(code)
        labels = np.array(codes).reshape(height, width)[::-1]
        return np.where(labels > 8, labels - 8, labels)

    def overflowing(self) -> list[str]:
        """Name what is wider than the box that holds it, and the page if it must be scrolled."""
        return self.page.evaluate(OVERFLOWING)

    def screenshot(self, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    # -- doing ----------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def sample(self, label: str, name: str) -> None:
        self.page.locator("select[name=samples]").select_option(label=label)
        self.wait_for_words(f"{name}:")

    def upload(self, path: Path) -> None:
        self.page.locator("input[type=file]").set_input_files(path)

    def choose(self, colour: int) -> None:
        self.press(str(colour))
        code = "(k) => Bokeh.documents[0].get_model_by_name('colour').active === k"
        self.wait_until(code, colour - 1)

    def stroke(self, colour: int, *places: tuple[float, float]) -> None:
        """Draw, and wait for the segments."""
        self.choose(colour)
        self.overlay_after(lambda: self.drag("photograph", self.pixels(places)))

    def overlay_after(self, action: Any) -> None:
        before = self.page.evaluate("window.sidecut.overlays")
        action()
        self.wait_until("(n) => window.sidecut.overlays > n", before)

    def pixels(self, places: Any) -> list[tuple[float, float]]:
        """Pixels of the photograph as data of the figure, whose y goes upward."""
        height = self.column("overlay", "h")[0]
        return [(x, height - y) for x, y in places]

    def drag(self, figure: str, places: list[tuple[float, float]]) -> None:
        on_screen = [self.place(figure, x, y) for x, y in places]
        self.page.mouse.move(*on_screen[0])
        self.page.mouse.down()
        for place in on_screen[1:]:
            self.page.mouse.move(*place, steps=6)
        self.page.mouse.up()

    def place(self, figure: str, x: float, y: float) -> tuple[float, float]:
        f = self.page.evaluate(FRAME, figure)
        across = (x - f["x0"]) / (f["x1"] - f["x0"])
        up = (y - f["y0"]) / (f["y1"] - f["y0"])
        return f["left"] + across * f["width"], f["top"] + (1 - up) * f["height"]

    def click_point(self, node: int) -> None:
        x, y = self.column("points", "x")[node], self.column("points", "y")[node]
        self.page.mouse.click(*self.place("plane", x, y))

    def link(self, one: int, two: int, *, together: bool) -> None:
        """Click two points with the tool for it, and wait until the link is in the table."""
        count = len(self.column("links", "first"))
        self.press("l" if together else "c")
        tool = 0 if together else 1
        self.wait_until(
            "(k) => Bokeh.documents[0].get_model_by_name('points_tool').active === k", tool
        )
        self.click_point(one)
        self.wait_for_words(f"Point {one}:")
        self.click_point(two)
        self.wait_until(
            "(n) => Bokeh.documents[0].get_model_by_name('links').data.first.length > n", count
        )
        self.wait_for_words("Clusters:")

    def add(self, one: int, two: int, *, together: bool) -> None:
        """Type a link, and wait until it is in the table."""
        count = len(self.column("links", "first"))
        self.page.get_by_placeholder("12, 57").fill(f"{one}, {two}")
        self.button("Must-link" if together else "Cannot-link").last.click()
        self.wait_until(
            "(n) => Bokeh.documents[0].get_model_by_name('links').data.first.length > n", count
        )


def why_not() -> str:
    """Say what is missing for a browser; empty if nothing is."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed"
    return "" if CHROMIUM else "chromium is not installed; apt-get install chromium"


@contextmanager
def launched() -> Iterator[Any]:
    """Run chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
