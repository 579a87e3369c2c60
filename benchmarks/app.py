"""How long the page makes a person wait, measured in chromium.

    python benchmarks/app.py

The sample photograph has 481 × 321 pixels. Its basis is timed in this process, the rest in the
browser: from the end of a stroke, or the click that adds a link, to the new colours on the screen.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "app"))
from driver import RunningServer, Visit, launched, why_not

from sidecut.app.samples import sample

BASES = 3
STROKES = 20
POINTS = 50_000
LINKS = 5

# Frames are counted all the time, so that a gap between two tells how long the page stood still.
WATCH = """() => {
  window.gaps = []
  let last = performance.now()
  const frame = () => {
    const now = performance.now()
    window.gaps.push(now - last)
    last = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}"""
# From a click on a button to the frame after the one that painted new labels.
PRESS = """() => new Promise((done) => {
  window.gaps.length = 0
  const begin = performance.now()
  const points = Bokeh.documents[0].get_model_by_name("points")
  const painted = () => requestAnimationFrame(() => requestAnimationFrame(
    () => done(performance.now() - begin)))
  const heard = () => { points.properties.data.change.disconnect(heard); painted() }
  points.properties.data.change.connect(heard)
  const button = Bokeh.documents[0].get_model_by_name("add_cannot")
  Bokeh.index.find_one_by_id(button.id).shadow_el.querySelector("button").click()
})"""


def basis_seconds():
    subject = sample("photograph")
    walls = []
    for _ in range(BASES):
        start = time.perf_counter()
        basis = subject.basis(lambda text, share: None)
        walls.append(time.perf_counter() - start)
    return basis.p, np.array(walls)


def stroke_delays(tab):
    rng = np.random.default_rng(0)
    for k in range(STROKES):
        x, y = rng.uniform(30, 450), rng.uniform(30, 290)
        dx, dy = rng.uniform(-60, 60, 2)
        places = (x, y), (np.clip(x + dx, 5, 475), np.clip(y + dy, 5, 315))
        tab.stroke(1 + k % 4, *places)
        tab.wait_until("(n) => window.sidecut.latency.length >= n", k + 1)
    return np.array(tab.page.evaluate("window.sidecut.latency"))[1:]


def many_points(tab, folder):
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 4, (5, 2))
    points = centres[rng.integers(0, 5, POINTS)] + rng.normal(0, 1, (POINTS, 2))
    np.savez(folder / "many.npz", X=points)
    start = time.perf_counter()
    tab.upload(folder / "many.npz")
    tab.wait_for_words("many.npz: 50,000 points")
    tab.wait_until("() => Bokeh.documents[0].get_model_by_name('points').data.label[0] > 0")
    opened = time.perf_counter() - start
    labels = np.array(tab.column("points", "label"))
    alike = np.flatnonzero(labels == labels[0])
    tab.page.evaluate(WATCH)
    tab.page.wait_for_timeout(1000)
    delays, gaps = [], []
    for k in range(LINKS):
        tab.page.get_by_placeholder("12, 57").fill(f"{alike[k]} {alike[-1 - k]}")
        tab.press("Tab")  # the text counts once its field is left
        tab.page.wait_for_timeout(300)
        delays.append(tab.page.evaluate(PRESS))
        tab.page.wait_for_timeout(1000)
        gaps.append(tab.page.evaluate("Math.max(...window.gaps)"))
    return opened, np.array(delays), np.array(gaps)


def spread(values, unit, digits=0):
    parts = ("least", values.min()), ("median", np.median(values)), ("most", values.max())
    return ", ".join(f"{name} {value:.{digits}f} {unit}" for name, value in parts)


def main():
    if reason := why_not():
        print(f"nothing measured: {reason}")
        return
    print("load of the machine: {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()))
    p, walls = basis_seconds()
    print(f"basis of the photograph, {p} vectors, {BASES} runs: {spread(walls, 's', 1)}")
    server = RunningServer()
    with launched() as browser, tempfile.TemporaryDirectory() as folder:
        tab = Visit(browser.new_page(viewport={"width": 1280, "height": 800}))
        start = time.perf_counter()
        tab.page.goto(server.url)
        tab.wait_for_words("ready")
        print(f"first page, from the address to ready: {time.perf_counter() - start:.1f} s")
        delays = stroke_delays(tab)
        print(f"stroke to segments, {len(delays)} strokes: {spread(delays, 'ms')}")
        opened, linked, gaps = many_points(tab, Path(folder))
        print(f"{POINTS} points: opened and clustered in {opened:.1f} s")
        print(f"  a link to new colours, {LINKS} links: {spread(linked, 'ms')}")
        print(f"  longest time between two frames, each link: {spread(gaps, 'ms')}")
        tab.page.close()
    server.stop()
    print("load of the machine: {:.1f} {:.1f} {:.1f}".format(*os.getloadavg()))


if __name__ == "__main__":
    main()
