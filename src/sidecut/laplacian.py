"""The normalised Laplacian of a graph: A → L̄, d, vol."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from sidecut._validation import Float, Int
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


def normalized_laplacian(affinity: Any) -> Laplacian:
    """Make the normalised Laplacian of a graph.

    Parameters
    ----------
    affinity : array or sparse array of shape (n_samples, n_samples)
        Symmetric and not negative; sparse stays sparse.

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
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64).ravel()
    isolated = degrees == 0
    if isolated.all():
        raise ValueError(f"affinity has no edges between its {len(degrees)} nodes")
    degrees[isolated] = degrees[~isolated].mean()
    scale = 1.0 / np.sqrt(degrees)
    # An isolated node keeps its self-loop: diagonal 1 − 1 = 0.
    diagonal = np.where(isolated, 0.0, 1.0)
    if sparse.issparse(A):
        half = sparse.dia_array((scale[None, :], 0), shape=A.shape)
        identity = sparse.dia_array((diagonal[None, :], 0), shape=A.shape)
        matrix = sparse.csr_array(identity - half @ A @ half)
    else:
        matrix = np.diag(diagonal) - scale[:, None] * A * scale
    return Laplacian(matrix, degrees, _components(A))


def _components(A: Any) -> Int:
    """Return the number of each node's connected component."""
    if not sparse.issparse(A) and (A[0, 1:] > 0).all():
        return np.zeros(len(A), np.intp)
    # As a sparse array: scipy takes small weights of a dense one for missing edges.
    component: Int = csgraph.connected_components(sparse.csr_array(A), directed=False)[1]
    return component.astype(np.intp)
