"""A quick look at the low end of a spectrum, before choosing how to compute it."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh_tridiagonal

from sidecut.eigen.operators import Apply, Array
from sidecut.eigen.orthogonal import lengths, project_out

_PROBES, _STEPS = 4, 20


def low_spectrum(
    multiply: Apply,
    n: int,
    counts: Array,
    rng: np.random.Generator,
    deflate: Array | None = None,
) -> Array:
    """Values below which L has about the given numbers of eigenvalues.

    A short Lanczos run from a random vector is a Gauss quadrature of the spectral density: the
    weight of each Ritz value estimates its share of the n eigenvalues. Below the first Ritz
    value the count is taken as proportional to the eigenvalue, which is Weyl's law in two
    dimensions, too low in more and too high on a curve.

    Parameters
    ----------
    multiply : callable
        ``X -> L @ X``, spectrum in [0, 2].
    n : int
        Rows of L.
    counts : ndarray
        Ascending numbers of eigenvalues.
    rng : Generator
        Draws the probes.
    deflate : ndarray of shape (n, c), optional
        Eigenvectors not to be counted.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.linspace(0, 2, 1001)[:, None]
    >>> rng = np.random.default_rng(0)
    >>> bool(abs(low_spectrum(lambda x: values * x, 1001, np.array([250.0]), rng)[0] - .5) < .1)
    True
    """
    diagonals, couplings = _lanczos(multiply, n, rng, deflate)
    nodes, weights = [], []
    for diagonal, coupling in zip(diagonals.T, couplings.T, strict=True):
        values, vectors = eigh_tridiagonal(diagonal, coupling)
        nodes.append(values)
        weights.append(vectors[0] ** 2)
    ritz, weight = np.concatenate(nodes), np.concatenate(weights) / _PROBES
    order = np.argsort(ritz)
    ritz, weight = np.maximum(ritz[order], 0.0), weight[order]
    # A Ritz value stands for eigenvalues on both sides of it: count half of its own weight.
    below = n * (np.cumsum(weight) - weight / 2)
    return np.asarray(np.interp(counts, np.append(0.0, below), np.append(0.0, ritz)))


def _lanczos(
    multiply: Apply, n: int, rng: np.random.Generator, deflate: Array | None
) -> tuple[Array, Array]:
    """Tridiagonal coefficients of independent runs, a column each.

    Nothing is reorthogonalised: what that would repair, late copies of converged Ritz values,
    does not change the quadrature.
    """
    current = project_out(rng.standard_normal((n, _PROBES)), deflate)
    current /= lengths(current)
    previous = np.zeros_like(current)
    length = np.zeros(_PROBES)
    steps = min(_STEPS, n)
    diagonals, couplings = np.zeros((steps, _PROBES)), np.zeros((steps, _PROBES))
    for step in range(steps):
        image = multiply(current)
        image -= np.multiply(previous, length, out=previous)
        diagonals[step] = np.einsum("ij,ij->j", image, current)
        image -= current * diagonals[step]
        length = lengths(image)
        couplings[step] = length
        # An exhausted run keeps its zero coupling; dividing by one then changes nothing.
        image /= np.where(length > 1e-12, length, 1.0)
        previous, current = current, image
    return diagonals, couplings[:-1]
