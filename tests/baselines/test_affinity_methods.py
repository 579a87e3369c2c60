"""Methods that change the affinities: known answers, naive restatements, other packages."""

from __future__ import annotations

import numpy as np
import pytest
from problems import random_constraints, random_graph
from scipy import sparse
from sklearn.cluster import SpectralClustering
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from spectralcluster.constraint import ConstraintPropagation

from sidecut import Constraints
from sidecut.baselines import E2CP, GPPropagation, Ncut, RandomWalkLearning, SpectralLearning
from sidecut.baselines._links import is_soft, signed_links, statements
from sidecut.baselines.e2cp import adjusted, propagate
from sidecut.baselines.gp_propagation import conditioned
from sidecut.baselines.spectral_learning import overwritten
from sidecut.datasets import six_node_graph, two_moons
from sidecut.laplacian import normalized_laplacian

TWO_TRIANGLES = [0, 0, 0, 1, 1, 1]


def problem(seed, n=25):
    rng = np.random.default_rng(seed)
    A = random_graph(rng, n)
    truth = rng.integers(0, 2, n)
    known = Constraints.sample(truth, 15, random_state=seed)
    return A, known, known.toarray()


def angles(one, two):
    """Return the cosines of the principal angles between two column spaces."""
    Q, R = np.linalg.qr(one)[0], np.linalg.qr(two)[0]
    return np.linalg.svd(Q.T @ R)[1]


# -- Ncut -----------------------------------------------------------------------------------------


def test_ncut_splits_the_two_triangles():
    A, known = six_node_graph()
    labels = Ncut(affinity="precomputed").fit(A, constraints=known).labels_
    assert adjusted_rand_score(TWO_TRIANGLES, labels) == 1


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_ncut_agrees_with_scikit_learn(n_clusters):
    X, _ = load_iris(return_X_y=True)
    peer = SpectralClustering(n_clusters, affinity="rbf", gamma=0.5, random_state=0).fit(X)
    ours = Ncut(n_clusters, affinity="rbf", gamma=0.5, assign_labels="kmeans", random_state=0)
    assert adjusted_rand_score(peer.labels_, ours.fit(X).labels_) == 1


def test_ncut_minimises_the_relaxed_cut():
    A, _, _ = problem(0)
    y = Ncut(affinity="precomputed").fit(A).embedding_[:, 0]
    D = np.diag(A.sum(axis=1))
    values = np.sort(np.linalg.eigvals(np.linalg.solve(D, D - A)).real)
    assert y @ (D - A) @ y / (y @ D @ y) == pytest.approx(values[1])
    assert y @ D @ np.ones(25) == pytest.approx(0, abs=1e-9)


# -- spectral learning ----------------------------------------------------------------------------


def test_must_is_one_and_cannot_is_zero():
    A, known, Q = problem(1)
    expected = A / A.max()
    expected[Q > 0], expected[Q < 0] = 1, 0
    links = signed_links(known, 0)
    np.testing.assert_allclose(overwritten(A, links), expected)
    np.testing.assert_allclose(overwritten(sparse.csr_array(A), links).toarray(), expected)


def test_spectral_learning_uses_the_additive_normalisation():
    A, known, Q = problem(2)
    W = A / A.max()
    W[Q > 0], W[Q < 0] = 1, 0
    d = W.sum(axis=1)
    N = (W + np.diag(d.max() - d)) / d.max()
    np.testing.assert_allclose(N.sum(axis=1), 1)
    leading = np.linalg.eigh(N)[1][:, -3:]
    leading /= np.linalg.norm(leading, axis=1, keepdims=True)
    E = SpectralLearning(3, affinity="precomputed", random_state=0).fit(A, constraints=known)
    # Rows agree up to a rotation: their inner products do not know it.
    np.testing.assert_allclose(E.embedding_ @ E.embedding_.T, leading @ leading.T, atol=1e-9)


def test_the_random_walk_has_the_eigenvectors_of_its_matrix():
    A, known, Q = problem(3)
    W = A / A.max()
    W[Q > 0], W[Q < 0] = 1, 0
    P = W / W.sum(axis=1, keepdims=True)
    values, vectors = np.linalg.eig(P)
    leading = vectors[:, np.argsort(-values.real)[:3]].real
    model = RandomWalkLearning(3, affinity="precomputed", random_state=0).fit(A, constraints=known)
    whole = np.column_stack([np.ones(25), model.embedding_])
    np.testing.assert_allclose(angles(whole, leading), 1, atol=1e-9)


