"""Take the picture of docs/app.md: the sample photograph with some strokes, in chromium.

Run `python tools/app_screenshot.py` to write docs/app.png again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "app"))
from driver import RunningServer, Visit, launched  # noqa: E402

STROKES = (
    (1, (80, 90), (150, 45), (215, 110), (190, 185), (100, 190)),
    (1, (110, 85), (165, 125)),
    (2, (20, 40), (280, 30), (465, 60), (450, 130)),
    (2, (25, 130), (20, 170), (40, 230), (210, 245), (265, 250)),
    (2, (20, 290), (465, 295)),
    (2, (290, 258), (390, 262), (455, 200)),
    (2, (440, 170), (470, 175)),
    (2, (252, 105), (262, 130)),
    (3, (270, 150), (330, 125), (400, 165), (370, 220), (290, 210)),
    (4, (330, 95), (390, 105)),
)


def main() -> None:
    """Draw, wait and take the picture."""
    server = RunningServer()
    with launched() as browser:
        tab = Visit(browser.new_page(viewport={"width": 1280, "height": 800}))
        tab.page.goto(server.url)
        tab.wait_for_words("ready")
        for colour, *places in STROKES:
            tab.stroke(colour, *places)
        tab.wait_for_words("Clusters:")
        tab.page.mouse.move(5, 5)
        time.sleep(1)
        path = ROOT / "docs" / "app.png"
        tab.page.screenshot(path=path)
        tab.page.close()
    server.stop()
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(
            256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.FLOYDSTEINBERG
        )
    small.save(path, optimize=True)


if __name__ == "__main__":
    main()
