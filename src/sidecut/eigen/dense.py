"""LAPACK on the whole matrix: exact, cubic, for small graphs and large shares of the spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from sidecut.eigen.operators import densify, product
from sidecut.eigen.orthogonal import Ritz
from sidecut.eigen.task import Pairs, Task


def solve(laplacian: Any, task: Task) -> Pairs:
    """Return the p lowest pairs by ``scipy.linalg.eigh``."""
    matrix = densify(laplacian)
    matrix = (matrix + matrix.T) / 2
    values, vectors = eigh(matrix, subset_by_index=[0, task.p - 1])
    residuals = np.linalg.norm(product(laplacian)(vectors) - vectors * values, axis=0)
    task.report("dense", 1, float(residuals.max()))
    return Pairs(Ritz(values, vectors, residuals), "converged", 1)
