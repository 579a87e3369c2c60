"""The leading solutions of the pencil on a large sparse graph; nothing dense is formed.

`M_r w = θ L̄ w` (see `sidecut.csp.reduction`) is solved for the largest θ in one of two ways:

- β > 0: `dinkelbach`. `θ ← w'M_r w / w'L̄w` with w the top eigenvector of `M_r − θ L̄` grows to the
  largest θ, superlinearly and without a factorisation; further pairs are found L̄-orthogonal to the
  first ones. (Inverting L̄ would be of no use here: M_r is negative on all but a few directions, and
  `L̄⁺M_r` has eigenvalues down to −β/λ₂, next to which the wanted ones are a point.)
- β ≤ 0: `inverse_lanczos`, Lanczos in the L̄ inner product with one factorisation of L̄. M_r is then
  positive on all but a few directions, and the largest θ are well apart.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from sidecut._progress import Callback
from sidecut._validation import Float
from sidecut.csp.dense import zero_cost_cuts
from sidecut.csp.pencil import Pencil
from sidecut.csp.reduction import Apply, Reduction, reduce_pencil
from sidecut.eigen.factor import factorize
from sidecut.laplacian import Laplacian

# The eigenvectors of Dinkelbach's iteration are computed to this relative residual at the end, and
# before only as well as the last step has earned, since θ converges quadratically.
PRECISION = 1e-11
MAX_STEPS = 50


def sparse_solutions(
    pencil: Pencil, n_wanted: int, callback: Callback | None = None
) -> tuple[Float, Float]:
    """Return λ ≥ 0 and the unit vectors v of the `n_wanted` leading cuts, those of cost zero first.

    Leading means of smallest λ; there may be fewer.
    """
    laplacian = pencil.laplacian
    # A component without constraints takes no part in the reduction: there M is a multiple of I.
    touched = np.unique(laplacian.component[pencil.constraints.nodes])
    Z: Float = laplacian.null_space[:, touched].toarray()
    B = -pencil.shift * np.eye(laplacian.n_components)
    B[np.ix_(touched, touched)] += Z.T @ pencil.apply_q(Z)
    free = laplacian.null_space @ zero_cost_cuts(B, laplacian.null_space.T @ laplacian.trivial)
    n_wanted -= min(free.shape[1], n_wanted)

    if n_wanted == 0:
        theta, V = np.empty(0), np.empty((laplacian.n_samples, 0))
    else:
        size = float(np.linalg.norm(pencil.apply_m(Z), axis=0).max()) + abs(pencil.shift)
        reduction = reduce_pencil(pencil.apply_m, Z, size)
        if pencil.shift > 0 or not sparse.issparse(laplacian.matrix):
            theta, W = dinkelbach(reduction, pencil, n_wanted, callback)
        else:
            theta, W = inverse_lanczos(reduction, pencil, n_wanted)
        V = reduction.lift(pencil.apply_l, W, theta)
    return np.concatenate([np.zeros(free.shape[1]), 1.0 / theta]), np.hstack([free, V])


def inverse_lanczos(reduction: Reduction, pencil: Pencil, n_pairs: int) -> tuple[Float, Float]:
    """Return up to `n_pairs` of the largest positive θ, descending, and their w."""
    n = pencil.laplacian.n_samples
    Z = pencil.laplacian.null_space
    solve = _blocked_inverse(reduction, _pseudo_inverse(pencil.laplacian))

    # The inner product of L̄ does not see the null space, and what it does not see grows from
    # rounding without limit. Adding the null space to it makes that an eigenvector with θ = 0.
    def null_part(x: Float) -> Float:
        result: Float = Z @ (Z.T @ x)
        return result

    def projected(x: Float) -> Float:
        y = reduction.apply(x - null_part(x))
        return y - null_part(y)

    theta, W = eigsh(
        _operator(projected, n),
        k=n_pairs,
        M=_operator(lambda x: pencil.apply_l(x) + null_part(x), n),
        Minv=_operator(lambda x: solve(x) + null_part(x), n),
        which="LA",
        v0=solve(np.random.default_rng(0).standard_normal(n)),
        ncv=min(n, max(2 * n_pairs + 10, 30)),
    )
    order = np.argsort(-theta)
    order = order[theta[order] > 0]
    return theta[order], W[:, order]


def dinkelbach(
    reduction: Reduction, pencil: Pencil, n_pairs: int, callback: Callback | None = None
) -> tuple[Float, Float]:
    """Return up to `n_pairs` of the largest positive θ, descending, and their w."""
    n = pencil.laplacian.n_samples
    rng = np.random.default_rng(0)
    thetas: list[float] = []
    W = np.empty((n, 0))
    for _ in range(n_pairs):
        # Orthogonal to the images L̄w of the pairs found means L̄-orthogonal to the pairs.
        images = np.linalg.qr(np.hstack([reduction.blocked, pencil.apply_l(W)]))[0]
        theta, w = _largest(reduction, pencil, images, rng.standard_normal(n), callback)
        if theta <= 0.0:
            break
        thetas.append(theta)
        W = np.column_stack([W, w])
    return np.array(thetas), W


def _largest(
    reduction: Reduction, pencil: Pencil, images: Float, w: Float, callback: Callback | None
) -> tuple[float, Float]:
    """Maximise `w'M_r w / w'L̄w` orthogonal to the null space and to `images`."""
    Z = pencil.laplacian.null_space

    def outside(x: Float) -> Float:
        """Return the part of x that is to be projected out."""
        result: Float = Z @ (Z.T @ x) + images @ (images.T @ x)
        return result

    theta, tolerance = 0.0, 1e-3
    for iteration in range(MAX_STEPS):

        def apply(x: Float, theta: float = theta) -> Float:
            out = outside(x)
            y = x - out
            y = reduction.apply(y) - theta * pencil.apply_l(y)
            # The top eigenvalue converges to 0. Adding β/vol gives ARPACK, whose tolerance is
            # relative, a size to measure by; what is projected out is sent far below.
            return y - outside(y) + pencil.shift * (x - out) - 4.0 * (1.0 + theta) * out

        _, top = eigsh(_operator(apply, len(w)), k=1, which="LA", v0=w, ncv=40, tol=tolerance)
        w = top[:, 0] - outside(top[:, 0])
        w /= np.linalg.norm(w)
        grown = float(w @ reduction.apply(w)) / float(w @ pencil.apply_l(w))
        step = (grown - theta) / max(abs(grown), np.finfo(float).tiny)
        theta = max(grown, theta)
        if callback is not None:
            callback("constrained cut", iteration, step)
        if step <= PRECISION and tolerance <= PRECISION:
            break
        tolerance = float(np.clip(step**2, PRECISION, tolerance))
    return theta, w


def _operator(apply: Apply, n: int) -> LinearOperator:
    return LinearOperator((n, n), matvec=lambda x: apply(x.ravel()), dtype=np.float64)


def _pseudo_inverse(laplacian: Laplacian) -> Apply:
    """Return `x ↦ L̄⁺ x`.

    Without one node of each component L̄ is positive definite and factored as it is; a shift ε would
    bias the small eigenvalues. What the missing nodes leave open is a null vector, projected out.
    """
    grounded = np.unique(laplacian.component, return_index=True)[1]
    keep = np.ones(laplacian.n_samples, bool)
    keep[grounded] = False
    kept = np.flatnonzero(keep)
    factor = factorize(laplacian.matrix[kept][:, kept], shift=0.0)
    Z = laplacian.null_space

    def solve(x: Float) -> Float:
        x = x - Z @ (Z.T @ x)
        y = np.zeros_like(x)
        y[kept] = factor.solve(x[kept])
        result: Float = y - Z @ (Z.T @ y)
        return result

    return solve


def _blocked_inverse(reduction: Reduction, solve: Apply) -> Apply:
    """Return the inverse of L̄ restricted to the complement of the blocked directions S.

    It is `L̄⁺ − L̄⁺S (S'L̄⁺S)^-1 S'L̄⁺`, a Schur complement.
    """
    S = reduction.blocked
    if not S.shape[1]:
        return solve
    inverse_s = np.column_stack([solve(column) for column in S.T])
    small = np.linalg.inv(S.T @ inverse_s)

    def restricted(x: Float) -> Float:
        y = solve(x)
        return y - inverse_s @ (small @ (S.T @ y))

    return restricted
