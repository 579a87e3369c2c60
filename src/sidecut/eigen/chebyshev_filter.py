"""A Chebyshev polynomial of L that damps the upper spectrum and magnifies the lower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from sidecut.eigen.operators import Array
from sidecut.eigen.parallel import SparseRows

#: Eigenvalues of a normalised Laplacian never exceed this.
TOP = 2.0


@dataclass(frozen=True)
class ChebyshevFilter:
    """``T_d(S) / T_d(S at L = 0)`` with ``S = (2L − top − cut)/(top − cut)``.

    At most one in size on ``[cut, top]`` before the division, growing like ``cosh`` below ``cut``.
    It grows above ``top`` too; with an odd degree it is negative there, so that an eigenvalue that
    was overlooked never passes for a low one.

    Parameters
    ----------
    doubled : SparseRows, ndarray or LinearOperator
        ``2S``; see `chebyshev_filter`.
    degree : int
        Products per application.
    cut : float
        Lower end of what is damped.
    top : float
        Upper end of what is damped.

    Examples
    --------
    >>> import numpy as np
    >>> low_pass = chebyshev_filter(np.diag([0.0, 0.01, 0.5, 2.0]), 20, 0.5)
    >>> np.round(np.abs(low_pass(np.ones((4, 1)))).ravel(), 3)
    array([1.   , 0.818, 0.   , 0.   ])
    """

    doubled: Any
    degree: int
    cut: float
    top: float = TOP

    def __call__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Apply the filter to a block of columns, in the block's own precision."""
        previous = np.array(x, order="C")
        current = self.doubled @ previous
        current *= 0.5
        for _ in range(self.degree - 1):
            previous, current = current, self._product_less(current, previous)
        current *= (-1.0) ** self.degree / self.unit
        return np.asarray(current)

    def _product_less(self, x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
        """``2S x − y``; y may be overwritten."""
        if isinstance(self.doubled, SparseRows):
            return self.doubled.product_less(x, y)
        image = self.doubled @ x
        image -= y
        return np.asarray(image)

    @property
    def unit(self) -> float:
        """Size of the bare polynomial at L = 0."""
        return float(np.cosh(self.degree * growth(0.0, self.cut, self.top)))

    def back(self, theta: Array) -> tuple[Array, Array]:
        """Eigenvalues of L, and their slope ``|dλ/dθ|``, from eigenvalues of the filter.

        Examples
        --------
        >>> import numpy as np
        >>> low_pass = chebyshev_filter(np.array([[0.01]]), 20, 0.5)
        >>> np.round(low_pass.back(low_pass(np.ones((1, 1)))[0])[0], 6)
        array([0.01])
        """
        half = (self.top - self.cut) / 2
        rate = np.arccosh(np.maximum(theta * self.unit, 1.0)) / self.degree
        value = self.cut - half * (np.cosh(rate) - 1)
        rate = np.maximum(rate, 1e-8)  # sinh(d·rate)/sinh(rate) tends to d at the cut
        steep = np.sinh(self.degree * rate) / np.sinh(rate)
        return value, half * self.unit / (self.degree * steep)


def chebyshev_filter(laplacian: Any, degree: int, cut: float, top: float = TOP) -> ChebyshevFilter:
    """Build the filter; folding scale and shift into the matrix leaves one pass per product."""
    scale, shift = 4 / (top - cut), -2 * (top + cut) / (top - cut)
    if isinstance(laplacian, LinearOperator):
        n = laplacian.shape[0]
        doubled = scale * laplacian + shift * _identity(n)
    elif sp.issparse(laplacian):
        identity = sp.eye_array(laplacian.shape[0], format="csr", dtype=laplacian.dtype)
        doubled = SparseRows(sp.csr_array(scale * laplacian + shift * identity))
    else:
        doubled = scale * laplacian + shift * np.eye(laplacian.shape[0], dtype=laplacian.dtype)
    return ChebyshevFilter(doubled, degree, cut, top)


def _identity(n: int) -> LinearOperator:
    return LinearOperator((n, n), matvec=lambda x: x, matmat=lambda x: x, dtype=np.float64)


def growth(value: float, cut: float, top: float = TOP) -> float:
    """Rate at which the filter magnifies an eigenvalue: gain ≈ exp(degree·rate)."""
    return float(np.arccosh(1 + max(2 * (cut - value) / (top - cut), 0.0)))
