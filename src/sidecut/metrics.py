"""Scores of a labelling. For satisfaction of constraints see `Constraints.satisfaction`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics.cluster import contingency_matrix

from sidecut._validation import check_labels
from sidecut.affinity import check_affinity


def normalized_cut(affinity: Any, labels: ArrayLike) -> float:
    """Return the normalised cut of Shi and Malik: the sum over clusters of cut / volume.

    A cluster without edges (volume 0) adds nothing.

    Examples
    --------
    >>> from sidecut.datasets import six_node_graph
    >>> from sidecut.metrics import normalized_cut
    >>> round(normalized_cut(six_node_graph()[0], [0, 0, 0, 1, 1, 1]), 4)
    0.2857
    """
    A = check_affinity(affinity)
    codes = check_labels(labels, A.shape[0])
    member = np.eye(int(codes.max()) + 1)[codes]
    volumes = member.T @ np.asarray(A.sum(axis=1)).ravel()
    inside = (member * (A @ member)).sum(axis=0)
    filled = volumes > 0
    return float(((volumes - inside)[filled] / volumes[filled]).sum())


def purity(labels_true: ArrayLike, labels: ArrayLike) -> float:
    """Return the share of nodes that belong to the majority class of their cluster.

    Examples
    --------
    >>> from sidecut.metrics import purity
    >>> purity([0, 0, 1, 1], [5, 5, 5, 7])
    0.75
    """
    truth = np.asarray(labels_true)
    table = contingency_matrix(truth, check_labels(labels, len(truth)))
    return float(table.max(axis=0).sum() / table.sum())
