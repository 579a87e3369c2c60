"""A quick look at a spectrum, before choosing how to compute its low end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike
from scipy.linalg import eigh_tridiagonal

from sidecut.eigen.operators import Apply, Array
from sidecut.eigen.orthogonal import lengths, project_out

_PROBES, _STEPS = 4, 20


@dataclass(frozen=True)
class Outline:
    """Roughly where the eigenvalues of L lie.

    Attributes
    ----------
    values, below : ndarray of shape (m,)
        Ascending values, and how many eigenvalues lie below each.
    top : float
        About the largest eigenvalue; seldom below it, and then by little.
    """

    values: Array
    below: Array
    top: float

    def at(self, counts: Array) -> Array:
        """Return values below which there are about so many eigenvalues."""
        return np.asarray(np.interp(counts, self.below, self.values))


def outline(
    multiply: Apply,
    n: int,
    rng: np.random.Generator,
    deflate: Array | None = None,
    dtype: DTypeLike = np.float64,
) -> Outline:
    """Estimate how many eigenvalues L has below any value, and its largest.

    A short Lanczos run from a random vector is a Gauss quadrature of the spectral density: the
    weight of each Ritz value estimates its share of the n eigenvalues. Below the first Ritz
    value the count is taken as proportional to the eigenvalue, which is Weyl's law in two
    dimensions, too low in more and too high on a curve. An eigenvalue lies within its residual of
    the largest Ritz value.

    Parameters
    ----------
    multiply : callable
        ``X -> L @ X``, spectrum in [0, 2].
    n : int
        Rows of L.
    rng : Generator
        Draws the probes.
    deflate : ndarray of shape (n, c), optional
        Eigenvectors not to be counted.
    dtype : dtype, default=float64
        Precision of what is multiplied; float32 is enough.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.linspace(0, 1.5, 1001)[:, None]
    >>> found = outline(lambda x: values * x, 1001, np.random.default_rng(0))
    >>> bool(abs(found.at(np.array([250.0]))[0] - 0.375) < 0.1), bool(1.49 < found.top < 1.55)
    (True, True)
    """
    diagonals, couplings = _lanczos(multiply, n, rng, deflate, dtype)
    nodes, weights, tops = [], [], []
    for diagonal, coupling in zip(diagonals.T, couplings.T, strict=True):
        values, vectors = eigh_tridiagonal(diagonal, coupling[:-1])
        nodes.append(values)
        weights.append(vectors[0] ** 2)
        tops.append(values[-1] + coupling[-1] * abs(vectors[-1, -1]))
    ritz, weight = np.concatenate(nodes), np.concatenate(weights) / _PROBES
    order = np.argsort(ritz)
    ritz, weight = np.maximum(ritz[order], 0.0), weight[order]
    # A Ritz value stands for eigenvalues on both sides of it: count half of its own weight.
    below = n * (np.cumsum(weight) - weight / 2)
    return Outline(np.append(0.0, ritz), np.append(0.0, below), float(max(tops)))


def _lanczos(
    multiply: Apply,
    n: int,
    rng: np.random.Generator,
    deflate: Array | None,
    dtype: DTypeLike,
) -> tuple[Array, Array]:
    """Tridiagonal coefficients of independent runs, a column each; the last coupling leads out.

    Nothing is reorthogonalised: what that would repair, late copies of converged Ritz values,
    does not change the quadrature.
    """
    current = project_out(rng.standard_normal((n, _PROBES)), deflate).astype(dtype)
    current /= lengths(current)
    previous = np.zeros_like(current)
    length = np.zeros(_PROBES, dtype)
    steps = min(_STEPS, n)
    diagonals, couplings = np.zeros((steps, _PROBES)), np.zeros((steps, _PROBES))
    for step in range(steps):
        image = multiply(current)
        image -= np.multiply(previous, length, out=previous)
        diagonal = np.einsum("ij,ij->j", image, current)
        image -= np.multiply(current, diagonal, out=previous)
        length = lengths(image)
        diagonals[step], couplings[step] = diagonal, length
        # An exhausted run keeps its zero coupling; dividing by one then changes nothing.
        image /= np.where(length > 1e-12, length, 1.0).astype(dtype)
        previous, current = current, image
    return diagonals, couplings
