"""Spectral clustering that takes side information: pairs, labels, beliefs, a second graph."""

from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.csp import InfeasibleThresholdError
from sidecut.estimators import CSP, ConstrainedSpectralClustering
from sidecut.hard import ContradictionError
from sidecut.path import ConstrainedPath

__version__ = "0.1.0"
__all__ = [
    "CSP",
    "ConstrainedPath",
    "ConstrainedSpectralClustering",
    "Constraints",
    "ContradictionError",
    "InfeasibleThresholdError",
    "SpectralBasis",
]
