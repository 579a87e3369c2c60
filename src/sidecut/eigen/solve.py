"""The door: `lowest` validates, takes out what is known, calls a solver and labels its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from threadpoolctl import threadpool_limits

from sidecut._progress import Callback
from sidecut.eigen import chebyshev, dense, lanczos, lobpcg, shift_invert
from sidecut.eigen.choose import DENSE_NODES, DENSE_NODES_AT_MOST, choose
from sidecut.eigen.factor import factorize, factorize_cholmod
from sidecut.eigen.null_space import null_space
from sidecut.eigen.operators import Array, product, validate
from sidecut.eigen.order import memory_order, narrow_order, permuted
from sidecut.eigen.orthogonal import (
    Ritz,
    orthonormal,
    project_out,
    random_block,
    rayleigh_ritz,
)
from sidecut.eigen.result import ROUNDING, EigenResult, accepted
from sidecut.eigen.task import Pairs, Task

SOLVERS: dict[str, Callable[[Any, Task], Pairs]] = {
    "dense": dense.solve,
    "shift_invert": shift_invert.solve,
    "cholmod": shift_invert.solve,
    "lanczos": lanczos.solve,
    "chebyshev": chebyshev.solve,
    "lobpcg": lobpcg.solve,
}
_FACTORED = {"shift_invert", "cholmod"}

_ADVICE = {
    "maxiter": (
        "{right} of {p} pairs met the tolerance (largest residual {worst:.1e}). {solver!r} reached "
        "its iteration limit: raise maxiter, pass this result's vectors as initial to continue, or "
        "try another solver ('shift_invert' where the graph is low-dimensional)."
    ),
    "stagnated": (
        "{right} of {p} pairs met the tolerance (largest residual {worst:.1e}) and {solver!r} "
        "makes no more progress: raise tol, or try another solver ('shift_invert' reaches the "
        "smallest residuals)."
    ),
    "incomplete": (
        "All {p} pairs are eigenpairs (largest residual {worst:.1e}), but {solver!r} stopped "
        "before it had made sure that none below them is missing: raise maxiter."
    ),
}


def lowest(
    laplacian: Any,
    p: int,
    *,
    solver: str = "auto",
    tol: float = 1e-3,
    maxiter: int | None = None,
    random_state: int | np.random.Generator | None = None,
    initial: ArrayLike | None = None,
    null_vectors: ArrayLike | None = None,
    callback: Callback | None = None,
) -> EigenResult:
    """Return the p lowest eigenpairs of a normalised graph Laplacian, null space included.

    Parameters
    ----------
    laplacian : sparse array, ndarray or LinearOperator of shape (n, n)
        Symmetric, eigenvalues in [0, 2]. A LinearOperator suits the solvers that need only
        products: "lanczos", "chebyshev" (and "dense", which forms it).
    p : int
        Number of pairs, 1 to n.
    solver : str, default="auto"
        "dense", "shift_invert", "cholmod" (needs scikit-sparse), "lanczos", "chebyshev",
        "lobpcg" (needs pyamg), or "auto": what suits the graph (see `choose`), and "dense" where
        that did not converge on up to 6000 nodes.
    tol : float, default=1e-3
        A pair counts as converged when ``‖Lv − λv‖ <= tol·min(λ, 0.1)``: relative to its own
        eigenvalue, so that 1e-9 is right and not merely small. By default no residual
        exceeds 1e-4, and eigenvalues are right to three digits for certain, about six in practice.
    maxiter : int, optional
        Most outer iterations; the default depends on the solver.
    random_state : int or Generator, optional
        Draws the start vectors; the same seed gives the same result. None is seed 0: an
        eigenvector is not a random quantity.
    initial : array-like of shape (n, q), optional
        Columns thought to span part of the answer. Those that are eigenvectors
        already are kept, so that asking for a larger p continues an earlier result.
    null_vectors : array-like of shape (n, c), optional
        The null space where the caller knows it: orthonormal columns, ``sqrt(degrees)`` on each
        connected component (`component_vectors`). Saves finding it; checked before use.
    callback : callable, optional
        Called with (stage, iteration, residual) as the solver advances.

    Returns
    -------
    EigenResult

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> ring = sp.csr_array(sp.diags_array([-0.5, -0.5, 1, -0.5, -0.5], offsets=[-9, -1, 0, 1, 9],
    ...                                    shape=(10, 10)))
    >>> result = lowest(ring, 3)
    >>> np.round(abs(result.values), 3), result.converged, result.solver
    (array([0.   , 0.191, 0.191]), True, 'dense')
    """
    laplacian = given = validate(laplacian)
    n = laplacian.shape[0]
    _check_arguments(n, p, solver, tol, maxiter)
    start = None if initial is None else _columns(initial, n, "initial")
    nulls = None if null_vectors is None else _columns(null_vectors, n, "null_vectors")
    rng = np.random.default_rng(0 if random_state is None else random_state)
    narrow = narrow_order(laplacian) if issparse(laplacian) and n > DENSE_NODES else None
    name = choose(laplacian, p, narrow) if solver == "auto" else solver
    order = None
    if narrow is not None and name != "dense":
        order = memory_order(laplacian, narrow)
    if order is not None:
        laplacian = permuted(laplacian, order)
        start = None if start is None else start[order]
        nulls = None if nulls is None else nulls[order]
    task = Task(p, tol, maxiter, rng, nulls, start, callback)
    if name == "dense":
        pairs = SOLVERS[name](laplacian, task)
    else:
        # Tall, thin products are bound by memory; a second BLAS thread only waits, and made
        # everything two to three times slower.
        with threadpool_limits(1, user_api="blas"):
            pairs = _deflated(laplacian, name, task)
    if order is not None:
        vectors = np.empty_like(pairs.ritz.vectors)
        vectors[order] = pairs.ritz.vectors
        pairs = replace(pairs, ritz=replace(pairs.ritz, vectors=vectors))
    result = _labelled(pairs, name, tol)
    if solver == "auto" and maxiter is None and not result.converged and n <= DENSE_NODES_AT_MOST:
        return lowest(given, p, solver="dense", tol=tol, callback=callback)
    return result


def _deflated(laplacian: Any, name: str, task: Task) -> Pairs:
    """Take out the null space and the pairs already right, solve for the rest, merge."""
    if name in _FACTORED:
        task.report("factorize", 0, float("nan"))
        factorizer = factorize_cholmod if name == "cholmod" else factorize
        task = replace(task, factor=factorizer(laplacian))
    nulls = _null_vectors(laplacian, task)
    known = _merged(nulls, _already_right(laplacian, nulls, task))
    while True:
        # Vectors of the caller may be eigenvectors without being the lowest: at least one more pair
        # is asked for, and it tells.
        least = 0 if task.start is None else 1
        missing = max(
            task.p - known.values.size, min(least, laplacian.shape[0] - known.values.size)
        )
        if missing <= 0:
            return Pairs(known.take(np.arange(task.p)), "converged", 0)
        start = task.start
        if start is not None:
            start = orthonormal(project_out(start, known.vectors))[0]
        part = replace(task, p=missing, deflate=known.vectors, start=start)
        pairs = SOLVERS[name](laplacian, part)
        above = known.values > pairs.ritz.values.max()
        if task.start is None or not above.any():
            return replace(pairs, ritz=_completed(laplacian, known, pairs.ritz, task))
        known, task = nulls, replace(task, start=None)


def _completed(laplacian: Any, known: Ritz, found: Ritz, task: Task) -> Ritz:
    """Return p orthonormal pairs: of what is known and found, filled up where a solver stopped."""
    missing = task.p - known.values.size - found.values.size
    if missing <= 0 and task.start is None:
        return _merged(known, found).take(np.arange(task.p))
    # Vectors that are right to the tolerance are orthogonal only to the tolerance.
    basis = orthonormal(np.hstack([known.vectors, found.vectors]))[0]
    n = laplacian.shape[0]
    fill = random_block(n, max(task.p - basis.shape[1], 0), task.rng, basis)
    return rayleigh_ritz(product(laplacian), np.hstack([basis, fill]), task.p)


def _null_vectors(laplacian: Any, task: Task) -> Ritz:
    """Return the null space, the caller's or found from the matrix."""
    multiply = product(laplacian)
    nulls = task.deflate
    if nulls is not None:
        nulls = orthonormal(nulls)[0]
        worst = float(np.linalg.norm(multiply(nulls), axis=0).max(initial=0.0))
        if worst > 100 * ROUNDING:
            raise ValueError(
                f"null_vectors must satisfy L v = 0, but ‖L v‖ reaches {worst:.1e}; expected "
                "sqrt(degrees) on each connected component"
            )
    else:
        inverse = None if task.factor is None else task.factor.solve
        nulls = null_space(laplacian, task.p, inverse)
    return rayleigh_ritz(multiply, nulls, task.p)


