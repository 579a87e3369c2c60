"""Problem 1 of the paper with the user's own α, solved exactly.

The least cost `Σ x'Λx` over m orthonormal vectors with satisfaction `Σ x'Qx ≥ α`. Its dual function

    g(μ) = α μ + (sum of the m lowest eigenvalues of Λ − μ Q),    μ ≥ 0,

is concave, bounds the cost of every feasible choice from below, and has the slope
`α − satisfaction` of the vectors that attain it. The pairs (cost, satisfaction) form a convex set
(Brickman for m = 1), so the best bound is attained, and the difference between the two is a
certificate of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

from sidecut._validation import Float

# Relative gap at which the search stops, and the solves after which it stops in any case.
TOLERANCE = 1e-10
MAX_SOLVES = 100
# Multipliers beyond this many units drown Λ in the rounding of μ Q.
MU_MAX = 1e8
# Eigenvalues closer than this share of the largest are one.
TIE = 1e-10


@dataclass(frozen=True, eq=False)
class Vertex:
    """Orthonormal coefficients X, the multiplier they belong to, their cost and satisfaction."""

    X: Float
    multiplier: float
    cost: float
    satisfaction: float


@dataclass(frozen=True, eq=False)
class AlphaSolution:
    """The cheapest vertex that reaches α, and `dual`, below which no cost can be."""

    vertex: Vertex
    dual: float
    n_solves: int


@dataclass(frozen=True, eq=False)
class SmallProblem:
    """Costs `values` (the diagonal of Λ), the matrix Q, and the number m of vectors."""

    values: Float
    Q: Float
    n_vectors: int

    @cached_property
    def size(self) -> float:
        """The spectral norm of Q."""
        return float(np.linalg.norm(self.Q, 2))

    @property
    def unit(self) -> float:
        """The multiplier at which `μ Q` is as large as Λ: `mean(λ) / ‖Q‖`."""
        mean = float(self.values.mean()) or 1.0
        return mean / self.size if self.size > 0 else 1.0

    def vertex(self, X: Float, multiplier: float = np.nan) -> Vertex:
        """Measure X."""
        cost = float((self.values[:, None] * X**2).sum())
        return Vertex(X, multiplier, cost, float((X * (self.Q @ X)).sum()))

    def lowest(self, multiplier: float) -> tuple[Vertex, float]:
        """Return the m lowest eigenvectors of `Λ − μQ` and a lower bound on their values' sum.

        The bound is the sum less its rounding error: the dual value never promises too much.
        """
        matrix = np.diag(self.values) - multiplier * self.Q
        found, X = eigh(matrix, subset_by_index=(0, self.n_vectors - 1))
        scale = float(np.abs(self.values).max()) + multiplier * self.size
        rounding = 16 * np.finfo(float).eps * self.n_vectors * scale
        return self.vertex(X, multiplier), float(found.sum()) - rounding

    def cheapest(self) -> Vertex:
        """Return the path's beginning: the cheapest vectors, of equal ones the most satisfying."""
        X = _leading(-self.values, self.Q, self.n_vectors)
        return self.vertex(X, 0.0)

    def most_satisfying(self) -> Vertex:
        """Return the path's end: the leading eigenvectors of Q, of equal ones the cheapest."""
        found, V = eigh(self.Q)
        costs = V.T @ (self.values[:, None] * V)
        return self.vertex(V @ _leading(found, -costs, self.n_vectors), np.inf)


