"""Where a cut starts: vectors on the constrained path, and labels of a sample of the nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.cluster import k_means, kmeans_plusplus

from sidecut._validation import Float, Int
from sidecut.selection.beliefs import Beliefs

# k-means on the start: from random points, and from must-link components where there are enough.
RANDOM_STARTS, SEEDED_STARTS = 2, 2
MAX_ITER = 30
# The offset of the memberships is freer than the vectors: its "eigenvalue" over their mean.
OFFSET = 0.1


def path_vectors(values: Float, Q: Float, mu: float, n_vectors: int) -> Float:
    """Return the coefficients of the lowest eigenvectors of `Λ/mean(λ) − μ Q/‖Q‖`.

    With both terms scaled, μ has no unit: 0 is the unconstrained cut, 10 near the satisfying end.
    """
    size = np.linalg.norm(Q, 2)
    if mu == 0 or size == 0:
        return np.eye(len(values))[:, :n_vectors]
    vectors: Float = np.linalg.eigh(np.diag(relative(values)) - mu * Q / size)[1]
    return vectors[:, :n_vectors]


def relative(values: Float) -> Float:
    """Return eigenvalues over their mean, as they are where all are zero."""
    result: Float = values / (values.mean() or 1.0)
    return result


def roughness(values: Float) -> Float:
    """Return what holds back each vector and, last, the offset of the memberships."""
    return np.append(relative(values), OFFSET)


def rows_on_the_sphere(F: Float, X: Float) -> Float:
    """Return the K-way embedding: the constant and the K−1 functions `F X`, rows of unit length."""
    E = np.column_stack([np.ones(len(F)), F @ X])
    result: Float = E / np.linalg.norm(E, axis=1, keepdims=True)
    return result


def nearest(E: Float, centres: Float) -> Int:
    """Return the nearest centre of each row."""
    labels: Int = (2 * E @ centres.T - (centres**2).sum(axis=1)).argmax(axis=1)
    return labels


def start_labels(
    F: Float, X: Float, n_clusters: int, beliefs: Beliefs, sample: Int, seed: int
) -> Int:
    """Label the sampled nodes by the vectors X: signs for two clusters, k-means for more.

    The local optima of k-means are a larger source of error than the choice of the basis. It runs
    from several starts, some of them means of must-link components, and the one kept has the best
    balanced satisfaction less its inertia per node.
    """
    if n_clusters == 2:
        return (F[sample] @ X[:, 0] > 0).astype(np.intp)
    E = rows_on_the_sphere(F[sample], X)
    first, second = (rows_on_the_sphere(F[ends], X) for ends in (beliefs.first, beliefs.second))
    seeds = _component_means(F, X, beliefs)
    starts: list[Any] = ["k-means++"] * RANDOM_STARTS
    if seeds is not None and len(seeds[0]) >= n_clusters:
        means, sizes = seeds
        starts += [
            kmeans_plusplus(means, n_clusters, sample_weight=sizes, random_state=seed + k)[0]
            for k in range(SEEDED_STARTS)
        ]
    else:
        starts *= 2
    best, kept = -np.inf, np.zeros(len(sample), np.intp)
    for k, init in enumerate(starts):
        centres, labels, inertia = k_means(
            E, n_clusters, init=init, n_init=1, random_state=seed + k, max_iter=MAX_ITER
        )
        same = (nearest(first, centres) == nearest(second, centres)).astype(np.float64)
        score = beliefs.balanced_satisfaction(same) - inertia / len(E)
        if score > best:
            best, kept = score, labels.astype(np.intp)
    return kept


def fitted_logits(F: Float, labels: Int, n_clusters: int, size: float) -> Float:
    """Return the weights W whose logits `[F 1] W` come closest to the labels, in least squares.

    Inside a cluster its logit would be `size · (1 − 1/K)`, the others `−size / K`.
    """
    rows = np.column_stack([F, np.ones(len(F))])
    gram = rows.T @ rows + 1e-3 * len(rows) * np.eye(rows.shape[1])
    centred = np.eye(n_clusters)[labels] - 1 / n_clusters
    return np.asarray(size * np.linalg.solve(gram, rows.T @ centred), dtype=np.float64)


def _component_means(F: Float, X: Float, beliefs: Beliefs) -> tuple[Float, Float] | None:
    """Return the mean embedding of each must-link component and its size."""
    must = beliefs.signed > 0
    if not must.any():
        return None
    ends = np.concatenate([beliefs.first[must], beliefs.second[must]])
    nodes, place = np.unique(ends, return_inverse=True)
    half = len(place) // 2
    edges = (np.ones(half), (place[:half], place[half:]))
    graph = sparse.coo_array(edges, shape=(len(nodes), len(nodes))).tocsr()
    component = csgraph.connected_components(graph, directed=False)[1]
    sizes = np.bincount(component).astype(np.float64)
    sums = [np.bincount(component, column) for column in rows_on_the_sphere(F[nodes], X).T]
    return np.stack(sums, axis=1) / sizes[:, None], sizes
