"""All solutions of the pencil by dense matrices; for graphs of up to a few thousand nodes."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from sidecut._validation import Float
from sidecut.csp.pencil import Pencil
from sidecut.csp.reduction import ROUNDING, reduce_pencil

# Eigenvalues of L̄ below this belong to its null space as far as float64 can tell.
NULL = 1e-13


def dense_solutions(pencil: Pencil) -> tuple[Float, Float]:
    """Return λ ≥ 0 and the unit vectors v of all feasible cuts, those of cost zero first."""
    L = pencil.laplacian.toarray()
    M = pencil.constraints.toarray()
    M *= pencil.scale
    M *= pencil.scale[:, None]
    M[np.diag_indices_from(M)] -= pencil.shift
    Z: Float = pencil.laplacian.null_space.toarray()
    try:
        multipliers, V = positive_solutions(L, M, Z)
    except linalg.LinAlgError:
        # Some components are joined only by edges too weak for float64: as good as not at all.
        values, vectors = linalg.eigh(L)
        Z = vectors[:, values <= NULL]
        multipliers, V = positive_solutions(L, M, Z)
    free = Z @ zero_cost_cuts(Z.T @ M @ Z, Z.T @ pencil.laplacian.trivial)
    return np.concatenate([np.zeros(free.shape[1]), multipliers]), np.hstack([free, V])


def zero_cost_cuts(B: Float, trivial: Float) -> Float:
    """Return the cuts between components whose satisfaction exceeds β, as unit vectors.

    All is written in the coordinates of the null space Z of L̄: `B = Z'MZ`, `trivial = Z'd0`. Edges
    ε d_i d_j between all nodes make L̄ on Z a multiple of I − d0 d0', so the cuts solve the same
    problem again.
    """
    d0 = trivial[:, None] / np.linalg.norm(trivial)
    return positive_solutions(np.eye(len(d0)) - d0 @ d0.T, B, d0)[1]


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
    reduction = reduce_pencil(lambda x: M @ x, Z, np.abs(M).sum(axis=1).max())
    reduced = M - (reduction.M_regular / reduction.omega) @ reduction.M_regular.T
    definite = L + Z @ Z.T
    if (blocked := reduction.blocked).shape[1]:
        reduced = reduction.free(reduction.free(reduced).T)
        definite = reduction.free(reduction.free(definite).T) + blocked @ blocked.T
    theta, W = _leading_eigenpairs(reduced, definite)
    W -= Z @ (Z.T @ W)
    return 1.0 / theta, reduction.lift(lambda x: L @ x, W, theta)


def _leading_eigenpairs(A: Float, B: Float) -> tuple[Float, Float]:
    """Return the eigenpairs of `A w = θ B w` (B positive definite) with θ > 0, descending.

    A and B are overwritten.
    """
    # Transposed, a symmetric matrix is itself, in the order that LAPACK takes without a copy.
    lower = linalg.cholesky(B.T, lower=True, overwrite_a=True, check_finite=False)
    # C = lower^-1 A lower^-T, of which LAPACK fills the lower triangle, all that eigh reads.
    (reduce,) = linalg.get_lapack_funcs(("sygst",), (A, lower))
    C, _ = reduce(A.T, lower, lower=1, overwrite_a=1)
    floor = ROUNDING * max(np.abs(np.diag(C)).max(), np.finfo(float).tiny)
    # By value is quicker while few are wanted, much slower when most are; the trace tells apart.
    if np.trace(C) < 0:
        few = (floor, np.inf)
        theta, X = linalg.eigh(C, subset_by_value=few, overwrite_a=True, check_finite=False)
    else:
        theta, X = linalg.eigh(C, overwrite_a=True, check_finite=False)
        X, theta = X[:, theta > floor], theta[theta > floor]
    W = linalg.solve_triangular(lower, X, lower=True, trans="T")
    return theta[::-1], W[:, ::-1]
