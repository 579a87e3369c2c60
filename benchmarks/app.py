"""How long the page makes a person wait, measured in chromium.

    python benchmarks/app.py

The sample photograph has 481 × 321 pixels. Its basis is timed in this process (processor seconds of
one thread), the rest in the browser: from the end of a stroke to the new segments on the screen.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "app"))
from driver import RunningServer, Visit, launched, why_not

from sidecut.app.samples import sample

STROKES = 20
POINTS = 50_000


def basis_seconds():
    subject = sample("photograph")
    start, cpu = time.perf_counter(), time.process_time()
    basis = subject.basis(lambda text, share: None)
    return basis.p, time.perf_counter() - start, time.process_time() - cpu


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
    opened = time.perf_counter() - start
    tab.wait_until("() => Bokeh.documents[0].get_model_by_name('points').data.label[0] > 0")
    labels = np.array(tab.column("points", "label"))
    one, two = np.flatnonzero(labels == labels[0])[[0, -1]].tolist()
    tab.page.get_by_placeholder("12, 57").fill(f"{one} {two}")
    start = time.perf_counter()
    tab.page.locator("button", has_text="Cannot-link").last.click()
    tab.wait_until("() => document.getElementById('words').textContent.includes('Clusters')")
    return opened, time.perf_counter() - start


def main():
    if reason := why_not():
        print(f"nothing measured: {reason}")
        return
    p, wall, cpu = basis_seconds()
    print(f"basis of the photograph, {p} vectors: {wall:.1f} s, {cpu:.1f} s of processor")
    server = RunningServer()
    with launched() as browser, tempfile.TemporaryDirectory() as folder:
        tab = Visit(browser.new_page(viewport={"width": 1280, "height": 800}))
        start = time.perf_counter()
        tab.page.goto(server.url)
        tab.wait_for_words("ready")
        print(f"first page, from the address to ready: {time.perf_counter() - start:.1f} s")
        delays = stroke_delays(tab)
        print(
            f"stroke to segments, {len(delays)} strokes: median {np.median(delays):.0f} ms, "
            f"most {delays.max():.0f} ms"
        )
        opened, linked = many_points(tab, Path(folder))
        print(f"{POINTS} points: opened in {opened:.1f} s, a link {linked:.1f} s")
        tab.page.close()
    server.stop()


if __name__ == "__main__":
    main()
