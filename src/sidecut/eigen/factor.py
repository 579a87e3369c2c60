"""Sparse factorisations of a shifted Laplacian, as a solve callable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, splu
from threadpoolctl import threadpool_limits

from sidecut.eigen.multifrontal.dissect import Tree, dissect
from sidecut.eigen.multifrontal.distances import is_thin
from sidecut.eigen.multifrontal.factor import Multifrontal
from sidecut.eigen.operators import Apply
from sidecut.eigen.parallel import column_pieces

#: Added to L before factoring. Far below any eigenvalue that float64 can tell from zero with some
#: digits to spare, far above the rounding that would make the factor indefinite.
SHIFT = 1e-10
# From so many entries on, dissection is at least as fast as minimum degree: 40 000 nodes of 13.
_DISSECT_FROM = 500_000
# Separators of so many times √n nodes are too wide for it.
_WIDEST_PER_ROOT = 10
# Columns of one solve: a fifth would not make them cheaper (9 ms each, one alone takes 19).
_COLUMNS = 4
# Columns that SuperLU eliminates together. It scatters them over as many arrays of n entries, and
# 20, its default, do not stay in cache: 20 s at 1 000 000 nodes where 4 take 16.
_PANEL = 4


@dataclass(frozen=True)
class Factor:
    """A factorisation of ``L + shift·I``.

    Attributes
    ----------
    solve : callable
        ``B -> (L + shift·I)^-1 B`` for a vector or a block of columns.
    shift : float
        What was added to the diagonal.
    nnz : int
        Stored entries of the factors.
    """

    solve: Apply
    shift: float
    nnz: int


def factorize(laplacian: Any, shift: float = SHIFT) -> Factor:
    """Factor ``L + shift·I``, by minimum degree or, where a graph is large, by dissection.

    Small graphs go to SuperLU in symmetric mode. On a positive definite matrix the diagonal needs
    no pivoting, so the fill is that of a Cholesky factor; SciPy's default ordering fills in
    two to three times as much. Its work per node grows with the graph, that of `Multifrontal`
    hardly does: level at 60 000 nodes of a 2-D 10-NN graph, it takes six tenths of the time at a
    million and solves twice as fast, and in three dimensions it is thirty times faster at
    100 000. Long, thin graphs and such without narrow separators stay with SuperLU.

    Parameters
    ----------
    laplacian : sparse array or ndarray of shape (n, n)
        Symmetric positive semidefinite.
    shift : float, default=1e-10
        Positive makes the singular Laplacian definite. A small negative one is allowed: with few
        eigenvalues below it, elimination without pivoting stays accurate enough.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> path = sp.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> factor = factorize(path, shift=0.5)
    >>> np.round(factor.solve(np.array([1.0, 1.0])), 6)
    array([2., 2.])
    """
    rows = _rows(laplacian)
    # Branches are shared out among the cores; BLAS on several would only wait for them.
    with threadpool_limits(1, user_api="blas"):
        tree = _dissected(rows)
        if tree is not None:
            fronts = Multifrontal(rows, tree, shift)
            return Factor(fronts.solve, shift, fronts.nnz)
    lu = splu(
        _shifted(rows, shift),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        panel_size=_PANEL,
        options={"SymmetricMode": True},
    )

    return Factor(column_pieces(lu.solve, _COLUMNS), shift, int(lu.nnz))


def factorize_cholmod(laplacian: Any, shift: float = SHIFT) -> Factor:
    """Factor ``L + shift·I`` with CHOLMOD: half the work and memory, needs scikit-sparse."""
    try:
        from sksparse.cholmod import cholesky
    except ImportError as error:
        raise ImportError(
            "solver='cholmod' needs scikit-sparse: pip install 'scikit-sparse<0.5' (it builds "
            "against SuiteSparse: libsuitesparse-dev on Debian). solver='shift_invert' needs "
            "nothing beyond SciPy."
        ) from error
    factor = cholesky(_shifted(_rows(laplacian), shift))

    return Factor(column_pieces(factor, _COLUMNS), shift, int(factor.L().nnz))


def _dissected(rows: sp.csr_array) -> Tree | None:
    """Dissect a graph where that pays: it is large, not thin, and has narrow separators."""
    if rows.nnz < _DISSECT_FROM or is_thin(rows):
        return None
    tree = dissect(rows)
    return tree if tree.widest <= _WIDEST_PER_ROOT * np.sqrt(rows.shape[0]) else None


def _rows(laplacian: Any) -> sp.csr_array:
    if isinstance(laplacian, LinearOperator):
        raise TypeError(
            "laplacian is a LinearOperator; factoring needs its entries. Pass a sparse matrix, or "
            "use solver='lanczos' or 'chebyshev', which need only products."
        )
    return sp.csr_array(laplacian, dtype=np.float64)


def _shifted(rows: sp.csr_array, shift: float) -> Any:
    # splu and CHOLMOD take columns, which in a symmetric matrix are the rows, in the older class.
    matrix = sp.csc_matrix((rows.data, rows.indices, rows.indptr), rows.shape)
    return (matrix + shift * sp.identity(rows.shape[0], format="csc")).tocsc()
