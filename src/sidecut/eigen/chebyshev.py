"""Chebyshev-filtered subspace iteration: ``W @ X``, a tall-skinny QR and a small ``eigh``.

Nothing else touches the long dimension, so the same lines can run on a GPU or over a cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from sidecut.eigen.chebyshev_filter import chebyshev_filter, growth
from sidecut.eigen.operators import product
from sidecut.eigen.orthogonal import Ritz, orthonormal, project_out, random_block, rayleigh_ritz
from sidecut.eigen.result import Status, accepted
from sidecut.eigen.task import Pairs, Task

_MAXITER = 100
# One filter may lift the lowest pair this far above the cut; more would leave the columns parallel
# in the working precision before they are orthogonalised again.
_LIFT = {np.dtype(np.float32): np.log(1e4), np.dtype(np.float64): np.log(1e10)}
_DEGREE = 400
# Residual at which float32 filters stop paying: their rounding, with a margin.
_SINGLE_FLOOR = 1e-5


def solve(laplacian: Any, task: Task) -> Pairs:
    """Subspace iteration with guard vectors, the cut following the largest Ritz value.

    The first rounds filter in float32, where a product costs half as much; rounds that must go
    below its rounding are in float64 (never, if the Laplacian itself is float32). Ritz values and
    residuals are always float64.
    """
    n = laplacian.shape[0]
    known = 0 if task.deflate is None else task.deflate.shape[1]
    size = min(task.p + max(8, task.p // 3), n - known)
    basis = random_block(n, size, task.rng, task.deflate)
    if task.start is not None:
        basis = project_out(np.hstack([task.start, basis]), task.deflate)
        basis = orthonormal(basis)[0][:, :size]
    multiply = product(laplacian)
    limit = _MAXITER if task.maxiter is None else task.maxiter
    ritz, steps, single = rayleigh_ritz(multiply, basis, size), 0, _halved(laplacian)
    stalled = 0
    while not _done(ritz, task) and steps < limit and stalled < 5:
        worst = float(ritz.residuals[: task.p].max())
        in_single = single is not None and (worst > _SINGLE_FLOOR or laplacian.dtype == np.float32)
        matrix = single if in_single else laplacian
        dtype = np.dtype(np.float32 if in_single else np.float64)
        degree, cut = _degree(ritz, task, _LIFT[dtype])
        filtered = chebyshev_filter(matrix, degree, cut)(ritz.vectors.astype(dtype))
        basis = filtered.astype(np.float64)
        basis = project_out(basis / np.linalg.norm(basis, axis=0), task.deflate)
        basis = orthonormal(basis)[0]
        if basis.shape[1] < size:  # columns that became parallel: fresh directions in their place
            fresh = random_block(n, size - basis.shape[1], task.rng, task.deflate, basis)
            basis = np.hstack([basis, fresh])
        ritz = rayleigh_ritz(multiply, basis, size)
        steps += 1
        after = float(ritz.residuals[: task.p].max())
        stalled = stalled + 1 if after > 0.9 * worst and worst < 1e-3 else 0
        task.report("chebyshev", steps, after)
    status: Status = "maxiter" if stalled < 5 else "stagnated"
    if _done(ritz, task):
        status = "converged"
    return Pairs(ritz.take(np.arange(task.p)), status, steps)


def _done(ritz: Ritz, task: Task) -> bool:
    p = task.p
    return bool(accepted(ritz.values[:p], ritz.residuals[:p], task.tol).all())


def _halved(laplacian: Any) -> Any:
    """Return the Laplacian in float32, or None where only its own precision is to be had."""
    if isinstance(laplacian, LinearOperator):
        return None
    return laplacian.astype(np.float32)


def _degree(ritz: Ritz, task: Task, lift: float) -> tuple[int, float]:
    """Cut at the largest Ritz value; degree that lifts the last wanted pair a hundredfold."""
    cut = float(np.clip(ritz.values[-1], 1e-9, 1.5))
    rate = max(growth(float(ritz.values[task.p - 1]), cut), 1e-9)
    safe = lift / max(growth(max(float(ritz.values[0]), 0.0), cut), 1e-9)
    return int(np.clip(min(np.log(100) / rate, safe), 8, _DEGREE)), cut
