"""The lowest solutions of `A x = λ B x` for two positive semi-definite matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from sidecut._validation import Float
from sidecut.eigen.choose import DENSE_NODES
from sidecut.eigen.factor import factorize

#: Share of B that joins A in the regularised pencil.
MU = 1e-3


def lowest_pencil(A: Any, B: Any, p: int, *, minus: Float | None = None) -> tuple[Float, Float]:
    """Return the p lowest λ, ascending, and x of `A x = λ (B − b b') x`.

    A may be singular. Jiang, Xie and Bai regularise the pencil: with `H = B − b b'` and
    `M = A + μ H`, the largest θ of `H x = θ M x` belong to the smallest `λ = 1/θ − μ`, and M is
    positive definite. Where b is given, the constant vector is in the null space of A and of H; it
    is added to M (`s 1 1'`) and thereby left out.

    Parameters
    ----------
    A, B : arrays or sparse arrays of shape (n, n)
        Positive semi-definite, without a common null vector except the constant one where b is
        given. Sparse matrices are factored, nothing dense is formed.
    p : int
        Number of solutions, below n.
    minus : array of shape (n,), optional
        The vector b.

    References
    ----------
    C. Jiang, H. Xie and Z. Bai, Robust and efficient computation of eigenvectors in a generalized
    spectral method for constrained clustering, AISTATS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.baselines._pencil import lowest_pencil
    >>> lowest_pencil(np.diag([1.0, 6.0, 0.0]), np.diag([2.0, 3.0, 1.0]), 2)[0].round(6) + 0.0
    array([0. , 0.5])
    """
    n = A.shape[0]
    if n <= DENSE_NODES or not (sparse.issparse(A) and sparse.issparse(B)):
        theta, X = _dense(A, B, p, minus)
    else:
        theta, X = _sparse(A, B, p, minus)
    order = np.argsort(-theta, kind="stable")
    return 1.0 / theta[order] - MU, X[:, order]


def _dense(A: Any, B: Any, p: int, minus: Float | None) -> tuple[Float, Float]:
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    n = len(A)
    H = B if minus is None else B - np.outer(minus, minus)
    M = A + MU * H
    if minus is not None:
        M = M + np.trace(M) / n**2
    theta, X = linalg.eigh(H, M, subset_by_index=[n - p, n - 1])
    return theta, X


def _sparse(A: Any, B: Any, p: int, minus: Float | None) -> tuple[Float, Float]:
    n = A.shape[0]
    M = sparse.csr_array(A + MU * B)
    factor = factorize(M, shift=0.0)
    if minus is None:
        return _lanczos(B, M, factor.solve, n, p)
    # M + U S U' with U = [b, 1/√n]; Woodbury's identity takes the two through the inverse.
    U = np.column_stack([minus, np.full(n, 1.0 / np.sqrt(n))])
    S = np.diag([-MU, M.trace() / n])
    solved = factor.solve(U)
    core = np.linalg.inv(np.linalg.inv(S) + U.T @ solved)

    def times_h(x: Float) -> Float:
        x = x.ravel()
        result: Float = B @ x - minus * (minus @ x)
        return result

    def times_m(x: Float) -> Float:
        x = x.ravel()
        result: Float = M @ x + U @ (S @ (U.T @ x))
        return result

    def inverse(x: Float) -> Float:
        y = factor.solve(x.ravel())
        result: Float = y - solved @ (core @ (U.T @ y))
        return result

    return _lanczos(_operator(times_h, n), _operator(times_m, n), inverse, n, p)


def _lanczos(H: Any, M: Any, inverse: Any, n: int, p: int) -> tuple[Float, Float]:
    start = np.random.default_rng(0).standard_normal(n)
    theta, X = eigsh(H, p, M, Minv=_operator(inverse, n), which="LA", v0=start, tol=1e-9)
    return theta, X


def _operator(function: Any, n: int) -> LinearOperator:
    return LinearOperator((n, n), matvec=function, dtype=np.float64)