def solve_alpha(problem: SmallProblem, alpha: float) -> AlphaSolution:
    """Return the cheapest vectors with a satisfaction of α, which must be in reach.

    Every eigenvector found is a tangent of the dual function. The next μ is where the tangents from
    both sides of the optimum meet, exact where satisfaction jumps; after two steps on one side the
    interval is halved instead. The answer is the point between the last two vectors, along the
    shortest way from one to the other, whose satisfaction is α.
    """
    low = problem.cheapest()
    bound, multiplier, n_solves = low.cost, 0.0, 1
    if low.satisfaction >= alpha:
        return AlphaSolution(low, low.cost, n_solves)
    high, best, side, mu = problem.most_satisfying(), None, 0, problem.unit
    while n_solves < MAX_SOLVES:
        found = between(problem, low, high, alpha)
        if best is None or found.cost < best.cost:
            best = found
        narrow = high.multiplier <= low.multiplier * (1 + 4 * np.finfo(float).eps)
        gap = best.cost - bound - multiplier * alpha
        if gap <= TOLERANCE * best.cost or narrow or mu > MU_MAX * problem.unit:
            break
        new, value = problem.lowest(mu)
        n_solves += 1
        if value + mu * alpha > bound + multiplier * alpha:
            bound, multiplier = value, mu
        if new.satisfaction >= alpha:
            high, side = new, max(side, 0) + 1
        else:
            low, side = new, min(side, 0) - 1
        mu = _next_multiplier(low, high, side, problem.unit)
        if abs(side) >= 2:
            side = 0
    assert best is not None
    # Where the satisfaction falls short of α by rounding, the bound is for what it is.
    dual = bound + multiplier * min(alpha, best.satisfaction)
    return AlphaSolution(Vertex(best.X, multiplier, best.cost, best.satisfaction), dual, n_solves)


def _next_multiplier(low: Vertex, high: Vertex, side: int, unit: float) -> float:
    if np.isinf(high.multiplier):
        return max(4 * low.multiplier, unit)
    meeting = (high.cost - low.cost) / (high.satisfaction - low.satisfaction)
    if abs(side) < 2 and low.multiplier < meeting < high.multiplier:
        return meeting
    if low.multiplier == 0:
        return high.multiplier / 8
    return float(np.sqrt(low.multiplier * high.multiplier))


def between(problem: SmallProblem, low: Vertex, high: Vertex, alpha: float) -> Vertex:
    """Return the vectors of satisfaction α on the shortest way from one subspace to another.

    The way is along the principal angles θ between the two: `A cos(tθ) + B sin(tθ)`. Directions
    that both share stay, and where the two span eigenvectors of one multiple eigenvalue, so does
    everything between them: a jump of satisfaction is filled at no loss.
    """
    left, cosines, right = np.linalg.svd(low.X.T @ high.X)
    A = low.X @ left
    B = high.X @ right.T - A * cosines
    sines = np.linalg.norm(B, axis=0)
    B = np.divide(B, sines, out=np.zeros_like(B), where=sines > 1e-14)
    angles = np.arctan2(sines, cosines)
    QA, QB = problem.Q @ A, problem.Q @ B
    AA, AB, BB = (A * QA).sum(axis=0), (A * QB).sum(axis=0), (B * QB).sum(axis=0)

    def excess(t: float) -> float:
        c, s = np.cos(t * angles), np.sin(t * angles)
        return float((c * c * AA + 2 * c * s * AB + s * s * BB).sum()) - alpha

    # Rounding may leave an end on the wrong side of α by its own size.
    t = brentq(excess, 0.0, 1.0, xtol=1e-16) if excess(0.0) < 0 < excess(1.0) else 1.0
    return problem.vertex(A * np.cos(t * angles) + B * np.sin(t * angles))


def _leading(values: Float, tie_breaker: Float, count: int) -> Float:
    """Return `count` unit vectors of largest value; among equal values, the tie breaker's largest.

    `values` is a diagonal matrix, `tie_breaker` a symmetric one.
    """
    order = np.argsort(-values, kind="stable")
    last = values[order[count - 1]]
    near = TIE * max(float(np.abs(values).max()), np.finfo(float).tiny)
    above = np.flatnonzero(values > last + near)
    tied = np.flatnonzero(np.abs(values - last) <= near)
    X = np.zeros((len(values), count))
    X[above, np.arange(len(above))] = 1.0
    rest = count - len(above)
    if len(tied) == rest:
        X[tied, len(above) + np.arange(rest)] = 1.0
        return X
    block = tie_breaker[np.ix_(tied, tied)]
    X[tied, len(above) :] = eigh(block)[1][:, ::-1][:, :rest]
    return X
