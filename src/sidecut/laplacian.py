"""The normalised Laplacian of a graph: A → L̄, d, vol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator

from sidecut._validation import Float, Int, check_number
from sidecut.affinity import check_affinity


@dataclass(frozen=True, eq=False)
class Laplacian:
    """The normalised Laplacian `L̄ = I − D^-1/2 A D^-1/2` and what belongs to it.

    A graph with c connected components has c null vectors. An isolated node is a component of its
    own: its row of L̄ is zero, and its degree, which would be 0, is set to the mean degree of the
    others, as if it had a self-loop. Self-loops change no cut; without one, any constraint on the
    node would weigh infinitely much in `Q̄ = D^-1/2 Q D^-1/2`.
    """

    matrix: Any
    degrees: Float
    component: Int

    def toarray(self) -> Float:
        """Return L̄ as a dense matrix."""
        if isinstance(self.matrix, np.ndarray):
            return self.matrix
        result: Float = self.matrix @ np.eye(self.n_samples)
        return result

    @property
    def n_samples(self) -> int:
        """Number of nodes."""
        return len(self.degrees)

    @cached_property
    def volume(self) -> float:
        """Sum of the degrees."""
        return float(self.degrees.sum())

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.component.max()) + 1

    @cached_property
    def trivial(self) -> Float:
        """The unit null vector `d0 = sqrt(d / vol)`: everything in one cluster."""
        result: Float = np.sqrt(self.degrees / self.volume)
        return result

    @cached_property
    def null_space(self) -> sparse.csc_array:
        """Orthonormal null vectors, one per component: `d0` cut to it and scaled."""
        volumes = np.bincount(self.component, weights=self.degrees)
        values = np.sqrt(self.degrees / volumes[self.component])
        entries = (values, (np.arange(self.n_samples), self.component))
        return sparse.coo_array(entries, shape=(self.n_samples, self.n_components)).tocsc()

    def indicator(self, vectors: Float) -> Float:
        """Return `u = D^-1/2 v` for a vector or for each column."""
        scale = 1.0 / np.sqrt(self.degrees)
        result: Float = vectors * (scale if vectors.ndim == 1 else scale[:, None])
        return result


def normalized_laplacian(affinity: Any, *, regularization: float = 0.0) -> Laplacian:
    """Make the normalised Laplacian of a graph.

    Parameters
    ----------
    affinity : array or sparse array of shape (n_samples, n_samples)
        Symmetric and not negative; sparse stays sparse.
    regularization : float
        τ ≥ 0: the Laplacian of `A + τ/N 1 1'`, in which every two nodes are joined weakly. It keeps
        eigenvectors from settling on a few badly connected nodes, as they do in social graphs, and
        the graph has a single component. The mean degree is a usual value. On a sparse graph the
        extra term is applied as an operator and never formed.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.laplacian import normalized_laplacian
    >>> graph = normalized_laplacian(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> graph.degrees, graph.volume, graph.n_components
    (array([1., 2., 1.]), 4.0, 1)
    """
    A = check_affinity(affinity)
    if A.shape[0] == 0:
        raise ValueError("affinity must not be empty")
    tau = check_number(regularization, "regularization")
    if tau < 0:
        raise ValueError(f"regularization must not be negative, got {tau:g}")
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64).ravel()
    isolated = degrees == 0
    if isolated.all():
        raise ValueError(f"affinity has no edges between its {len(degrees)} nodes")
    if tau > 0:
        degrees += tau
        isolated[:] = False
    degrees[isolated] = degrees[~isolated].mean()
    scale = 1.0 / np.sqrt(degrees)
    # An isolated node keeps its self-loop: diagonal 1 − 1 = 0.
    matrix = _scaled(A, scale, np.where(isolated, 0.0, 1.0))
    component = connected_parts(A)
    if tau > 0:
        vector = np.sqrt(tau / len(degrees)) * scale
        component = np.zeros_like(component)
        matrix = (
            MinusRankOne(matrix, vector)
            if sparse.issparse(matrix)
            else matrix - np.outer(vector, vector)
        )
    return Laplacian(matrix, degrees, component)


class MinusRankOne(LinearOperator):  # type: ignore[misc]  # scipy has no types
    """The symmetric operator `S − x x'` with S sparse."""

    def __init__(self, sparse_part: sparse.csr_array, vector: Float) -> None:
        super().__init__(np.dtype(np.float64), sparse_part.shape)
        self.sparse_part = sparse_part
        self.vector = vector

    def _matvec(self, x: Float) -> Float:
        return self._matmat(x)

    def _matmat(self, X: Float) -> Float:
        x = self.vector
        result: Float = self.sparse_part @ X - np.multiply.outer(x, x @ X)
        return result

    def _adjoint(self) -> MinusRankOne:
        return self


def _scaled(A: Any, scale: Float, diagonal: Float) -> Any:
    """Return `diag(diagonal) − diag(scale) A diag(scale)`."""
    if not sparse.issparse(A):
        matrix = A * -scale
        matrix *= scale[:, None]
        matrix[np.diag_indices_from(matrix)] += diagonal
        return matrix
    rows = np.repeat(scale, np.diff(A.indptr))
    half = sparse.csr_array((-A.data * rows * scale[A.indices], A.indices, A.indptr), A.shape)
    return sparse.csr_array(half + sparse.diags_array(diagonal, format="csr"))


def connected_parts(A: Any) -> Int:
    """Return the number of each node's connected component."""
    if not sparse.issparse(A) and (A[0, 1:] > 0).all():
        return np.zeros(len(A), np.intp)
    # As a sparse array: scipy takes small weights of a dense one for missing edges.
    A = sparse.csr_array(A)
    # Most graphs are connected, and a walk from one node tells so in a quarter of the time.
    if len(csgraph.breadth_first_order(A, 0, return_predecessors=False)) == A.shape[0]:
        return np.zeros(A.shape[0], np.intp)
    component: Int = csgraph.connected_components(A, directed=False)[1]
    return component.astype(np.intp)
