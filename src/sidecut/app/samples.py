"""What the page can open without any file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import make_blobs

from sidecut.app.subject import Subject
from sidecut.app.uploads import photograph
from sidecut.datasets import two_moons

ASSETS = Path(__file__).parent / "assets"
SAMPLES = {
    "photograph": "Fruit, a photograph",
    "moons": "Two moons",
    "blobs": "Five blobs in four dimensions",
    "villages": "Three villages, a graph",
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
    if which == "villages":
        return Subject("graph", "villages", _villages(), shared=True)
    raise ValueError(f"sample must be one of {', '.join(SAMPLES)}, got {which!r}")


def _villages() -> sparse.csr_array:
    """Return a graph of three groups that know each other less than themselves."""
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1, 2], 50)
    chance = np.where(group[:, None] == group, 0.16, 0.012)
    upper = np.triu(rng.random(chance.shape) < chance, k=1)
    # Nobody is alone: each knows the next in the village.
    ring = np.arange(len(group))
    upper[ring, np.where((ring + 1) % 50, ring + 1, ring - 49)] = True
    graph = upper | upper.T
    return sparse.csr_array(graph.astype(np.float64))
