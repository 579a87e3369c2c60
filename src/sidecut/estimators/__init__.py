"""scikit-learn estimators: they validate, call the functions of the other modules and store."""

from sidecut.estimators.constrained import ConstrainedSpectralClustering
from sidecut.estimators.csp import CSP

__all__ = ["CSP", "ConstrainedSpectralClustering"]
