"""The problem `L̄ v = λ M v`, `M = Q̄ − β/vol I`, as products with vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sidecut._validation import Float
from sidecut.constraints import Constraints
from sidecut.laplacian import Laplacian


@dataclass(frozen=True, eq=False)
class Pencil:
    """A graph, constraints on its nodes and the threshold per volume, `shift = β/vol`."""

    laplacian: Laplacian
    constraints: Constraints
    shift: float

    @cached_property
    def scale(self) -> Float:
        """The diagonal of `D^-1/2`."""
        result: Float = 1.0 / np.sqrt(self.laplacian.degrees)
        return result

    def apply_l(self, x: Float) -> Float:
        """Return `L̄ x` for a vector or a block."""
        result: Float = self.laplacian.matrix @ x
        return result

    def apply_q(self, x: Float) -> Float:
        """Return `Q̄ x`."""
        scale = self.scale if x.ndim == 1 else self.scale[:, None]
        return scale * (self.constraints @ (scale * x))

    def apply_m(self, x: Float) -> Float:
        """Return `M x`."""
        return self.apply_q(x) - self.shift * x