def _already_right(laplacian: Any, nulls: Ritz, task: Task) -> Ritz:
    """Return those directions of the caller's start that are eigenvectors already.

    They are deflated, and what is deflated limits how right the rest can be: hence far more right
    than the tolerance asks.
    """
    if task.start is None:
        return Ritz.none(laplacian.shape[0])
    rest = orthonormal(project_out(task.start, nulls.vectors))[0]
    guess = rayleigh_ritz(product(laplacian), rest, rest.shape[1])
    return guess.take(accepted(guess.values, guess.residuals, 0.01 * task.tol))


def _merged(first: Ritz, second: Ritz) -> Ritz:
    both = Ritz(
        np.concatenate([first.values, second.values]),
        np.hstack([first.vectors, second.vectors]),
        np.concatenate([first.residuals, second.residuals]),
    )
    return both.take(np.argsort(both.values, kind="stable"))


def _labelled(pairs: Pairs, name: str, tol: float) -> EigenResult:
    """Believe the residuals, not the solver: "converged" is said here and only here."""
    ritz, status = pairs.ritz, pairs.status
    right = accepted(ritz.values, ritz.residuals, tol)
    if right.all() and status != "incomplete":
        status = "converged"
    elif status == "converged":
        status = "stagnated"
    advice = ""
    if status != "converged":
        advice = _ADVICE[status].format(
            right=int(right.sum()), p=right.size, worst=ritz.residuals.max(), solver=name
        )
    return EigenResult(
        ritz.values, ritz.vectors, ritz.residuals, status, pairs.iterations, name, tol, advice
    )


def _check_arguments(n: int, p: int, solver: str, tol: float, maxiter: int | None) -> None:
    if not 1 <= p <= n:
        raise ValueError(f"p must be between 1 and n = {n}, got {p}")
    if solver != "auto" and solver not in SOLVERS:
        names = ", ".join(repr(name) for name in ("auto", *SOLVERS))
        raise ValueError(f"solver must be one of {names}, got {solver!r}")
    if not tol > 0:
        raise ValueError(f"tol must be positive, got {tol}")
    if maxiter is not None and maxiter < 1:
        raise ValueError(f"maxiter must be at least 1, got {maxiter}")


def _columns(value: ArrayLike, n: int, name: str) -> Array:
    columns = np.asarray(value, dtype=np.float64)
    if columns.ndim != 2 or columns.shape[0] != n:
        raise ValueError(f"{name} must have shape ({n}, q), got {columns.shape}")
    if not np.isfinite(columns).all():
        raise ValueError(f"{name} contains NaN or infinite entries; expected finite values")
    return columns
