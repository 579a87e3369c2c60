from __future__ import annotations

import numpy as np
import pytest
from problems import random_graph
from scipy import linalg, sparse
from scipy.sparse import csgraph

from sidecut.laplacian import normalized_laplacian


@pytest.mark.parametrize("density", [1.0, 0.3])
def test_it_is_the_textbook_matrix(density):
    A = random_graph(np.random.default_rng(0), 12, density=density)
    graph = normalized_laplacian(A)
    assert sparse.issparse(graph.matrix) == sparse.issparse(A)
    L = graph.matrix.toarray() if sparse.issparse(A) else graph.matrix
    dense = A.toarray() if sparse.issparse(A) else A
    np.testing.assert_allclose(L, csgraph.laplacian(dense, normed=True), atol=1e-14)
    np.testing.assert_allclose(graph.degrees, dense.sum(axis=1))
    assert graph.volume == pytest.approx(dense.sum())
    np.testing.assert_allclose(L @ graph.trivial, 0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(graph.trivial), 1)


def test_self_loops_count_in_the_degree():
    graph = normalized_laplacian(np.array([[2.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(graph.degrees, [3, 1])
    np.testing.assert_allclose(graph.matrix @ graph.trivial, 0, atol=1e-15)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_null_space_has_one_vector_per_component(kind):
    A = linalg.block_diag(1 - np.eye(3), 1 - np.eye(4), [[0.0]])
    graph = normalized_laplacian(kind(A))
    assert graph.n_components == 3
    Z = graph.null_space.toarray()
    np.testing.assert_allclose(Z.T @ Z, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(graph.matrix @ Z, 0, atol=1e-14)
    assert graph.degrees[-1] == pytest.approx((3 * 2 + 4 * 3) / 7)


def test_weak_edges_join_components():
    A = np.array([[0, 1, 1e-12], [1, 0, 0], [1e-12, 0, 0]])
    assert normalized_laplacian(A).n_components == 1


def test_indicator_divides_by_the_root_of_the_degree():
    graph = normalized_laplacian(np.array([[0.0, 4.0], [4.0, 0.0]]))
    np.testing.assert_allclose(graph.indicator(np.array([1.0, 2.0])), [0.5, 1.0])
    np.testing.assert_allclose(graph.indicator(np.ones((2, 3))), np.full((2, 3), 0.5))


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.zeros((3, 3)), "affinity has no edges between its 3 nodes"),
        (np.zeros((0, 0)), "affinity must not be empty"),
        (sparse.csr_array((2, 2)), "affinity has no edges between its 2 nodes"),
    ],
)
def test_a_graph_without_edges_is_refused(A, message):
    with pytest.raises(ValueError, match=message):
        normalized_laplacian(A)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_regularisation_joins_every_two_nodes(kind):
    rng = np.random.default_rng(0)
    A = linalg.block_diag(random_graph(rng, 5), random_graph(rng, 4), [[0.0]])
    graph = normalized_laplacian(kind(A), regularization=0.7)
    expected = normalized_laplacian(A + 0.7 / 10)
    np.testing.assert_allclose(graph.toarray(), expected.toarray(), atol=1e-14)
    np.testing.assert_allclose(graph.degrees, expected.degrees)
    assert graph.n_components == 1
    X = rng.normal(size=(10, 3))
    np.testing.assert_allclose(graph.matrix @ X, expected.matrix @ X, atol=1e-14)
    np.testing.assert_allclose(graph.matrix @ X[:, 0], expected.matrix @ X[:, 0], atol=1e-14)


def test_a_bad_regularisation_is_named():
    with pytest.raises(ValueError, match="regularization must not be negative, got -1"):
        normalized_laplacian(np.ones((2, 2)), regularization=-1)
