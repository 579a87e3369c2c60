"""Block Lanczos on a polynomial of L: products only, for graphs that fill in when factored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from sidecut.eigen.chebyshev_filter import TOP, ChebyshevFilter, chebyshev_filter, growth
from sidecut.eigen.converge import Transform, krylov_pairs
from sidecut.eigen.operators import Apply, Array, product
from sidecut.eigen.orthogonal import Ritz, orthonormal, project_out, rayleigh_ritz
from sidecut.eigen.result import accepted
from sidecut.eigen.spectrum import outline
from sidecut.eigen.task import Pairs, Task, start_block

# Columns per block. SciPy's product costs .22 ms a column on blocks of 16 in float32 where it costs
# .42 on blocks of 8 (100 000 nodes, 16 entries a row); a wider block needs more columns in all.
_WIDTH = 16
# Filters run in float32, in half the time, where the residuals asked for seem to be above its
# rounding, which leaves 1e-7. Where one is not after all, at most so many in float64 follow.
_SINGLE_NOISE, _POLISH = 5e-7, 5
# exp of this: how much one step lifts the last wanted pair above the damped spectrum. More means
# fewer vectors to orthogonalise but more products; measured flat between 3 and 5.
_LIFT = 4.0
# Spread of the transformed eigenvalues, in double and in single precision: rounding of the largest
# is an error in the smallest. At 1e5 in single, one low eigenvalue kept 20 others from converging.
_SPREAD, _SPREAD_SINGLE = np.log(1e5), np.log(1e3)


def solve(laplacian: Any, task: Task) -> Pairs:
    """Thick-restart block Lanczos on a Chebyshev filter of moderate degree.

    Plain Lanczos (degree 1) spends its time orthogonalising: for 40 pairs of a 100 000-node,
    10-dimensional k-NN graph ARPACK took 800 products and ten times as long as they did. A filter
    of degree d makes each vector worth d products. `filter_parameters` chooses it.
    """
    multiply = product(laplacian)
    chosen = filter_parameters(laplacian, task)
    task.report("spectrum", 0, float("nan"))
    transform = _mirrored(multiply) if chosen is None else _filtered(laplacian, chosen, multiply)
    start = start_block(task, laplacian.shape[0], _WIDTH)
    pairs = krylov_pairs(transform, start, 3 * task.p + 8 * _WIDTH, task)
    if chosen is not None and chosen.single and pairs.status == "converged":
        exact = chebyshev_filter(laplacian, chosen.degree, chosen.cut, chosen.top)
        return replace(pairs, ritz=_polished(pairs.ritz, exact, multiply, task))
    return pairs


def _mirrored(multiply: Apply) -> Transform:
    def mirrored(x: Array) -> Array:
        return 2 * x - multiply(x)

    def back(theta: Array) -> tuple[Array, Array]:
        return 2 - theta, np.ones_like(theta)

    return Transform(mirrored, back, multiply, "lanczos")


def _filtered(laplacian: Any, chosen: Parameters, multiply: Apply) -> Transform:
    dtype = np.float32 if chosen.single else np.float64
    if not isinstance(laplacian, LinearOperator):
        laplacian = laplacian.astype(dtype, copy=False)
    low_pass = chebyshev_filter(laplacian, chosen.degree, chosen.cut, chosen.top)
    noise = _SINGLE_NOISE if chosen.single else 0.0
    return Transform(low_pass, low_pass.back, multiply, "lanczos", noise, dtype)


def _polished(ritz: Ritz, low_pass: ChebyshevFilter, multiply: Apply, task: Task) -> Ritz:
    """Return the pairs with residuals that the tolerance asks for, by filters in float64."""
    for _ in range(_POLISH):
        if accepted(ritz.values, ritz.residuals, task.tol).all():
            break
        vectors = orthonormal(project_out(low_pass(ritz.vectors), task.deflate))[0]
        ritz = rayleigh_ritz(multiply, vectors, ritz.values.size)
    return ritz


@dataclass(frozen=True)
class Parameters:
    """A `ChebyshevFilter`, and whether float32 is enough for it."""

    degree: int
    cut: float
    top: float
    single: bool


def filter_parameters(laplacian: Any, task: Task) -> Parameters | None:
    """Choose a filter that suits this spectrum; None where plain Lanczos is as good."""
    n = laplacian.shape[0]
    if n < 10 * (task.p + 10):
        return None
    halved = not isinstance(laplacian, LinearOperator)
    dtype = np.float32 if halved else np.float64
    seen = outline(product(laplacian, dtype), n, task.rng, task.deflate, dtype)
    # Plain floats: a NumPy scalar would turn the float32 matrix of the filter into float64.
    lowest, last, cut = map(float, seen.at(np.array([1.0, task.p, 3.0 * task.p + 10])))
    cut = min(max(cut, 1.05 * last, 1e-6), 1.0)
    top = min(max(seen.top, 1.5 * cut), TOP)
    single = halved and task.tol * min(lowest, 0.1) > _SINGLE_NOISE
    rate = growth(last, cut, top)
    spread = max(growth(0.0, cut, top) - rate, 1e-12)
    most = (_SPREAD_SINGLE if single else _SPREAD) / spread
    degree = int(np.clip(min(np.ceil(_LIFT / max(rate, 1e-12)), most), 1, 500))
    degree -= 1 - degree % 2  # odd: see `ChebyshevFilter`
    return Parameters(degree, cut, top, single) if degree > 1 else None
