"""Block Lanczos with thick restarts: the largest eigenpairs of a symmetric operator.

The operator is whatever a solver wants enlarged: the inverse of a shifted Laplacian
(`shift_invert`) or a polynomial of it (`lanczos`). Working on blocks finds multiple eigenvalues and
keeps the orthogonalisation in matrix-matrix products; ARPACK's, one vector at a time,
was the larger part of its run on every benchmark graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sidecut.eigen.operators import Apply, Array
from sidecut.eigen.orthogonal import coefficients, orthonormal, project_out, random_block, subtract

# Largest inner product tolerated between a new vector and the basis. Usually one pass of
# orthogonalisation stays below, and measuring is half the cost of a second. Measuring only now
# and then, or orthogonalising only against recent blocks, lost the basis on graphs with tiny
# eigenvalues.
_OVERLAP = 1e-13


@dataclass(frozen=True)
class KrylovSpace:
    """A snapshot: the largest Ritz pairs of the operator, vectors formed only on request."""

    steps: int
    values: Array
    estimates: Array
    basis: Array
    rotation: Array

    def vectors(self, count: int) -> Array:
        """Return the Ritz vectors of the ``count`` largest Ritz values."""
        return np.asarray(self.basis @ self.rotation[:, :count])


def expand(
    apply: Apply,
    start: Array,
    keep: int,
    capacity: int,
    rng: np.random.Generator,
    deflate: Array | None = None,
) -> Iterator[KrylovSpace]:
    """Grow a block Krylov space, yielding after every block; restart at ``capacity`` columns.

    Parameters
    ----------
    apply : callable
        The symmetric operator, a block at a time.
    start : ndarray of shape (n, b)
        Orthonormal start block, orthogonal to ``deflate``.
    keep : int
        Ritz vectors carried over a restart.
    capacity : int
        Most columns ever stored.
    rng : Generator
        Fresh directions when the space has become invariant.
    deflate : ndarray of shape (n, c), optional
        Orthonormal vectors to stay orthogonal to.

    Yields
    ------
    KrylovSpace
        Ritz values descending; ``estimates`` are the norms ``‖op y − θ y‖``.
    """
    n, width = start.shape
    limit = n - (0 if deflate is None else deflate.shape[1])
    capacity = min(capacity, limit)
    basis = np.empty((n, capacity), order="F")
    small = np.zeros((capacity, capacity))
    basis[:, :width] = start
    size, block, steps = width, slice(0, width), 0
    while True:
        steps += 1
        image = project_out(apply(basis[:, block]), deflate)
        known = basis[:, :size]
        fresh, tail, couplings = _orthogonalized(image, known, deflate)
        small[:size, block] = couplings
        small[block, :size] = couplings.T
        values, rotation = np.linalg.eigh(small[:size, :size])
        values, rotation = values[::-1], rotation[:, ::-1]
        estimates = np.linalg.norm(tail @ rotation[block], axis=0)
        yield KrylovSpace(steps, values, estimates, known, rotation)
        if size >= limit:
            return
        if fresh.shape[1] == 0:
            # An invariant subspace: nothing more grows from this block, yet a multiple eigenvalue
            # may have further copies outside. They are coupled to nothing kept, so T stays exact.
            fresh = random_block(n, min(width, limit - size), rng, deflate, known)
            if fresh.shape[1] == 0:
                return
        if size + fresh.shape[1] > capacity and capacity < limit:
            size = min(keep, size)
            basis[:, :size] = known @ rotation[:, :size]
            small[:] = 0
            small[:size, :size] = np.diag(values[:size])
        fresh = fresh[:, : capacity - size]
        block = slice(size, size + fresh.shape[1])
        basis[:, block] = fresh
        size = block.stop


def _orthogonalized(
    image: Array, known: Array, deflate: Array | None
) -> tuple[Array, Array, Array]:
    """``image = known @ couplings + fresh @ tail`` with ``[known, fresh]`` orthonormal."""
    length = float(np.linalg.norm(image, axis=0).max(initial=0.0))
    couplings = coefficients(known, image)
    subtract(image, known, couplings)
    fresh, tail = orthonormal(image)
    for _ in range(3):
        overlap = coefficients(known, fresh)
        if np.abs(overlap).max(initial=0.0) <= _OVERLAP:
            break
        subtract(fresh, known, overlap)
        couplings += overlap @ tail
        fresh, change = orthonormal(project_out(fresh, deflate))
        tail = change @ tail
    if np.linalg.norm(tail) <= 1e-14 * length:
        return fresh[:, :0], tail[:0], couplings
    return fresh, tail, couplings
