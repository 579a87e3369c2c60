"""Block Lanczos on a polynomial of L: products only, for graphs that fill in when factored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from sidecut.eigen.chebyshev_filter import ChebyshevFilter, chebyshev_filter, growth
from sidecut.eigen.converge import Transform, krylov_pairs
from sidecut.eigen.operators import Apply, Array, product
from sidecut.eigen.orthogonal import Ritz, orthonormal, project_out, rayleigh_ritz
from sidecut.eigen.result import accepted
from sidecut.eigen.spectrum import low_spectrum
from sidecut.eigen.task import Pairs, Task, start_block

# Columns per block. SciPy's product costs .22 ms a column on blocks of 16 in float32 where it costs
# .42 on blocks of 8 (100 000 nodes, 16 entries a row); a wider block needs more columns in all.
_WIDTH = 16
# Filters run in float32, in half the time, where the residuals asked for seem to be above its
# rounding, which leaves 1e-7. Where one is not after all, at most so many in float64 follow.
_SINGLE_NOISE, _POLISH = 5e-7, 5
# exp of this: how much one step lifts the last wanted pair above the damped spectrum. More means
# fewer vectors to orthogonalise but more products; measured flat between 4 and 6.
_LIFT = 4.0
# Spread of the transformed eigenvalues, in double and in single precision: rounding of the largest
# is an error in the smallest. At 1e5 in single, one low eigenvalue kept 20 others from converging.
_SPREAD, _SPREAD_SINGLE = np.log(1e5), np.log(1e3)


def solve(laplacian: Any, task: Task) -> Pairs:
    """Thick-restart block Lanczos on a Chebyshev filter of moderate degree.

    Plain Lanczos (degree 1) spends its time orthogonalising: for 40 pairs of a 100 000-node,
    10-dimensional k-NN graph ARPACK took 800 products and ten times as long as they did. A filter
    of degree d makes each vector worth d products. Cut and degree come from `low_spectrum`.
    """
    n = laplacian.shape[0]
    multiply = product(laplacian)
    degree, cut, single = filter_parameters(laplacian, task)
    task.report("spectrum", 0, float("nan"))
    if degree == 1:

        def mirrored(x: Array) -> Array:
            return 2 * x - multiply(x)

        transform = Transform(
            mirrored, lambda theta: (2 - theta, np.ones_like(theta)), multiply, "lanczos"
        )
    else:
        matrix = laplacian.astype(np.float32) if single else laplacian
        low_pass = chebyshev_filter(matrix, degree, cut)

        def filtered(x: Array) -> Array:
            return low_pass(x.astype(matrix.dtype)).astype(np.float64)

        noise = _SINGLE_NOISE if single else 0.0
        transform = Transform(filtered, low_pass.back, multiply, "lanczos", noise)
    start = start_block(task, n, _WIDTH)
    pairs = krylov_pairs(transform, start, 3 * task.p + 8 * _WIDTH, task)
    if transform.noise > 0 and pairs.status == "converged":
        exact = chebyshev_filter(laplacian, degree, cut)
        return replace(pairs, ritz=_polished(pairs.ritz, exact, multiply, task))
    return pairs


def _polished(ritz: Ritz, low_pass: ChebyshevFilter, multiply: Apply, task: Task) -> Ritz:
    """Return the pairs with residuals that the tolerance asks for, by filters in float64."""
    for _ in range(_POLISH):
        if accepted(ritz.values, ritz.residuals, task.tol).all():
            break
        vectors = orthonormal(project_out(low_pass(ritz.vectors), task.deflate))[0]
        ritz = rayleigh_ritz(multiply, vectors, ritz.values.size)
    return ritz


def filter_parameters(laplacian: Any, task: Task) -> tuple[int, float, bool]:
    """Degree and cut that suit the low end of this spectrum, and whether float32 is enough.

    Degree 1 for a graph too small.
    """
    n = laplacian.shape[0]
    if n < 10 * (task.p + 10):
        return 1, 1.0, False
    counts = np.array([1.0, task.p, 3.0 * task.p + 10])
    # Plain floats: a NumPy scalar would turn the float32 matrix of the filter into float64.
    found = low_spectrum(product(laplacian), n, counts, task.rng, task.deflate)
    lowest, last, cut = map(float, found)
    cut = min(max(cut, 1.05 * last, 1e-6), 1.0)
    above = task.tol * min(lowest, 0.1) > _SINGLE_NOISE
    single = above and not isinstance(laplacian, LinearOperator)
    rate = growth(last, cut)
    spread = max(growth(0.0, cut) - rate, 1e-12)
    most = (_SPREAD_SINGLE if single else _SPREAD) / spread
    return int(np.clip(min(np.ceil(_LIFT / max(rate, 1e-12)), most), 1, 500)), cut, single
