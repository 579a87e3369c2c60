"""One face over the matrices a solver may be given: dense, sparse, or products only."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import LinearOperator

Array = NDArray[np.float64]

# Below this the vectors fit in cache and reordering costs more than it saves.
_REORDER_FROM = 20_000
# Nodes shuffled among each other: 32 kB per vector, so a block of them stays in cache.
_STRETCH = 4_000


class Apply(Protocol):
    """A block of vectors in, the operator times that block out."""

    def __call__(self, x: Array, /) -> Array:
        """Return the operator times x."""


def validate(laplacian: Any) -> Any:
    """Check a Laplacian and put it in the form the solvers use.

    Returns
    -------
    ndarray, csr_array or LinearOperator
        Float64, except that float32 input stays float32: it is how a caller asks
        for single-precision products.
    """
    shape = getattr(laplacian, "shape", None)
    if shape is None or len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        raise ValueError(f"laplacian must be a square matrix with at least one row, got {shape}")
    if isinstance(laplacian, LinearOperator):
        return laplacian
    single = laplacian.dtype == np.float32
    dtype = np.float32 if single else np.float64
    if sp.issparse(laplacian):
        matrix = sp.csr_array(laplacian).astype(dtype, copy=False)
        entries = matrix.data
    else:
        matrix = entries = np.asarray(laplacian, dtype=dtype)
    if not np.isfinite(entries).all():
        raise ValueError("laplacian contains NaN or infinite entries; expected finite values")
    return matrix


def product(laplacian: Any) -> Apply:
    """``X -> L @ X`` in float64 for any accepted kind of matrix.

    Examples
    --------
    >>> import numpy as np
    >>> product(2 * np.eye(3))(np.ones((3, 1))).ravel()
    array([2., 2., 2.])
    """
    if isinstance(laplacian, LinearOperator):

        def matmat(x: Array) -> Array:
            return np.asarray(laplacian.matmat(x), dtype=np.float64)

        return matmat
    matrix = laplacian.astype(np.float64, copy=False)

    def multiply(x: Array) -> Array:
        # SciPy's block product is several times faster on row-major blocks.
        return np.asarray(matrix @ np.ascontiguousarray(x), dtype=np.float64)

    return multiply


def densify(laplacian: Any) -> Array:
    """Return the whole matrix as a float64 array."""
    if isinstance(laplacian, LinearOperator):
        return product(laplacian)(np.eye(laplacian.shape[0]))
    if sp.issparse(laplacian):
        return np.asarray(laplacian.toarray(), dtype=np.float64)
    return np.asarray(laplacian, dtype=np.float64)


def memory_order(
    laplacian: Any, rng: np.random.Generator, *, factored: bool
) -> NDArray[np.intp] | None:
    """Return a node order that keeps neighbours close in memory; None where nothing is gained.

    Products with a block of vectors are limited by cache misses. Reverse Cuthill–McKee made them
    ten times faster on a 1 000 000-node k-NN graph in random order, and itself took as long as
    one such product. Graphs that come in a good order already, such as image grids, keep it.

    Parameters
    ----------
    laplacian : sparse array or other
        Only a sparse matrix is ever reordered.
    rng : Generator
        For the shuffle.
    factored : bool
        Whether a minimum-degree ordering will follow. Its ties go to the lowest number,
        which on a banded numbering makes it sweep along the band and fill in more (70 entries
        a row for 60 at 1 000 000 nodes); shuffling within stretches that fit in cache cures that.
    """
    if not sp.issparse(laplacian) or laplacian.shape[0] < _REORDER_FROM:
        return None
    n = laplacian.shape[0]
    sample = np.linspace(0, n - 1, 1000).astype(np.intp)
    some = laplacian[sample].tocoo()
    if np.abs(sample[some.row] - some.col).mean() < n / 20:
        return None
    order = np.asarray(reverse_cuthill_mckee(laplacian, symmetric_mode=True), dtype=np.intp)
    if factored:
        order = order[np.argsort(np.arange(n) // _STRETCH + rng.random(n) * 0.999)]
    return order


def permuted(laplacian: Any, order: NDArray[np.intp]) -> Any:
    """``L[order][:, order]`` with sorted rows."""
    if not sp.issparse(laplacian):
        return laplacian[np.ix_(order, order)]
    matrix = laplacian[order][:, order].tocsr()
    matrix.sort_indices()
    return matrix
