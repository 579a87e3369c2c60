from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_graph
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from sidecut.affinity import check_affinity, image_affinity, knn_affinity, rbf_affinity


def check_graph(A):
    dense = A.toarray() if sparse.issparse(A) else A
    np.testing.assert_array_equal(dense, dense.T)
    assert (dense >= 0).all()
    assert not dense.diagonal().any()


@given(st.integers(0, 1000))
def test_rbf_is_the_usual_kernel_without_self_loops(seed):
    X = np.random.default_rng(seed).normal(size=(15, 3))
    A = rbf_affinity(X, gamma=0.7)
    check_graph(A)
    np.testing.assert_allclose(A + np.eye(15), rbf_kernel(X, gamma=0.7))


def test_the_default_scale_follows_the_data():
    X = np.random.default_rng(0).normal(size=(40, 3))
    np.testing.assert_allclose(rbf_affinity(X), rbf_affinity(1000 * X), rtol=1e-9)
    np.testing.assert_allclose(rbf_affinity(X), rbf_affinity(sparse.csr_array(X)), rtol=1e-9)
    # The median distance has weight exp(−½).
    assert np.median(rbf_affinity(X)[np.triu_indices(40, 1)]) == pytest.approx(np.exp(-0.5), 1e-3)


def test_equal_points_are_all_joined():
    np.testing.assert_array_equal(rbf_affinity(np.ones((4, 2))), 1 - np.eye(4))


def test_neighbours_are_symmetric_and_not_oneself():
    X = np.random.default_rng(0).normal(size=(50, 2))
    A = knn_affinity(X, 5)
    check_graph(A)
    assert set(np.unique(A.data)) == {0.5, 1.0}
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    nearest = np.argsort(distances, axis=1)[:, 1:6]
    for i in range(50):
        assert set(nearest[i]) <= set(A[[i]].indices)


@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 3), (1, 7), (7, 1)])
@pytest.mark.parametrize("radius", [1, 1.5, 2, 3, float("inf")])
def test_image_grid_agrees_with_comparing_every_two_pixels(shape, radius):
    image = np.random.default_rng(0).uniform(size=shape)
    A = image_affinity(image, radius=radius, sigma_position=1.7, sigma_intensity=0.3)
    check_graph(A)
    height, width = shape[:2]
    place = np.stack(np.meshgrid(range(height), range(width), indexing="ij"), -1).reshape(-1, 2)
    colour = image.reshape(height * width, -1)
    r2 = ((place[:, None] - place) ** 2).sum(-1)
    c2 = ((colour[:, None] - colour) ** 2).sum(-1)
    expected = np.exp(-r2 / (2 * 1.7**2) - c2 / (2 * 0.3**2)) * (r2 <= radius**2) * (r2 > 0)
    np.testing.assert_allclose(A.toarray(), expected, rtol=1e-12)


def test_image_defaults_do_not_depend_on_the_dtype():
    image = np.random.default_rng(0).integers(0, 256, (8, 9), dtype=np.uint8)
    np.testing.assert_allclose(image_affinity(image).data, image_affinity(image / 255.0).data)
    flat = image_affinity(np.full((4, 4), 7))
    assert flat.data.min() > 0.5


def test_a_single_pixel_has_no_edges():
    assert image_affinity(np.ones((1, 1))).nnz == 0


def test_a_good_affinity_is_not_altered():
    A = random_graph(np.random.default_rng(0), 6)
    A[2, 2] = 3.0
    np.testing.assert_array_equal(check_affinity(A), A)
    assert sparse.issparse(check_affinity(sparse.coo_matrix(A)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_affinity([[0, np.nan], [np.nan, 0]]), "affinity must be finite, got nan"),
        (lambda: check_affinity([[0, np.inf], [np.inf, 0]]), "affinity must be finite, got inf"),
        (lambda: check_affinity([[0, -2], [-2, 0]]), "affinity must not be negative, got -2"),
        (lambda: check_affinity([[0, 1], [2, 0]]), r"symmetric, got 1 at \(0, 1\) and 2 at"),
        (lambda: check_affinity(np.ones(3)), r"square matrix, got shape \(3,\)"),
        (
            lambda: check_affinity(sparse.csr_array([[0, 1], [0, 0]])),
            r"affinity must be symmetric, got 1 at \(0, 1\)",
        ),
        (lambda: rbf_affinity(np.ones((3, 1)), gamma=0), "gamma must be a positive finite number"),
        (lambda: knn_affinity(np.ones((3, 1)), 3), "n_neighbors must be below n_samples = 3"),
        (lambda: knn_affinity(np.ones((3, 1)), 0), "n_neighbors must be an integer of at least 1"),
        (lambda: image_affinity(np.ones(3)), r"image must have shape \(height, width"),
        (lambda: image_affinity(np.ones((0, 3))), r"image must have shape \(height, width"),
        (lambda: image_affinity([[np.nan]]), "image must be finite"),
        (lambda: image_affinity(np.ones((3, 3)), radius=0.5), "radius must be at least 1"),
        (lambda: image_affinity(np.ones((3, 3)), sigma_position=-1), "sigma_position must be"),
        (lambda: image_affinity(np.ones((3, 3)), sigma_intensity=0), "sigma_intensity must be"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
