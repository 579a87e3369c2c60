"""The lowest eigenpairs of a normalised Laplacian: one door, one file per solver."""

from sidecut.eigen.choose import choose
from sidecut.eigen.order import separator_width
from sidecut.eigen.result import EigenResult
from sidecut.eigen.solve import SOLVERS, lowest

__all__ = ["SOLVERS", "EigenResult", "choose", "lowest", "separator_width"]
