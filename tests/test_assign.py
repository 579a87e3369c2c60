from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sidecut.assign import assign_labels


def three_groups():
    corners = np.array([[2.0, 0.1], [-1.0, 2.0], [-1.0, -2.0]])
    truth = np.repeat([0, 1, 2], 20)
    noise = np.random.default_rng(0).normal(scale=0.05, size=(60, 2))
    return corners[truth] + noise, truth


def test_two_clusters_are_the_sign():
    u = np.array([[0.5], [-0.1], [0.0], [3.0]])
    for method in ("auto", "sign", "weighted_sign"):
        np.testing.assert_array_equal(assign_labels(u, 2, method), [1, 0, 0, 1])


def test_two_clusters_by_kmeans_split_where_the_values_do():
    u = np.array([[5.0], [0.2], [0.1], [5.1]])
    labels = assign_labels(u, 2, "kmeans", random_state=0)
    assert labels[0] == labels[3] != labels[1] == labels[2]


@pytest.mark.parametrize("method", ["auto", "kmeans", "sign", "weighted_sign"])
def test_each_method_finds_clear_groups(method):
    U, truth = three_groups()
    labels = assign_labels(U, 3, method, costs=np.array([1.0, 2.0]), random_state=0)
    assert adjusted_rand_score(truth, labels) == 1


def test_signs_ignore_outliers():
    U, truth = three_groups()
    U[0] *= 500
    assert adjusted_rand_score(truth, assign_labels(U, 3, "sign", random_state=0)) == 1
    assert adjusted_rand_score(truth, assign_labels(U, 3, "kmeans", random_state=0)) < 1


def test_cheap_cuts_outweigh_dear_ones():
    # Four sign patterns, three clusters: the two patterns that differ in the dear cut merge.
    U = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=float).repeat([9, 9, 9, 1], axis=0)
    labels = assign_labels(U, 2 + 1, "weighted_sign", costs=np.array([0.01, 5.0]), random_state=0)
    plus, minus = set(labels[:18]), set(labels[18:])
    assert not plus & minus


def test_fewer_distinct_rows_than_clusters_leave_clusters_empty():
    labels = assign_labels(np.ones((5, 3)), 4, "sign")
    np.testing.assert_array_equal(labels, 0)


def test_one_cluster():
    np.testing.assert_array_equal(assign_labels(np.empty((3, 0)), 1), [0, 0, 0])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="assign_labels must be one of"):
        assign_labels(np.ones((3, 1)), 2, "qr")
    with pytest.raises(ValueError, match=r"weighted_sign.* needs the costs"):
        assign_labels(np.ones((3, 2)), 3, "weighted_sign")
