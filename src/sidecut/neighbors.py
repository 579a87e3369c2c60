"""Nearest neighbours, exact or approximate, behind one function."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

from sidecut._validation import check_choice, check_count

logger = logging.getLogger(__name__)

METHODS = ("auto", "exact", "faiss")

# A k-d tree wins up to so many dimensions, comparing everything with everything above; measured on
# 40 000 points of overlapping blobs.
TREE_DIMENSIONS = 8
# Below so many points the exact search takes seconds at most.
EXACT_SAMPLES = 20_000
# The recall of an approximate search is measured on so many points. At a true recall of .99 and
# 10 neighbours its standard error is below .002.
CHECKED = 500


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Neighbours of each point, nearest first.

    Attributes
    ----------
    indices : array of shape (n_samples, n_neighbors)
        The point itself is never among them, copies of it may be.
    method : {"exact", "faiss"}
        How they were found.
    recall : float
        Share of the true neighbours that were found: 1 when exact, otherwise measured on a sample.
    """

    indices: NDArray[np.int32]
    method: str
    recall: float


def nearest_neighbors(
    X: Any, n_neighbors: int, *, method: str = "auto", recall: float = 0.99
) -> Neighbors:
    """Find the nearest neighbours of every point among the others.

    Parameters
    ----------
    X : array or sparse array of shape (n_samples, n_features)
        The points.
    n_neighbors : int
        Neighbours per point, below n_samples.
    method : {"auto", "exact", "faiss"}
        `"exact"` takes a k-d tree in up to 8 dimensions and compares every two points in more.
        `"faiss"` (`pip install 'sidecut[neighbors]'`) looks only into the cells near a point.
        `"auto"` decides:

        1. X is sparse, has up to 20 000 points or up to 8 features: exact.
        2. faiss is installed: faiss.
        3. exact.
    recall : float
        The share of true neighbours that an approximate search must find. It is measured on 500
        points, and more cells are searched until it is reached.

    Examples
    --------
    >>> from sidecut.neighbors import nearest_neighbors
    >>> nearest_neighbors([[0.0], [1.0], [3.0], [3.5]], 1).indices.ravel()
    array([1, 0, 3, 2], dtype=int32)
    """
    check_choice(method, "method", METHODS)
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    n_samples, n_features = X.shape
    if check_count(n_neighbors, "n_neighbors", least=1) >= n_samples:
        raise ValueError(f"n_neighbors must be below n_samples = {n_samples}, got {n_neighbors}")
    if not 0 < recall <= 1:
        raise ValueError(f"recall must be above 0 and at most 1, got {recall!r}")
    if method == "auto":
        hard = n_samples > EXACT_SAMPLES and n_features > TREE_DIMENSIONS
        found = find_spec("faiss") is not None
        method = "faiss" if hard and found and not sparse.issparse(X) else "exact"
        if hard and not found:
            logger.info("exact neighbours of %d points; faiss would be faster", n_samples)
    if method == "faiss":
        return _faiss(X, n_neighbors, recall)
    if sparse.issparse(X) or n_features > TREE_DIMENSIONS:
        search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(X)
        indices = search.kneighbors(return_distance=False)
    else:
        # Points of a grid have many equal coordinates; a tree of medians is slow to build there.
        tree = KDTree(X, balanced_tree=False)
        # Leaf by leaf the search stays in cache: over twice as fast on a million points.
        near = np.empty((n_samples, n_neighbors + 1), np.intp)
        near[tree.indices] = tree.query(X[tree.indices], n_neighbors + 1, workers=-1)[1]
        indices = _without_self(near)
    return Neighbors(indices.astype(np.int32), "exact", 1.0)


def _faiss(X: Any, n_neighbors: int, recall: float) -> Neighbors:
    """Search the cells of a k-means partition, as many as the recall needs."""
    try:
        import faiss
    except ImportError as error:
        raise ImportError("method='faiss' needs faiss: pip install 'sidecut[neighbors]'") from error
    if sparse.issparse(X):
        raise TypeError("method='faiss' needs a dense X; use method='exact'")
    # faiss computes ‖x‖² + ‖y‖² − 2x'y in float32: centred data lose the least.
    points = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float32)
    n_samples, n_features = points.shape
    n_cells = max(1, min(int(3 * np.sqrt(n_samples)), n_samples // 39))
    quantizer = faiss.IndexFlatL2(n_features)
    index = faiss.IndexIVFFlat(quantizer, n_features, n_cells)
    index.cp.seed = 1
    # The least that faiss trains on without a warning, taken evenly.
    index.train(points[:: max(1, n_samples // (40 * n_cells))])
    index.add(points)

    sample = np.linspace(0, n_samples - 1, min(CHECKED, n_samples)).astype(np.intp)
    flat = faiss.IndexFlatL2(n_features)
    flat.add(points)
    truth = _without_self(flat.search(points[sample], n_neighbors + 1)[1], sample)
    index.nprobe = 1
    while True:
        tried = _without_self(index.search(points[sample], n_neighbors + 1)[1], sample)
        reached = float((tried[:, :, None] == truth[:, None, :]).any(axis=2).mean())
        # Half of what may be missed is left to the chance of the sample.
        if 1 - reached <= (1 - recall) / 2 or index.nprobe >= n_cells:
            break
        index.nprobe = min(2 * index.nprobe, n_cells)
    indices = _without_self(index.search(points, n_neighbors + 1)[1])
    return Neighbors(indices.astype(np.int32), "faiss", reached)


def _without_self(indices: Any, rows: Any = None) -> Any:
    """Drop each point from its own list; among copies it may be missing, then the last goes."""
    rows = np.arange(len(indices)) if rows is None else rows
    own = indices == rows[:, None]
    own[~own.any(axis=1), -1] = True
    return indices[~own].reshape(len(indices), -1)
