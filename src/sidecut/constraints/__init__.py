"""Constraints on a clustering: pairs, labels, beliefs, a second graph."""

from sidecut.constraints.consistency import Contradiction
from sidecut.constraints.core import Constraints
from sidecut.constraints.satisfaction import Satisfaction, Tally

__all__ = ["Constraints", "Contradiction", "Satisfaction", "Tally"]
