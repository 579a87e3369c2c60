"""Run a block Krylov space until the wanted pairs of L are right and none is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import DTypeLike

from sidecut.eigen.krylov import KrylovSpace, expand
from sidecut.eigen.operators import Apply, Array
from sidecut.eigen.orthogonal import Ritz, orthonormal, random_block, rayleigh_ritz
from sidecut.eigen.result import Status, accepted, allowed
from sidecut.eigen.task import Pairs, Task

# Width and depth of the search for a missed eigenvector. It ends when the lowest pair that it sees
# is right and above the last one found; a copy that does not stand out from the unwanted spectrum
# after so many steps is as good as the last pair.
_PROBE_WIDTH, _PROBE_STEPS, _PROBE_MARGIN = 4, 40, 1e-5
# Eigenvalues that differ by less than this share may be copies of one.
_EQUAL = 1e-3
# Block steps without a better estimate before the pairs that are right are locked. Rounding of
# the largest pair (1/λ, up to 1e10) drowns the others until it is taken out of the operator.
_PATIENCE = 12
_MAXITER = 300
# Forming vectors is dear, so it waits until the estimate is this share of what is allowed (late
# estimates were right to 1 %); how small it must really be is learned from each failed check.
_GATE = 0.97


@dataclass(frozen=True)
class _Found:
    """One pass: pairs that met the tolerance (or the best there were)."""

    ritz: Ritz
    steps: int
    status: Status


@dataclass(frozen=True)
class Transform:
    """An operator that makes the lowest eigenvalues of L its largest, and the way back.

    Attributes
    ----------
    apply : callable
        ``X -> f(L) X`` with f positive and decreasing on the wanted part of the spectrum.
    back : callable
        ``θ -> (λ, |dλ/dθ|)`` for θ = f(λ).
    multiply : callable
        ``X -> L X``; convergence is judged on residuals of L itself.
    name : str
        Stage named to the callback.
    noise : float
        Residuals of L below this are rounding of the operator: such a pair is taken as it is.
    dtype : dtype
        Precision in which the operator works and its Krylov space is kept.
    """

    apply: Apply
    back: Callable[[Array], tuple[Array, Array]]
    multiply: Apply
    name: str
    noise: float = 0.0
    dtype: DTypeLike = np.float64


def krylov_pairs(transform: Transform, start: Array, capacity: int, task: Task) -> Pairs:
    """Return the p lowest pairs of L from an operator that makes them its largest.

    Parameters
    ----------
    transform : Transform
        The operator, the Laplacian and the map between their eigenvalues.
    start : ndarray of shape (n, b)
        Orthonormal start block.
    capacity : int
        Columns to store before restarting.
    task : Task
        Pairs wanted, tolerance and known vectors.
    """
    n, width = start.shape
    known = np.empty((n, 0)) if task.deflate is None else task.deflate
    best, steps = Ritz.none(n), 0
    limit = _MAXITER if task.maxiter is None else task.maxiter
    while True:
        missing = task.p - best.values.size
        room = n - known.shape[1] - best.values.size
        if steps > 0:
            wide = width if missing > 0 else _PROBE_WIDTH
            start = random_block(n, min(wide, room), task.rng, known, best.vectors)
        if start.shape[1] == 0:
            return Pairs(best, "converged", steps)
        avoid = np.hstack([known, best.vectors])
        part = replace(task, p=missing, maxiter=limit - steps, deflate=avoid)
        last = float(best.values.max(initial=0.0))
        found = _pass(transform, start, capacity, part, steps, last)
        steps += found.steps
        if missing <= 0 and found.status == "maxiter":
            return Pairs(best, "incomplete", steps)
        if best.values.size == 0:
            best = found.ritz
        elif found.ritz.values.size > 0:
            merged = orthonormal(np.hstack([best.vectors, found.ritz.vectors]))[0]
            best = rayleigh_ritz(transform.multiply, merged, task.p)
        else:
            return Pairs(best, found.status, steps)
        if best.values.size == task.p and not _may_repeat(best.values, width):
            return Pairs(best, found.status, steps)
        if steps >= limit and found.status == "converged":
            return Pairs(best, "incomplete", steps)
        if found.status != "converged":
            return Pairs(best, found.status, steps)


def _may_repeat(values: Array, width: int) -> bool:
    """Whether an eigenvalue may have more copies than were found.

    A block of ``width`` random vectors finds that many copies of a multiple eigenvalue, so more
    can be missing only where as many (nearly) equal ones turned up.
    """
    if values.size < width:
        return False
    spread = values[width - 1 :] - values[: values.size - width + 1]
    return bool((spread <= _EQUAL * np.abs(values[width - 1 :])).any())


def _pass(
    transform: Transform,
    start: Array,
    capacity: int,
    task: Task,
    offset: int,
    last: float,
) -> _Found:
    """One Krylov space: the ``task.p`` missing pairs, or, with none missing, a probe for more."""
    keep = min(task.p + max(4, (capacity - task.p) // 3), capacity - start.shape[1])
    gate, best, best_step = _GATE, np.inf, 0
    assert task.maxiter is not None
    assert task.deflate is not None
    room = start.shape[0] - task.deflate.shape[1]
    status: Status
    start = start.astype(transform.dtype, copy=False)
    for space in expand(transform.apply, start, keep, capacity, task.rng, task.deflate):
        wanted = _wanted(transform, space, task.p, last)
        full = space.basis.shape[1] == room
        final = full or space.steps >= task.maxiter
        if task.p <= 0 and wanted == 0:
            deep = full or space.steps >= _PROBE_STEPS
            sure = deep or _lowest_is_right(transform, space, task.tol)
            if final or sure:
                status = "converged" if sure else "incomplete"
                return _Found(Ritz.none(start.shape[0]), space.steps, status)
        if space.basis.shape[1] >= min(room, max(wanted, task.p)) and wanted > 0:
            worst, residual = _worst(transform, space, wanted, task.tol)
            task.report(transform.name, offset + space.steps, residual)
            if worst < best:
                best, best_step = worst, space.steps
            stalled = space.steps - best_step >= _PATIENCE
            if worst <= gate or stalled or final:
                found, gate = _check(transform, space, wanted, task.tol, worst)
                right = found.ritz.values.size
                if right == wanted or (stalled and right > 0):
                    return found
        if final:
            break
    status = "converged" if full and task.p >= room else "maxiter"
    ritz = rayleigh_ritz(transform.multiply, space.vectors(max(task.p, 1)), max(task.p, 1))
    return _Found(ritz, space.steps, status)


def _worst(
    transform: Transform, space: KrylovSpace, wanted: int, tol: float
) -> tuple[float, float]:
    """Return the largest estimated residual of the wanted pairs, over what is allowed and as it is.

    The next pair counts too, unless its interval lies above: a late copy of a multiple eigenvalue
    is on its way down past pairs that are right already.
    """
    values, residuals = _estimated(transform, space, wanted + 1)
    limits = np.maximum(allowed(values, tol), transform.noise)
    limits[wanted:] = np.maximum(limits[wanted:], values[wanted:] - values[wanted - 1])
    return float((residuals / limits).max()), float(residuals[:wanted].max())


def _wanted(transform: Transform, space: KrylovSpace, p: int, last: float) -> int:
    """How many leading Ritz values to wait for: those missing, or all below the last one found."""
    if p > 0:
        return min(p, space.values.size)
    values, _ = _estimated(transform, space, space.values.size)
    return int((values < last * (1 - _PROBE_MARGIN)).sum())


def _lowest_is_right(transform: Transform, space: KrylovSpace, tol: float) -> bool:
    return bool(accepted(*_estimated(transform, space, 1), tol)[0])


def _estimated(transform: Transform, space: KrylovSpace, count: int) -> tuple[Array, Array]:
    """Return up to ``count`` of the lowest eigenvalues of L and the norms of their residuals."""
    values, slope = transform.back(np.maximum(space.values[:count], 1e-300))
    return values, space.estimates[:count] * slope


def _check(
    transform: Transform, space: KrylovSpace, wanted: int, tol: float, worst: float
) -> tuple[_Found, float]:
    """Return the pairs that L itself confirms, and the estimate at which to look again."""
    ritz = rayleigh_ritz(transform.multiply, space.vectors(wanted), wanted)
    limits = np.maximum(allowed(ritz.values, tol), transform.noise)
    ratio = float((limits / np.maximum(ritz.residuals, 1e-300)).min())
    gate = worst * float(np.clip(ratio, 1e-3, 0.5))
    right = ritz.take(
        accepted(ritz.values, ritz.residuals, tol) | (ritz.residuals <= transform.noise)
    )
    return _Found(right, space.steps, "converged"), gate
