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
from sidecut.eigen.orthogonal import (
    coefficients,
    combine,
    lengths,
    orthonormal,
    project_out,
    random_block,
    subtract,
)

# A new block may be so much shorter than what was orthogonalised before one pass is not enough:
# rounding then leaves inner products of this times the precision with the basis.
_SHRINK = 100.0


@dataclass(frozen=True)
class KrylovSpace:
    """A snapshot: the largest Ritz pairs of the operator, vectors formed only on request.

    ``op basis = basis T + fresh tail`` at the last block; ``rotation`` diagonalises T.
    """

    steps: int
    values: Array
    basis: Array
    rotation: Array
    fresh: Array
    tail: Array

    @property
    def estimates(self) -> Array:
        """Norms ``‖op y − θ y‖`` of the Ritz pairs."""
        return np.asarray(np.linalg.norm(self.tail, axis=0))

    def vectors(self, count: int) -> Array:
        """Return ``op y / θ`` for the Ritz vectors y of the ``count`` largest Ritz values.

        One more application of the operator, and free: ``op y = θ y + fresh tail``. It takes out
        the rough part of the error, which makes the residual of L a hundred times that of op.
        """
        vectors = combine(self.basis, self.rotation[:, :count])
        subtract(vectors, self.fresh, -self.tail[:, :count] / self.values[:count])
        return vectors.astype(np.float64, copy=False)


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
        Orthonormal start block, orthogonal to ``deflate``. Its precision is that of the space.
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
    known = 0 if deflate is None else deflate.shape[1]
    limit = n - known
    capacity = min(capacity, limit)
    # The deflated vectors stand in front, so that one product orthogonalises against everything.
    stored = np.empty((n, known + capacity), start.dtype, order="F")
    if deflate is not None:
        stored[:, :known] = deflate
        deflate = stored[:, :known]
    basis = stored[:, known:]
    small = np.zeros((capacity, capacity))
    basis[:, :width] = start
    # ``coupled`` is where T couples to the current block begin: the block before it, or, after a
    # restart, everything kept.
    size, block, coupled, steps = width, slice(0, width), 0, 0
    while True:
        steps += 1
        image = project_out(apply(basis[:, block]), deflate)
        fresh, tail, couplings = _orthogonalized(image, stored[:, : known + size], known + coupled)
        couplings = couplings[known:]
        small[:size, block] = couplings
        small[block, :size] = couplings.T
        values, rotation = np.linalg.eigh(small[:size, :size])
        values, rotation = values[::-1], rotation[:, ::-1]
        yield KrylovSpace(steps, values, basis[:, :size], rotation, fresh, tail @ rotation[block])
        if size >= limit:
            return
        if fresh.shape[1] == 0:
            # An invariant subspace: nothing more grows from this block, yet a multiple eigenvalue
            # may have further copies outside. They are coupled to nothing kept, so T stays exact.
            fresh = random_block(n, min(width, limit - size), rng, stored[:, : known + size])
            if fresh.shape[1] == 0:
                return
        coupled = block.start
        if size + fresh.shape[1] > capacity and capacity < limit:
            kept = min(keep, size)
            basis[:, :kept] = combine(basis[:, :size], rotation[:, :kept])
            small[:] = 0
            small[:kept, :kept] = np.diag(values[:kept])
            size, coupled = kept, 0
        fresh = fresh[:, : capacity - size]
        block = slice(size, size + fresh.shape[1])
        basis[:, block] = fresh
        size = block.stop


def _orthogonalized(image: Array, known: Array, recent: int) -> tuple[Array, Array, Array]:
    """``image = known @ couplings + fresh @ tail`` with ``[known, fresh]`` orthonormal.

    All but rounding lies in the columns from ``recent`` on. Taking that out first leaves so
    little that a single pass over all columns is as good as two.
    """
    length = float(lengths(image).max(initial=0.0))
    local = coefficients(known[:, recent:], image)
    subtract(image, known[:, recent:], local)
    rest = float(lengths(image).max(initial=0.0))
    couplings = coefficients(known, image)
    subtract(image, known, couplings)
    couplings[recent:] += local
    fresh, tail = orthonormal(image)
    if np.linalg.norm(tail) <= 50 * np.finfo(known.dtype).eps * length:
        return fresh[:, :0], tail[:0], couplings
    for _ in range(3):
        shortest = np.linalg.svd(tail, compute_uv=False).min(initial=rest)
        if rest <= _SHRINK * shortest:
            break
        overlap = coefficients(known, fresh)
        subtract(fresh, known, overlap)
        couplings += overlap @ tail
        fresh, change = orthonormal(fresh)
        tail = change @ tail
        rest = shortest
    return fresh, tail, couplings
