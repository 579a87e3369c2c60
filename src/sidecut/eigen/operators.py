"""One face over the matrices a solver may be given: dense, sparse, or products only."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from scipy.sparse.linalg import LinearOperator

from sidecut.eigen.parallel import SparseRows

Array = NDArray[np.float64]


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


def product(laplacian: Any, dtype: DTypeLike = np.float64) -> Apply:
    """``X -> L @ X`` in one precision for any accepted kind of matrix.

    Examples
    --------
    >>> import numpy as np
    >>> product(2 * np.eye(3))(np.ones((3, 1))).ravel()
    array([2., 2., 2.])
    """
    if isinstance(laplacian, LinearOperator):

        def matmat(x: Array) -> Array:
            return np.asarray(laplacian.matmat(x), dtype=dtype)

        return matmat
    matrix = laplacian.astype(dtype, copy=False)
    if sp.issparse(matrix):
        matrix = SparseRows(matrix)

    def multiply(x: Array) -> Array:
        return np.asarray(matrix @ x, dtype=dtype)

    return multiply


def densify(laplacian: Any) -> Array:
    """Return the whole matrix as a float64 array."""
    if isinstance(laplacian, LinearOperator):
        return product(laplacian)(np.eye(laplacian.shape[0]))
    if sp.issparse(laplacian):
        return np.asarray(laplacian.toarray(), dtype=np.float64)
    return np.asarray(laplacian, dtype=np.float64)