def test_the_random_walk_without_constraints_is_ncut():
    X, _ = load_iris(return_X_y=True)
    plain = Ncut(3, assign_labels="kmeans", random_state=0).fit(X).labels_
    assert adjusted_rand_score(plain, RandomWalkLearning(3, random_state=0).fit(X).labels_) == 1


@pytest.mark.parametrize("method", [SpectralLearning, RandomWalkLearning])
def test_all_labels_give_the_truth(method):
    X, y = two_moons(100, noise=0.2, random_state=0)
    model = method(random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X)) < 0.6
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=Constraints.from_labels(y))) == 1


# -- E2CP -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.2, 0.8])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_e2cp_agrees_with_the_spectralcluster_package(alpha, kind):
    A, known, Q = problem(4)
    A = A / A.max()
    ours = adjusted(A, propagate(normalized_laplacian(kind(A)), signed_links(known, 0), alpha))
    np.testing.assert_allclose(ours, ConstraintPropagation(alpha).adjust_affinity(A, Q), atol=1e-8)


def test_e2cp_is_the_limit_of_its_iterations():
    A, known, Q = problem(5)
    S = np.eye(25) - normalized_laplacian(A).toarray()
    vertical = np.zeros_like(Q)
    for _ in range(400):
        vertical = 0.8 * S @ vertical + 0.2 * Q
    F = np.zeros_like(Q)
    for _ in range(400):
        F = 0.8 * F @ S + 0.2 * vertical
    ours = propagate(normalized_laplacian(A), signed_links(known, 0), 0.8)
    np.testing.assert_allclose(ours, F, atol=1e-12)
    assert np.abs(F).max() <= 1


def test_e2cp_repairs_the_moons():
    X, y = two_moons(200, noise=0.15, random_state=0)
    known = Constraints.sample(y, 150, random_state=0)
    model = E2CP(random_state=0)
    plain = adjusted_rand_score(y, model.fit_predict(X))
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > plain + 0.2


# -- Gaussian process -----------------------------------------------------------------------------


def test_conditioning_is_bayes_rule():
    A, known, _ = problem(6)
    K = A @ A.T + np.eye(25)
    pairs = statements(known, 0)
    C = np.zeros((len(pairs.first), 25))
    rows = np.arange(len(C))
    C[rows, pairs.first] = 1
    C[rows, pairs.second] = -np.sign(pairs.weight)
    for noise in (1e-3, 1.0):
        expected = K - K @ C.T @ np.linalg.solve(C @ K @ C.T + noise * np.eye(len(C)), C @ K)
        np.testing.assert_allclose(conditioned(K, signed_links(known, 0), noise), expected)


def test_linked_samples_become_perfectly_correlated():
    K = np.array([[1.0, 0.2, 0.3], [0.2, 1.0, 0.1], [0.3, 0.1, 1.0]])
    known = Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=3)
    F = conditioned(K, signed_links(known, 0), 1e-9)
    r = F / np.sqrt(np.outer(np.diag(F), np.diag(F)))
    np.testing.assert_allclose(r, [[1, 1, -1], [1, 1, -1], [-1, -1, 1]], atol=1e-6)


def test_gaussian_process_moves_the_moons_to_their_side():
    X, y = two_moons(150, noise=0.1, random_state=0)
    known = Constraints.sample(y, 150, random_state=0)
    model = GPPropagation(random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X)) < 0.5
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > 0.85


def test_more_clusters_separate_components_of_must_links():
    X, y = load_iris(return_X_y=True)
    model = GPPropagation(3, random_state=0)
    known = Constraints.sample(y, 500, random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > 0.9


# -- the links that all methods read --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_links_are_the_matrix_without_its_diagonal(seed):
    rng = np.random.default_rng(seed)
    known = random_constraints(rng, 20)
    Q = known.toarray()
    np.fill_diagonal(Q, 0)
    np.testing.assert_allclose(signed_links(known, 0).toarray(), Q)


def test_many_labels_are_sampled():
    known = Constraints.from_labels(np.arange(2000) % 3)
    links = signed_links(known, 0)
    assert 2000 < links.nnz < 2000 * 10
    i, j = links.nonzero()
    np.testing.assert_array_equal(np.sign(links[i, j]) > 0, i % 3 == j % 3)


def test_what_counts_as_soft():
    pairs = Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=4)
    assert not is_soft(Constraints(4), 0)
    assert not is_soft(5 * pairs, 0)
    assert not is_soft(pairs + pairs, 0)
    assert is_soft(pairs + 5 * pairs, 0)
