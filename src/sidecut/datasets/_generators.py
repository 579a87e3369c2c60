"""Small problems with a known answer, for examples, tests and experiments."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.utils import check_random_state

from sidecut._validation import Float, Int, check_count, check_number
from sidecut.constraints import Constraints


def six_node_graph() -> tuple[Float, Constraints]:
    """Return the paper's illustrative example: two joined triangles, and labels that disagree.

    The edges say {0, 1, 2} and {3, 4, 5}; the constraints say {0, 1, 2, 3} and {4, 5}.

    Returns
    -------
    affinity : array of shape (6, 6)
    constraints : Constraints

    Examples
    --------
    >>> from sidecut.datasets import six_node_graph
    >>> six_node_graph()[1]
    Constraints(n_samples=6, must_links=7, cannot_links=8)
    """
    affinity = np.zeros((6, 6))
    for i, j in ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)):
        affinity[i, j] = affinity[j, i] = 1.0
    return affinity, Constraints.from_labels([0, 0, 0, 0, 1, 1])


def two_moons(
    n_samples: int = 600,
    *,
    noise: float = 0.08,
    n_background: int = 0,
    random_state: Any = None,
) -> tuple[Float, Int]:
    """Return two interleaved half circles, as in the paper's first figure.

    600 points are dense enough for plain spectral clustering; with 100 (under-sampled) it fails.

    Parameters
    ----------
    n_samples : int
        Points on the moons.
    noise : float
        Standard deviation of the Gaussian noise.
    n_background : int
        Further points, uniform over the bounding box. Their label is that of the nearer moon.
    random_state : int, RandomState or None
        As everywhere in scikit-learn.

    Returns
    -------
    X : array of shape (n_samples + n_background, 2)
    y : array of shape (n_samples + n_background,)
        The moon of each point.

    Examples
    --------
    >>> from sidecut.datasets import two_moons
    >>> X, y = two_moons(100, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 2), 50)
    """
    n_samples = check_count(n_samples, "n_samples", least=2)
    n_background = check_count(n_background, "n_background")
    rng = check_random_state(random_state)
    X, y = make_moons(n_samples, noise=check_number(noise, "noise"), random_state=rng)
    extra = rng.uniform(X.min(axis=0), X.max(axis=0), size=(n_background, 2))
    angle = np.linspace(0.0, np.pi, 500)
    arcs = (
        np.column_stack([np.cos(angle), np.sin(angle)]),
        np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)]),
    )
    gaps = [np.linalg.norm(extra[:, None] - arc, axis=2).min(axis=1) for arc in arcs]
    nearer = (gaps[1] < gaps[0]).astype(np.intp)
    return np.vstack([X, extra]), np.concatenate([y.astype(np.intp), nearer])


def sparse_moons(*, random_state: Any = None) -> tuple[Float, Int]:
    """Return the under-sampled moons of the paper's Fig. 7: 100 points, too few for plain cuts.

    Parameters
    ----------
    random_state : int, RandomState or None
        As everywhere in scikit-learn.

    Returns
    -------
    X : array of shape (100, 2)
    y : array of shape (100,)

    Examples
    --------
    >>> from sidecut.datasets import sparse_moons
    >>> sparse_moons(random_state=0)[0].shape
    (100, 2)
    """
    return two_moons(100, noise=0.1, random_state=random_state)


def noisy_moons(*, random_state: Any = None) -> tuple[Float, Int]:
    """Return the moons with background noise of the paper's Fig. 8: 500 points and 100 of noise.

    Parameters
    ----------
    random_state : int, RandomState or None
        As everywhere in scikit-learn.

    Returns
    -------
    X : array of shape (600, 2)
        The last 100 are noise, uniform over the bounding box.
    y : array of shape (600,)
        The moon of each point; of a noise point, the nearer one.

    Examples
    --------
    >>> from sidecut.datasets import noisy_moons
    >>> noisy_moons(random_state=0)[0].shape
    (600, 2)
    """
    return two_moons(500, noise=0.08, n_background=100, random_state=random_state)
