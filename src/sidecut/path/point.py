"""What lies on the path: points, and the curve through them."""

from __future__ import annotations

from dataclasses import dataclass

from sidecut._validation import Float


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A relaxed cut on the path, in the paper's scale `v'v = vol` (summed over its K−1 vectors).

    Attributes
    ----------
    mu : float
        The multiplier over `path.unit`: without unit. nan for a cut beside the path.
    cost, satisfaction : float
        `v'L̄v` and `v'Q̄v`, the paper's γ and α.
    dual : float
        No cut of the same space with this satisfaction costs less.
    coefficients : array of shape (p, n_clusters − 1)
        Orthonormal; `u = sqrt(vol) U @ coefficients`.
    """

    mu: float
    cost: float
    satisfaction: float
    dual: float
    coefficients: Float

    @property
    def gap(self) -> float:
        """The duality gap `cost − dual`, zero up to rounding for an optimal cut."""
        return self.cost - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the cost; 0 where both vanish."""
        return self.gap / self.cost if self.cost > 0 else 0.0


@dataclass(frozen=True, eq=False)
class PathCurve:
    """Points along the path: relaxed `cost` and `satisfaction`, and the `share` labels meet."""

    mu: Float
    cost: Float
    satisfaction: Float
    share: Float
