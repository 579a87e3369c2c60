"""Orthonormal bases of tall, thin blocks, by products and small dense algebra only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from sidecut.eigen.operators import Apply, Array
from sidecut.eigen.parallel import on_all_cores, row_ranges

# Squared: a direction 3e-7 as long as its block is lost in the rounding of the Gram matrix.
_DEPENDENT = 1e-13
# Ratio of the Gram matrix's eigenvalues up to which one pass leaves orthogonality at rounding.
_EVEN = 10.0
# Rows per panel: 2048 rows of 100 columns are 1.6 MB, about one core's cache.
_PANEL = 2048


def project_out(x: Array, basis: Array | None) -> Array:
    """``x`` minus its part in the span of an orthonormal ``basis``."""
    if basis is None or basis.shape[1] == 0:
        return x
    x = np.array(x, order="C")
    subtract(x, basis, coefficients(basis, x))
    return x


def coefficients(basis: Array, x: Array) -> Array:
    """``basis.T @ x``, in row panels that stay in cache.

    OpenBLAS copies a tall operand to pack it; on panels the same product is twice as fast.
    """
    shape = (basis.shape[1], x.shape[1])
    return _summed(lambda rows: basis[rows].T @ x[rows], shape, x.shape[0])


def subtract(x: Array, basis: Array, coefficients: Array) -> None:
    """``x -= basis @ coefficients`` in place, in row panels."""
    coefficients = coefficients.astype(basis.dtype, copy=False)

    def share(piece: slice) -> None:
        for rows in _panels(piece):
            x[rows] -= basis[rows] @ coefficients

    on_all_cores(share, row_ranges(x.shape[0]))


def combine(basis: Array, coefficients: Array) -> Array:
    """``basis @ coefficients`` in the precision of the basis, in row panels."""
    coefficients = coefficients.astype(basis.dtype, copy=False)
    result = np.empty((basis.shape[0], coefficients.shape[1]), basis.dtype)

    def share(piece: slice) -> None:
        for rows in _panels(piece):
            np.matmul(basis[rows], coefficients, out=result[rows])

    on_all_cores(share, row_ranges(basis.shape[0]))
    return result


def lengths(x: Array) -> Array:
    """Return the norms of the columns."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", x, x)))


def _summed(part: Callable[[slice], Array], shape: tuple[int, int], n: int) -> Array:
    """Return the sum, in float64, of what ``part`` gives for each panel of n rows."""

    def share(piece: slice) -> Array:
        total = np.zeros(shape)
        for rows in _panels(piece):
            total += part(rows)
        return total

    return np.asarray(sum(on_all_cores(share, row_ranges(n))))


def _panels(piece: slice) -> Iterator[slice]:
    for first in range(piece.start, piece.stop, _PANEL):
        yield slice(first, min(first + _PANEL, piece.stop))


def orthonormal(x: Array) -> tuple[Array, Array]:
    """Orthonormal columns and coefficients with ``x = q @ r``, dropping dependent columns.

    The Gram matrix is diagonalised instead of factored, so a rank-deficient block gives fewer
    columns rather than a failure; passes repeat until the last found nothing to correct. A pass
    costs two products and there is no tall QR, which took twenty times longer at 100 000 × 60.

    Examples
    --------
    >>> import numpy as np
    >>> q, r = orthonormal(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]))
    >>> q.shape, bool(np.allclose(q @ r, 1.0 * np.array([[1, 1], [1, 1], [0, 0]])))
    ((3, 1), True)
    """
    q, r, spread = _gram_pass(x)
    while spread > _EVEN:
        q, change, spread = _gram_pass(q)
        r = change @ r
    return q, r


def _gram_pass(x: Array) -> tuple[Array, Array, float]:
    gram = _gram(x)
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = 1.0
    weights, directions = np.linalg.eigh(gram / scale[:, None] / scale)
    keep = weights > _DEPENDENT * max(weights[-1], 1e-300) if weights.size else weights > 0
    if not keep.any():
        return np.empty((x.shape[0], 0)), np.empty((0, x.shape[1])), 0.0
    root, directions = np.sqrt(weights[keep]), directions[:, keep]
    q = combine(x, directions / scale[:, None] / root)
    return q, (directions * root).T * scale, float(weights[-1] / weights[keep][0])


def _gram(x: Array) -> Array:
    """``x.T @ x``; in float64 always, or the short directions of a block would be lost."""

    def square(rows: slice) -> Array:
        panel = x[rows].astype(np.float64, copy=False)
        return np.asarray(panel.T @ panel)

    return _summed(square, (x.shape[1], x.shape[1]), x.shape[0])


def random_block(n: int, columns: int, rng: np.random.Generator, *against: Array | None) -> Array:
    """Random orthonormal columns in the complement of the given bases."""
    x = rng.standard_normal((n, columns))
    for _ in range(2):
        for basis in against:
            x = project_out(x, basis)
        x = orthonormal(x)[0]
    return x


@dataclass(frozen=True)
class Ritz:
    """Ritz pairs of L, ascending, with their residual norms measured on these very vectors."""

    values: Array
    vectors: Array
    residuals: Array

    @classmethod
    def none(cls, n: int) -> Ritz:
        """No pairs yet."""
        return cls(np.empty(0), np.empty((n, 0)), np.empty(0))

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Ritz:
        """Return the chosen pairs; without a copy where those are all."""
        everything = np.arange(self.values.size)
        if np.array_equal(everything[chosen], everything):
            return self
        return Ritz(self.values[chosen], self.vectors[:, chosen], self.residuals[chosen])


def rayleigh_ritz(multiply: Apply, basis: Array, p: int) -> Ritz:
    """Return the p lowest Ritz pairs of L in the span of independent, nearly orthonormal columns.

    Examples
    --------
    >>> import numpy as np
    >>> rayleigh_ritz(lambda x: np.diag([3.0, 1.0]) @ x, np.eye(2), 1).values
    array([1.])
    """
    image = multiply(basis)
    small = coefficients(basis, image)
    values, rotation = linalg.eigh((small + small.T) / 2, coefficients(basis, basis))
    values, rotation = values[:p], rotation[:, :p]
    vectors = np.empty((basis.shape[0], values.size))

    def share(piece: slice) -> Array:
        squares = np.zeros(values.size)
        for rows in _panels(piece):
            vectors[rows] = basis[rows] @ rotation
            residual = image[rows] @ rotation - vectors[rows] * values
            squares += np.einsum("ij,ij->j", residual, residual)
        return squares

    squares = sum(on_all_cores(share, row_ranges(basis.shape[0])))
    return Ritz(values, vectors, np.sqrt(squares))
