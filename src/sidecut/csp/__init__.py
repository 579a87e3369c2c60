"""The paper's method: constrained cuts above a threshold β."""

from sidecut.csp.core import CutSet, constrained_cuts, unconstrained_cuts
from sidecut.csp.threshold import (
    ConstraintSpectrum,
    InfeasibleThresholdError,
    constraint_spectrum,
)

__all__ = [
    "ConstraintSpectrum",
    "CutSet",
    "InfeasibleThresholdError",
    "constrained_cuts",
    "constraint_spectrum",
    "unconstrained_cuts",
]
