"""Spectral clustering that takes side information: pairs, labels, beliefs, a second graph."""

from sidecut.basis import SpectralBasis
from sidecut.constraints import Constraints
from sidecut.csp import InfeasibleThresholdError
from sidecut.estimators import CSP, ConstrainedSpectralClustering
from sidecut.hard import ContradictionError
from sidecut.path import Alpha, ConstrainedPath, Mu

__version__ = "0.1.0"
__all__ = [
    "CSP",
    "Alpha",
    "ConstrainedPath",
    "ConstrainedSpectralClustering",
    "Constraints",
    "ContradictionError",
    "InfeasibleThresholdError",
    "Mu",
    "SpectralBasis",
]
