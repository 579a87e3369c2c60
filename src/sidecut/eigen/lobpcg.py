"""LOBPCG preconditioned by smoothed-aggregation multigrid; needs pyamg."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, lobpcg

from sidecut.eigen.operators import product
from sidecut.eigen.orthogonal import orthonormal, random_block, rayleigh_ritz
from sidecut.eigen.result import accepted
from sidecut.eigen.task import Pairs, Task

_MAXITER = 200
# Iterations between checks against each eigenvalue's own scale, which LOBPCG's one absolute
# tolerance cannot express.
_ROUND = 20


def solve(laplacian: Any, task: Task) -> Pairs:
    """LOBPCG with a few guard vectors, judged and if need be continued by our own criterion."""
    preconditioner = _multigrid(laplacian)
    n = laplacian.shape[0]
    room = n - _columns(task)
    size = min(task.p + max(4, task.p // 5), room)
    if 5 * size >= room:
        # LOBPCG's three blocks would not fit the space; SciPy then solves densely itself, but not
        # with constraints. The whole complement as a basis is the same dense solve.
        ritz = rayleigh_ritz(
            product(laplacian), random_block(n, room, task.rng, task.deflate), room
        )
        return Pairs(ritz.take(np.arange(task.p)), "converged", 1)
    basis = random_block(n, size, task.rng, task.deflate)
    if task.start is not None:
        basis = orthonormal(np.hstack([task.start, basis]))[0][:, :size]
    multiply = product(laplacian)
    limit = _MAXITER if task.maxiter is None else task.maxiter
    steps, absolute = 0, task.tol
    ritz = rayleigh_ritz(multiply, basis, task.p)
    while steps < limit and not accepted(ritz.values, ritz.residuals, task.tol).all():
        count = min(_ROUND, limit - steps)
        # SciPy warns when it stops short of `tol`; the residuals below say it better.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            _, basis = lobpcg(
                sp.csr_matrix(laplacian, dtype=np.float64),
                basis,
                M=preconditioner,
                Y=task.deflate,
                tol=absolute,
                maxiter=count,
                largest=False,
            )
        steps += count
        before = ritz
        ritz = rayleigh_ritz(multiply, orthonormal(basis)[0], task.p)
        task.report("lobpcg", steps, float(ritz.residuals.max()))
        absolute = min(absolute / 10, task.tol * float(np.median(ritz.values)))
        if ritz.residuals.max() > 0.5 * before.residuals.max() and steps > 3 * _ROUND:
            return Pairs(ritz, "stagnated", steps)
    done = accepted(ritz.values, ritz.residuals, task.tol).all()
    return Pairs(ritz, "converged" if done else "maxiter", steps)


def _columns(task: Task) -> int:
    return 0 if task.deflate is None else task.deflate.shape[1]


def _multigrid(laplacian: Any) -> LinearOperator:
    try:
        from pyamg import smoothed_aggregation_solver
    except ImportError as error:
        raise ImportError(
            "solver='lobpcg' needs pyamg: pip install pyamg. solver='auto' works without it."
        ) from error
    if isinstance(laplacian, LinearOperator):
        raise TypeError(
            "laplacian is a LinearOperator; multigrid needs its entries. Pass a sparse matrix, or "
            "use solver='lanczos' or 'chebyshev', which need only products."
        )
    n = laplacian.shape[0]
    # The hierarchy needs a definite matrix; 1e-5 is what keeps coarse levels well conditioned.
    shifted = sp.csr_matrix(laplacian, dtype=np.float64) + 1e-5 * sp.identity(n, format="csr")
    # pyamg estimates spectral radii from NumPy's global random numbers: borrow them, repeatably.
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    try:
        return smoothed_aggregation_solver(shifted).aspreconditioner()
    finally:
        np.random.set_state(state)  # noqa: NPY002
