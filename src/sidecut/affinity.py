"""From data to a graph: X or an image → the affinity matrix A.

Every graph built here is symmetric, not negative and without self-loops.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.neighbors import NearestNeighbors

from sidecut._validation import Float, check_count, check_number, check_symmetric
from sidecut.neighbors import nearest_neighbors

# The median distance of the default scale is taken over at most this many points.
MEDIAN_SAMPLE = 1000


def rbf_affinity(X: Any, gamma: float | None = None) -> Float:
    """Join every two points with weight `exp(−gamma ‖x − y‖²)`.

    Parameters
    ----------
    X : array or sparse array of shape (n_samples, n_features)
        The points.
    gamma : float or None
        Inverse squared scale. None takes `1 / (2 m²)` with m the median distance between points;
        the graph then stays the same when the data are multiplied by a number.

    Examples
    --------
    >>> from sidecut.affinity import rbf_affinity
    >>> rbf_affinity([[0.0], [1.0], [3.0]], gamma=1.0).round(3)
    array([[0.   , 0.368, 0.   ],
           [0.368, 0.   , 0.018],
           [0.   , 0.018, 0.   ]])
    """
    gamma = median_gamma(X) if gamma is None else check_number(gamma, "gamma", positive=True)
    kernel = rbf_kernel(X, gamma=gamma)
    # The kernel is symmetric only up to rounding, which is large when X is far from the origin.
    A: Float = (kernel + kernel.T) / 2
    np.fill_diagonal(A, 0.0)
    return A


def median_gamma(X: Any) -> float:
    """Return `1 / (2 m²)` with m the median distance over evenly spaced rows of X."""
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    rows = np.unique(np.linspace(0, n_samples - 1, min(n_samples, MEDIAN_SAMPLE)).astype(np.intp))
    X = X[rows] if sparse.issparse(X) else np.asarray(X)[rows]
    squares = euclidean_distances(X, squared=True)[np.triu_indices(len(rows), 1)]
    squares = squares[squares > 0]
    # Equal points have no scale; any gamma gives the same graph.
    return 1.0 / (2.0 * float(np.median(squares))) if len(squares) else 1.0


def knn_affinity(X: Any, n_neighbors: int = 10, *, method: str = "auto") -> sparse.csr_array:
    """Join each point with its nearest neighbours: `(G + G') / 2` with G the 0/1 k-NN graph.

    A pair that are neighbours of each other weighs 1, a one-sided pair ½, as in scikit-learn. A
    point is not its own neighbour here.

    Parameters
    ----------
    X : array or sparse array of shape (n_samples, n_features)
        The points.
    n_neighbors : int
        Neighbours per point, below n_samples.
    method : {"auto", "exact", "faiss"}
        How they are found; see `sidecut.neighbors`.

    Examples
    --------
    >>> from sidecut.affinity import knn_affinity
    >>> knn_affinity([[0.0], [1.0], [3.0]], n_neighbors=1).toarray()
    array([[0. , 1. , 0. ],
           [1. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    indices = nearest_neighbors(X, n_neighbors, method=method).indices
    n_samples = len(indices)
    starts = np.arange(0, indices.size + 1, n_neighbors, dtype=np.int32)
    halves = np.full(indices.size, 0.5)
    graph = sparse.csr_array((halves, indices.ravel(), starts), shape=(n_samples, n_samples))
    graph.sort_indices()  # sums of sorted rows are faster, and sorted
    return sparse.csr_array(graph + graph.T.tocsr())


def knn_affinity_to(X_new: Any, X: Any, n_neighbors: int = 10) -> sparse.csr_array:
    """Join each new point with its nearest points of X, as `SpectralBasis.embed` takes it.

    Examples
    --------
    >>> from sidecut.affinity import knn_affinity_to
    >>> knn_affinity_to([[0.2]], [[0.0], [1.0], [3.0]], n_neighbors=2).toarray()
    array([[1., 1., 0.]])
    """
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    if check_count(n_neighbors, "n_neighbors", least=1) > n_samples:
        raise ValueError(f"n_neighbors must be at most {n_samples}, got {n_neighbors}")
    search = NearestNeighbors(n_neighbors=n_neighbors).fit(X)
    return sparse.csr_array(search.kneighbors_graph(X_new))


def image_affinity(
    image: ArrayLike,
    *,
    radius: float = 2.0,
    sigma_position: float | None = None,
    sigma_intensity: float | None = None,
) -> sparse.csr_array:
    """Join pixels that are close in position and in intensity.

    Two pixels at distance r ≤ radius weigh `exp(−r² / 2 sigma_position² − c² / 2 sigma_intensity²)`
    with c the (Euclidean) difference of their grey values or colours. The pixels are numbered in C
    order, as in `Constraints.from_scribbles`.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, channels)
        Any real dtype.
    radius : float
        Largest distance of joined pixels, in pixels; at least 1. `float("inf")` joins all.
    sigma_position : float or None
        Scale of the distance; None takes the radius, or a tenth of the image's diagonal when the
        radius is infinite.
    sigma_intensity : float or None
        Scale of the difference; None takes a tenth of the image's range.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.affinity import image_affinity
    >>> image_affinity(np.array([[0, 0, 9]]), radius=1).toarray().round(3)
    array([[0.   , 0.607, 0.   ],
           [0.607, 0.   , 0.   ],
           [0.   , 0.   , 0.   ]])
    """
    pixels = np.asarray(image, dtype=np.float64)
    if pixels.ndim not in (2, 3) or pixels.size == 0:
        raise ValueError(
            f"image must have shape (height, width[, channels]), got {np.shape(image)}"
        )
    if not np.isfinite(pixels).all():
        raise ValueError("image must be finite")
    if not radius >= 1:
        raise ValueError(f"radius must be at least 1, got {radius!r}")
    height, width = pixels.shape[:2]
    diagonal = float(np.hypot(height - 1, width - 1))
    if sigma_position is None:
        sigma_position = radius if np.isfinite(radius) else max(diagonal / 10, 1.0)
    if sigma_intensity is None:
        sigma_intensity = float(np.ptp(pixels)) / 10 or 1.0
    check_number(sigma_position, "sigma_position", positive=True)
    check_number(sigma_intensity, "sigma_intensity", positive=True)

    colours = pixels.reshape(height, width, -1)
    number = np.arange(height * width, dtype=np.int32).reshape(height, width)
    rows, columns, values = [], [], []
    reach = int(min(radius, diagonal))
    # Half of the disc of offsets: each pair once; the transpose brings the other half.
    for dy, dx in product(range(reach + 1), range(-reach, reach + 1)):
        if (dy, dx) <= (0, 0) or np.hypot(dy, dx) > radius or dy >= height or abs(dx) >= width:
            continue
        here = (slice(0, height - dy), slice(max(-dx, 0), width - max(dx, 0)))
        there = (slice(dy, height), slice(max(dx, 0), width - max(-dx, 0)))
        contrast = ((colours[here] - colours[there]) ** 2).sum(axis=-1)
        distance = (dy**2 + dx**2) / (2 * sigma_position**2)
        rows.append(number[here].ravel())
        columns.append(number[there].ravel())
        values.append(np.exp(-distance - contrast.ravel() / (2 * sigma_intensity**2)))
    shape = (height * width, height * width)
    if not rows:
        return sparse.csr_array(shape, dtype=np.float64)
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    half = sparse.coo_array(entries, shape=shape).tocsr()
    return sparse.csr_array(half + half.T)


def check_affinity(affinity: Any, name: str = "affinity") -> Any:
    """Return a precomputed affinity as a float64 array or CSR array, or say what is wrong with it.

    It must be square, finite, symmetric and not negative. Self-loops are kept: the paper's degrees
    count them.
    """
    return check_symmetric(affinity, name, nonnegative=True)
