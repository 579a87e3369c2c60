"""The far end of a localised cut, which no eigen-solver resolves.

Where the threshold β is high, a feasible cut is a spike on a few constrained nodes, and away from
them its entries fall by a factor of about θ/(θ + β/vol) at every edge: to 1e-50 of the largest on a
graph of 50 000 nodes. An eigen-solver returns them as noise of size 1e-16, with random signs, and
signs are labels. The equation itself, written node by node,

    (θ + β/vol) v = Q̄ v + θ D^-1/2 A D^-1/2 v,

determines every entry from its neighbours with small *relative* error. So the entries that the
solver can vouch for are kept, and the others are built up from zero by this iteration.
"""

from __future__ import annotations

import numpy as np

from sidecut._validation import Float
from sidecut.csp.reduction import Apply

# Entries above this share of the largest are the solver's; its residuals are far smaller.
TRUSTED = 1e-6
# An entry is settled when a step changes it by less than this share of itself: its sign is final.
SETTLED = 1e-3
MAX_STEPS = 3000


def resolve_tail(v: Float, theta: float, shift: float, apply_q: Apply, apply_l: Apply) -> Float:
    """Return v with its entries below `TRUSTED` recomputed; v as it was where that fails.

    Parameters
    ----------
    v : array of shape (n,)
        A solution of the pencil.
    theta : float
        Its 1/λ.
    shift : float
        β/vol; the iteration contracts only when it is positive.
    apply_q, apply_l : callable
        Products with Q̄ and L̄.
    """
    largest = np.abs(v).max()
    trusted = np.abs(v) > TRUSTED * largest
    if shift <= 0 or trusted.all():
        return v
    # The iteration matrix has eigenvalues in [−reach, 1]; this step maps them into (−1, 1).
    reach = (_norm(apply_q, len(v)) + theta) / (theta + shift)
    step = 2.0 / (2.0 + reach)
    u = np.where(trusted, v, 0.0)
    for _ in range(MAX_STEPS):
        target = (apply_q(u) + theta * (u - apply_l(u))) / (theta + shift)
        change = np.where(trusted, 0.0, step * (target - u))
        u += change
        if (np.abs(change) <= SETTLED * np.abs(u)).all():
            break
    # A cut that is not the leading one may not contract; then the tail grows out of its bounds.
    stayed = np.abs(u[~trusted]).max() <= 10 * TRUSTED * largest
    return u if stayed else v


def _norm(apply: Apply, n: int) -> float:
    """Estimate the spectral norm of a symmetric operator, a little from above."""
    x = np.random.default_rng(0).standard_normal(n)
    size = 0.0
    for _ in range(20):
        x /= np.linalg.norm(x)
        x = apply(x)
        size = float(np.linalg.norm(x))
        if size == 0.0:
            return 0.0
    return 1.2 * size
