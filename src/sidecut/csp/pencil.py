"""The pencil `L̄ v = λ M v` as a symmetric-definite problem; a general solver is never called.

For λ ≠ 0 a solution is M-orthogonal to the null space Z of L̄: `Z' M v = 0`. So with `v = w + Z c`,
`w ⊥ Z`, the coefficients are `c = −(Z'MZ)^-1 Z'M w`, and on the complement of Z

    M_r w = θ L̄ w,    M_r = M − M Z (Z'MZ)^-1 Z' M,    θ = 1/λ,

where L̄ is positive definite. This is the dense solver; everything is real and stable.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from sidecut._validation import Float

# Below this share of the largest, a number is rounding.
ROUNDING = 1e-12


def positive_solutions(L: Float, M: Float, Z: Float) -> tuple[Float, Float]:
    """Return all λ > 0, ascending, and the unit vectors v of `L v = λ M v`.

    Parameters
    ----------
    L : array of shape (n, n)
        Symmetric and positive semi-definite.
    M : array of shape (n, n)
        Symmetric.
    Z : array of shape (n, c)
        Orthonormal basis of the null space of L.
    """
    omega, turn = linalg.eigh(Z.T @ M @ Z)
    size = np.abs(M).sum(axis=1).max()
    regular = np.abs(omega) > ROUNDING * size
    Z_regular, Z_singular = Z @ turn[:, regular], Z @ turn[:, ~regular]
    MZ = M @ Z_regular
    reduced = M - (MZ / omega[regular]) @ MZ.T

    # Where z'Mz = 0 the condition z'Mv = 0 asks that w ⊥ Mz, and leaves the coefficient of z open.
    blocked = _orthonormal(M @ Z_singular - Z @ (Z.T @ (M @ Z_singular)), ROUNDING * size)
    definite = L + Z @ Z.T
    if blocked.shape[1]:
        reduced = _project_out(blocked, reduced)
        definite = _project_out(blocked, definite) + blocked @ blocked.T

    theta, W = _leading_eigenpairs(reduced, definite)
    W -= Z @ (Z.T @ W)
    V = W - Z_regular @ ((MZ.T @ W) / omega[regular][:, None])
    if blocked.shape[1]:
        # The open coefficients are those that make the blocked rows of the equation hold.
        rest = theta * (L @ W) - M @ V
        V = V + Z_singular @ np.linalg.lstsq(M @ Z_singular, rest)[0]
    V /= np.linalg.norm(V, axis=0)
    return 1.0 / theta, V


def _leading_eigenpairs(A: Float, B: Float) -> tuple[Float, Float]:
    """Return the eigenpairs of `A w = θ B w` (B positive definite) with θ > 0, descending."""
    lower = linalg.cholesky(B, lower=True)
    # C = lower^-1 A lower^-T, of which LAPACK fills the lower triangle, all that eigh reads.
    (reduce,) = linalg.get_lapack_funcs(("sygst",), (A, lower))
    C, _ = reduce(A, lower, lower=1)
    C = np.tril(C)
    floor = ROUNDING * max(np.linalg.norm(C), np.finfo(float).tiny)
    # By value is quicker while few are wanted, much slower when most are; the trace tells apart.
    if np.trace(C) < 0:
        theta, X = linalg.eigh(C, subset_by_value=(floor, np.inf))
    else:
        theta, X = linalg.eigh(C)
        X, theta = X[:, theta > floor], theta[theta > floor]
    W = linalg.solve_triangular(lower, X, lower=True, trans="T")
    return theta[::-1], W[:, ::-1]


def _orthonormal(columns: Float, floor: float) -> Float:
    """Return an orthonormal basis of the span of the columns."""
    if columns.shape[1] == 0:
        return columns
    U, s, _ = linalg.svd(columns, full_matrices=False)
    basis: Float = U[:, s > floor]
    return basis


def _project_out(basis: Float, matrix: Float) -> Float:
    """Return `P matrix P` with `P = I − basis basis'`."""
    half = matrix - basis @ (basis.T @ matrix)
    result: Float = half - (half @ basis) @ basis.T
    return result
