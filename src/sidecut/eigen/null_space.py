"""The null space of a normalised Laplacian, one vector per connected component."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator, cg

from sidecut.eigen.operators import Apply, Array, product
from sidecut.laplacian import connected_parts

# Conjugate gradients need about sqrt(1/λ2) steps; a graph beyond this should be factored.
_MAXITER = 2000

# Conjugate gradients leave rounding, most of it rough, which averaging over neighbours takes out.
_SWEEPS = 20

# What is deflated must be right: a null vector off by ε mixes with an eigenvector of λ by ε/λ.
_NULL = 64 * np.finfo(np.float64).eps


def component_vectors(weights: ArrayLike, labels: ArrayLike, limit: int | None = None) -> Array:
    """Return unit vectors that equal ``weights`` on one component each and vanish elsewhere.

    With ``weights = sqrt(degrees)`` these are the null vectors of the normalised Laplacian.

    Parameters
    ----------
    weights : array-like of shape (n,)
        Positive on every component that is to have a vector.
    labels : array-like of shape (n,)
        Component of each node, 0 to c − 1.
    limit : int, optional
        Most vectors returned, largest components first.

    Returns
    -------
    ndarray of shape (n, min(c, limit))

    Examples
    --------
    >>> component_vectors([3.0, 4.0, 2.0], [0, 0, 1])
    array([[0.6, 0. ],
           [0.8, 0. ],
           [0. , 1. ]])
    """
    weights, labels = np.asarray(weights, dtype=np.float64), np.asarray(labels)
    sizes = np.bincount(labels)
    norms = np.sqrt(np.bincount(labels, weights=weights**2))
    chosen = np.argsort(-sizes, kind="stable")
    chosen = chosen[norms[chosen] > 0][:limit]
    column = np.full(sizes.size, -1)
    column[chosen] = np.arange(chosen.size)
    rows = np.flatnonzero(column[labels] >= 0)
    vectors = np.zeros((labels.size, chosen.size))
    vectors[rows, column[labels[rows]]] = weights[rows] / norms[labels[rows]]
    return vectors


def null_space(laplacian: Any, limit: int, inverse: Apply | None = None) -> Array:
    """Null vectors found from the matrix alone; only those that L really maps to zero.

    One vector is enough for all components at once, because L does not couple them: the
    projection of the all-ones vector on the null space, restricted to each component.

    Parameters
    ----------
    laplacian : sparse array, ndarray or LinearOperator
        Symmetric positive semidefinite. A LinearOperator is taken to be connected.
    limit : int
        Most vectors wanted.
    inverse : callable, optional
        ``(L + shift·I)^-1`` with a tiny shift, when a factorisation is at hand. Without it the
        projection is by conjugate gradients.

    Examples
    --------
    >>> import numpy as np
    >>> pair = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> null_space(np.kron(np.eye(2), pair), 4).shape
    (4, 2)
    """
    n = laplacian.shape[0]
    multiply = product(laplacian)
    labels = _components(laplacian)
    weights = np.ones((n, 1))
    for _ in range(3):
        if inverse is not None:
            weights = inverse(weights)
        else:
            image = multiply(weights)[:, 0]
            correction, _ = cg(_one_column(multiply, n), image, rtol=1e-13, maxiter=_MAXITER)
            weights = weights - correction[:, None]
            for _ in range(_SWEEPS):
                weights = weights - multiply(weights) / 2
        weights = _unit_components(weights, labels)
        vectors = component_vectors(np.abs(weights[:, 0]), labels, limit)
        null = np.linalg.norm(multiply(vectors), axis=0) <= _NULL
        if null.all():
            break
    return vectors[:, null]


def _components(laplacian: Any) -> NDArray[np.intp]:
    if isinstance(laplacian, LinearOperator):
        return np.zeros(laplacian.shape[0], dtype=np.intp)
    return connected_parts(laplacian)


def _one_column(multiply: Apply, n: int) -> LinearOperator:
    return LinearOperator(
        (n, n), matvec=lambda x: multiply(x.reshape(-1, 1))[:, 0], dtype=np.float64
    )


def _unit_components(x: Array, labels: NDArray[np.intp]) -> Array:
    # Components scale by very different factors; without this the weak ones would underflow.
    norms = np.sqrt(np.bincount(labels, weights=x[:, 0] ** 2))
    norms[norms == 0] = 1.0
    return np.asarray(x / norms[labels][:, None])
