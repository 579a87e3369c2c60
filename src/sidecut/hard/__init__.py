"""Labels that keep every constraint, or an error that names why none can."""

from sidecut.hard.apart import ContradictionError
from sidecut.hard.core import hard_labels

__all__ = ["ContradictionError", "hard_labels"]
