"""From relaxed indicators to labels: the last step of Algorithms 1 and 2."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from sidecut._validation import Float, Int, check_choice

METHODS = ("auto", "kmeans", "sign", "weighted_sign")


def assign_labels(
    indicators: Float,
    n_clusters: int,
    method: str = "auto",
    *,
    costs: Float | None = None,
    n_init: int = 10,
    random_state: Any = None,
) -> Int:
    """Turn `n_clusters − 1` relaxed indicators into labels.

    Parameters
    ----------
    indicators : array of shape (n_samples, n_clusters − 1)
        The columns `u = D^-1/2 v`.
    n_clusters : int
        Number of clusters K.
    method : {"auto", "kmeans", "sign", "weighted_sign"}
        - `"kmeans"`: k-means on the rows of `D^-1/2 V` (Algorithm 2).
        - `"sign"`: k-means on the rows of `sign(D^-1/2 V)`; for two clusters that is the sign
          itself (Algorithm 1), positive entries being cluster 1.
        - `"weighted_sign"`: the same with the columns divided by their costs, so that cheap cuts
          count for more.
        - `"auto"`: `"sign"` for two clusters, `"kmeans"` for more, as the paper does.
    costs : array of shape (n_clusters − 1,), optional
        `v' L̄ v` of each column; `"weighted_sign"` needs them.
    n_init : int
        Starts of k-means.
    random_state : int, RandomState or None
        For k-means.

    Notes
    -----
    Taken to the letter, the paper's third form `sign(D^-1/2 V (V' L̄ V)^-1)` is the second again
    whenever `V' L̄ V` is diagonal, because a positive factor changes no sign. Its text says that the
    columns are weighted with their inverse costs, and that is what happens here: the weight is put
    on after the sign.

    Examples
    --------
    >>> import numpy as np
    >>> from sidecut.assign import assign_labels
    >>> assign_labels(np.array([[0.2], [1.0], [-0.1]]), 2)
    array([1, 1, 0])
    """
    method = check_choice(method, "assign_labels", METHODS)
    if n_clusters == 1:
        return np.zeros(len(indicators), np.intp)
    if method == "auto":
        method = "sign" if n_clusters == 2 else "kmeans"
    if method != "kmeans" and n_clusters == 2:
        return (indicators[:, 0] > 0).astype(np.intp)
    points = indicators
    if method != "kmeans":
        points = np.where(indicators > 0, 1.0, -1.0)
    if method == "weighted_sign":
        if costs is None:
            raise ValueError('assign_labels="weighted_sign" needs the costs of the cuts')
        # A cut of cost zero outweighs all others; the floor keeps the arithmetic finite.
        points = points / np.maximum(costs, 1e-9 * max(costs.max(), 1e-300))
    # Fewer distinct rows than clusters: each distinct row is a cluster, and some stay empty.
    n_distinct = min(n_clusters, len(np.unique(points, axis=0)))
    kmeans = KMeans(n_distinct, n_init=n_init, random_state=random_state)
    labels: Int = kmeans.fit_predict(points).astype(np.intp)
    return labels
