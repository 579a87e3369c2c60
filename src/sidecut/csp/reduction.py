"""From the pencil `L̄ v = λ M v` to a symmetric-definite problem; no general solver is ever called.

For λ ≠ 0 a solution is M-orthogonal to the null space Z of L̄: `Z' M v = 0`. So with `v = w + Z c`,
`w ⊥ Z`, the coefficients are `c = −(Z'MZ)^-1 Z'M w`, and on the complement of Z

    M_r w = θ L̄ w,    M_r = M − M Z (Z'MZ)^-1 Z' M,    θ = 1/λ,

where L̄ is positive definite. Where `z'Mz = 0` for some z in Z, the inverse does not exist: the
condition then asks for `w ⊥ M z` (the *blocked* directions) and leaves the coefficient of z open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from sidecut._validation import Float

Apply = Callable[[Float], Float]

# Below this share of the largest, a number is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Reduction:
    """The pieces of M_r, and the way back from w to v.

    Attributes
    ----------
    apply_m : callable
        `X ↦ M X`.
    omega : array of shape (r,)
        The nonzero eigenvalues of `Z'MZ`.
    regular, singular : array of shape (n, r) and (n, s)
        Z turned into its eigenvectors with ω ≠ 0 and with ω = 0.
    M_regular : array of shape (n, r)
        `M @ regular`.
    blocked : array of shape (n, b)
        Orthonormal basis of `M @ singular`, to which w is orthogonal.
    """

    apply_m: Apply
    omega: Float
    regular: Float
    singular: Float
    M_regular: Float
    blocked: Float

    def apply(self, x: Float) -> Float:
        """Return `M_r x` for a vector or block x."""
        x = self.free(x)
        y = self.apply_m(x) - self._M_scaled @ (self.M_regular.T @ x)
        return self.free(y)

    @cached_property
    def _M_scaled(self) -> Float:
        result: Float = self.M_regular / self.omega
        return result

    def free(self, x: Float) -> Float:
        """Return x without its blocked part."""
        return x - self.blocked @ (self.blocked.T @ x) if self.blocked.shape[1] else x

    def lift(self, apply_l: Apply, W: Float, theta: Float) -> Float:
        """Return the unit vectors v of the pencil for the columns w."""
        V = W - (self.regular / self.omega) @ (self.M_regular.T @ W)
        if self.blocked.shape[1]:
            # The open coefficients are those that make the blocked rows of the equation hold.
            rest = theta * apply_l(W) - self.apply_m(V)
            coefficients = np.linalg.lstsq(self.apply_m(self.singular), rest)[0]
            V = V + self.singular @ coefficients
        result: Float = V / np.linalg.norm(V, axis=0)
        return result


def reduce_pencil(apply_m: Apply, Z: Float, size: float) -> Reduction:
    """Split the null space Z by the form `Z'MZ`; `size` is about the norm of M."""
    MZ = apply_m(Z)
    omega, turn = linalg.eigh(Z.T @ MZ)
    regular = np.abs(omega) > ROUNDING * size
    MZ = MZ @ turn
    singular = Z @ turn[:, ~regular]
    outside = MZ[:, ~regular] - Z @ (Z.T @ MZ[:, ~regular])
    return Reduction(
        apply_m=apply_m,
        omega=omega[regular],
        regular=Z @ turn[:, regular],
        singular=singular,
        M_regular=MZ[:, regular],
        blocked=_orthonormal(outside, ROUNDING * size),
    )


def _orthonormal(columns: Float, floor: float) -> Float:
    """Return an orthonormal basis of the span of the columns."""
    if columns.shape[1] == 0:
        return columns
    U, s, _ = linalg.svd(columns, full_matrices=False)
    basis: Float = U[:, s > floor]
    return basis
