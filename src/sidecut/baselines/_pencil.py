"""The lowest solutions of `A x = λ B x` for two positive semi-definite matrices."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, cg, eigsh
from sklearn.exceptions import ConvergenceWarning

from sidecut._validation import Float
from sidecut.eigen.choose import DENSE_NODES, choose
from sidecut.eigen.factor import factorize
from sidecut.eigen.operators import Apply

#: Share of B that joins A in the regularised pencil.
MU = 1e-3
#: Steps of conjugate gradients for one solve.
MAX_ITER = 5_000


def lowest_pencil(A: Any, B: Any, p: int, *, null: Float | None = None) -> tuple[Float, Float]:
    """Return the p lowest λ, ascending, and x of `A x = λ H x`, scaled to `x'Hx = 1`.

    H is B or, where a common null vector z is named, `B − b b'` with `b = Bz / sqrt(z'Bz)`, so that
    `H z = 0`. A may be singular. Jiang, Xie and Bai regularise the pencil: the largest θ of
    `H x = θ M x`, `M = A + μ H + s z z'`, belong to the smallest `λ = 1/θ − μ`; M is positive
    definite, and z itself is left out (θ = 0). What x has of z is free; it is chosen so that
    `z'Bx = 0`.

    Parameters
    ----------
    A, B : arrays or sparse arrays of shape (n, n)
        A is positive semi-definite, B positive definite. From sparse ones nothing dense is formed:
        they are factored or, where that would fill in, solved by conjugate gradients.
    p : int
        Number of solutions, below n.
    null : array of shape (n,), optional
        The vector z, with `A z = 0`.

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
    b, z = None, None
    if null is not None:
        b = B @ null / np.sqrt(null @ (B @ null))
        z = null / np.linalg.norm(null)
    if n <= DENSE_NODES or not (sparse.issparse(A) and sparse.issparse(B)):
        theta, X = _dense(A, B, p, b, z)
    else:
        theta, X = _sparse(A, B, p, b, z)
    order = np.argsort(-theta, kind="stable")
    theta, X = theta[order], X[:, order]
    if null is not None:
        X = X - np.outer(null, (B @ null) @ X) / (null @ (B @ null))
    return 1.0 / theta - MU, X / np.sqrt(theta)


def _dense(A: Any, B: Any, p: int, b: Float | None, z: Float | None) -> tuple[Float, Float]:
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    n = len(A)
    H = B if b is None else B - np.outer(b, b)
    M = A + MU * H
    if z is not None:
        M = M + np.outer(z, z) * np.trace(M) / n
    theta, X = linalg.eigh(H, M, subset_by_index=[n - p, n - 1])
    return theta, X


def _sparse(A: Any, B: Any, p: int, b: Float | None, z: Float | None) -> tuple[Float, Float]:
    n = A.shape[0]
    M = sparse.csr_array(A + MU * B)
    # H = B − b b' and M + U S U' with U = [b, z]; without a null vector both terms are empty.
    U = np.empty((n, 0)) if b is None or z is None else np.column_stack([b, z])
    S = np.array([-MU, M.trace() / n])[: U.shape[1]]

    def times_h(x: Float) -> Float:
        result: Float = B @ x - U[:, :1] @ (U[:, :1].T @ x)
        return result

    def times_m(x: Float) -> Float:
        result: Float = M @ x + U @ (S * (U.T @ x))
        return result

    start = np.random.default_rng(0).standard_normal(n)
    operators = [_operator(function, n) for function in (times_h, times_m)]
    # The factors of a graph of the plane stay sparse; others fill in, but are well conditioned.
    narrow = choose(M, p) == "shift_invert"
    inverse = _factored(M, U, S) if narrow else _iterated(operators[1], M.diagonal())
    theta, X = eigsh(
        operators[0], p, operators[1], Minv=_operator(inverse, n), which="LA", v0=start, tol=1e-9
    )
    return theta, X


def _factored(M: sparse.csr_array, U: Float, S: Float) -> Apply:
    """Return `x → (M + U S U')^-1 x` by a factorisation and Woodbury's identity."""
    factor = factorize(M, shift=0.0)
    solved = factor.solve(U) if U.shape[1] else U
    core = np.linalg.inv(np.diag(1.0 / S) + U.T @ solved)

    def inverse(x: Float) -> Float:
        y = factor.solve(x)
        result: Float = y - solved @ (core @ (U.T @ y))
        return result

    return inverse


def _iterated(operator: LinearOperator, diagonal: Float) -> Apply:
    """Return `x → operator^-1 x` by conjugate gradients, preconditioned by the diagonal."""
    jacobi = sparse.diags_array(1.0 / diagonal)

    def inverse(x: Float) -> Float:
        y, status = cg(operator, x, rtol=1e-10, maxiter=MAX_ITER, M=jacobi)
        if status:
            warnings.warn(
                f"conjugate gradients stopped after {MAX_ITER} steps: badly conditioned graph",
                ConvergenceWarning,
                stacklevel=2,
            )
        return np.asarray(y)

    return inverse


def _operator(function: Apply, n: int) -> LinearOperator:
    return LinearOperator((n, n), matvec=lambda x: function(x.ravel()), dtype=np.float64)
