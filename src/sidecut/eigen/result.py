"""What an eigen-solver hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Status = Literal["converged", "maxiter", "stagnated", "incomplete"]

#: Residuals below this are rounding of a unit-norm operator; nothing smaller can be asked for.
ROUNDING = 4096 * np.finfo(np.float64).eps


@dataclass(frozen=True)
class EigenResult:
    """The lowest eigenpairs of a Laplacian and how far they can be trusted.

    Attributes
    ----------
    values : ndarray of shape (p,)
        Eigenvalues, ascending (Rayleigh quotients of ``vectors``).
    vectors : ndarray of shape (n, p)
        Orthonormal eigenvectors.
    residuals : ndarray of shape (p,)
        ``‖L v − λ v‖`` of each pair, measured in float64 on the result itself.
    status : {"converged", "maxiter", "stagnated", "incomplete"}
        Why the solver stopped. "incomplete": the pairs are right, but there was no time left to
        make sure that none is missing.
    iterations : int
        Outer iterations (block steps, filter rounds, LOBPCG steps).
    solver : str
        Name of the solver that ran; with ``solver="auto"`` the one it chose.
    tol : float
        The tolerance asked for: pair i counts as converged when
        ``residuals[i] <= tol * min(values[i], 0.1)``, or at rounding.
    advice : str
        Empty when converged; otherwise what to change.
    """

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residuals: NDArray[np.float64]
    status: Status
    iterations: int
    solver: str
    tol: float
    advice: str = ""

    @property
    def converged(self) -> bool:
        """Whether every pair met the tolerance."""
        return self.status == "converged"


def allowed(values: NDArray[np.float64], tol: float) -> NDArray[np.float64]:
    """Return the residual each pair may have: relative to its eigenvalue, not below rounding.

    An eigenvalue lies within ``‖r‖`` of each Ritz value, so ``‖r‖ <= tol·λ`` means a relative
    error of at most ``tol`` however small λ is. A plain ``‖r‖ <= tol`` would accept 1e-7 for an
    eigenvalue that is really 1e-12. Beyond λ = 0.1 the scale that matters is that of the gaps.

    Examples
    --------
    >>> import numpy as np
    >>> allowed(np.array([0.0, 1e-9, 0.01, 1.5]), 1e-3)
    array([9.09494702e-13, 1.00000000e-12, 1.00000000e-05, 1.00000000e-04])
    """
    return np.maximum(tol * np.minimum(np.abs(values), 0.1), ROUNDING)


def accepted(
    values: NDArray[np.float64], residuals: NDArray[np.float64], tol: float
) -> NDArray[np.bool_]:
    """Which pairs are right on the scale of their own eigenvalue."""
    return np.asarray(residuals <= allowed(values, tol))
