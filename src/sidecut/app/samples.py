"""What the page can open without any file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

from sidecut.app.subject import Subject
from sidecut.app.uploads import photograph
from sidecut.datasets import two_moons

ASSETS = Path(__file__).parent / "assets"
SAMPLES = {
    "photograph": "Fruit, a photograph",
    "moons": "Two moons",
    "blobs": "Five blobs in four dimensions",
}


def sample(which: str) -> Subject:
    """Return one of `SAMPLES`.

    Examples
    --------
    >>> from sidecut.app.samples import sample
    >>> sample("moons").n_samples
    400
    """
    if which == "photograph":
        # Rendered by tools/sample_photo.py.
        return replace(photograph(ASSETS / "sample.jpg"), name="fruit", shared=True)
    if which == "moons":
        return Subject(
            "points", "moons", two_moons(400, noise=0.16, random_state=3)[0], shared=True
        )
    if which == "blobs":
        points = make_blobs(1000, 4, centers=5, cluster_std=1.6, random_state=4)[0]
        return Subject("points", "blobs", np.asarray(points, dtype=np.float64), shared=True)
    raise ValueError(f"sample must be one of {', '.join(SAMPLES)}, got {which!r}")
