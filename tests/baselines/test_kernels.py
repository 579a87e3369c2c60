"""Methods that learn or penalise a kernel or a factorisation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from problems import random_graph
from scipy import sparse
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from sidecut import Constraints
from sidecut.baselines import CCSR, PMF, Ncut, SpectralKernel, SSKernelKMeans
from sidecut.baselines._links import signed_links
from sidecut.baselines.ccsr import fit_inner_products
from sidecut.baselines.pmf import objective, update_centres, update_memberships
from sidecut.baselines.spectral_kernel import ordered_weights
from sidecut.baselines.ss_kernel_kmeans import (
    farthest_components,
    kernel_kmeans,
    smallest_shift,
    squared_distances,
)
from sidecut.datasets import two_moons


def problem(seed, n=12):
    rng = np.random.default_rng(seed)
    A = random_graph(rng, n)
    truth = np.arange(n) % 2
    return A, truth, Constraints.sample(truth, 10, random_state=seed)


# -- kernel k-means -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_distances_in_feature_space(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 4))
    weight = rng.uniform(1, 2, 15)
    members = np.zeros((15, 2))
    members[:4, 0] = members[6:9, 1] = 1
    means = [np.average(X[m > 0], axis=0, weights=weight[m > 0]) for m in members.T]
    expected = ((X[:, None] - np.array(means)) ** 2).sum(axis=2)
    found = squared_distances(form(X @ X.T), weight, sparse.csr_array(members))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_kernel_kmeans_with_a_linear_kernel_is_kmeans():
    X, _ = load_iris(return_X_y=True)
    start = KMeans(3, n_init=1, max_iter=1, init=X[[0, 60, 120]]).fit(X).labels_
    labels, distances, n_iter = kernel_kmeans(X @ X.T, np.ones(150), start.astype(int), 3, 100)
    means = np.array([X[labels == k].mean(axis=0) for k in range(3)])
    np.testing.assert_allclose(distances, ((X[:, None] - means) ** 2).sum(axis=2), atol=1e-9)
    np.testing.assert_array_equal(distances.argmin(axis=1), labels)
    assert 1 <= n_iter < 100


def test_the_farthest_large_components_start():
    X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [5.0], [5.1], [9.0]])
    component = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    chosen = farthest_components(X @ X.T, np.ones(8), component, 2)
    # The largest, then the far pair; the lone point at 9 has no must-link.
    np.testing.assert_array_equal(
        chosen.toarray().T, [[1, 1, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 1, 0]]
    )


@pytest.mark.parametrize("objective_name", ["ratio_association", "normalized_cut"])
def test_the_kernel_objective_is_association_with_rewards_and_penalties(objective_name):
    # Over all labellings, the loss of weighted kernel k-means is a constant less
    # Σ_c (links within c of A + W) / weight of c, and no start of ours beats the best of all.
    A, _, known = problem(1, n=9)
    links = signed_links(known, 0).toarray()
    penalty = 9 / (2 * 10)
    S = A + penalty * links
    weight = np.ones(9) if objective_name == "ratio_association" else A.sum(axis=1)
    model = SSKernelKMeans(
        affinity="precomputed", objective=objective_name, n_init=50, random_state=0
    ).fit(A, constraints=known)
    losses, gains = [], []
    scaled = S / np.sqrt(np.outer(weight, weight))
    sigma = -np.linalg.eigvalsh(scaled)[0]
    K = (scaled + sigma * np.eye(9)) / np.sqrt(np.outer(weight, weight))
    for labels in product([0, 1], repeat=9):
        labels = np.array(labels)
        if len(set(labels)) < 2:
            continue
        H = np.eye(2)[labels]
        d = squared_distances(K, weight, sparse.csr_array(H))
        losses.append(weight @ d[np.arange(9), labels])
        gains.append(np.trace(H.T @ S @ H / (H.T @ weight)))
    total = np.array(losses) + np.array(gains)
    np.testing.assert_allclose(total, total[0])
    found = weight @ model.embedding_[np.arange(9), model.labels_]
    assert found >= min(losses) - 1e-9
    assert np.linalg.eigvalsh(K)[0] > -1e-9


def test_the_least_shift():
    A, _, _ = problem(2)
    for form in (np.asarray, sparse.csr_array):
        assert smallest_shift(form(A)) == pytest.approx(-np.linalg.eigvalsh(A)[0])
    assert smallest_shift(A @ A.T) == pytest.approx(0, abs=1e-9)
    ring = sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(1500, 1500)).tocsr()
    assert smallest_shift(ring) == pytest.approx(2 * np.cos(np.pi / 1501), rel=1e-4)


def test_strong_penalties_give_the_truth():
    X, y = two_moons(100, noise=0.2, random_state=0)
    known = Constraints.from_labels(y)
    labels = SSKernelKMeans(penalty=1.0, random_state=0).fit_predict(X, constraints=known)
    assert adjusted_rand_score(y, labels) == 1


# -- CCSR -----------------------------------------------------------------------------------------


def dense_gradient(F, first, second, target, M):
    G = np.zeros_like(M)
    for i, j, t in zip(first, second, target, strict=True):
        G += (F[i] @ M @ F[j] - t) * (np.outer(F[i], F[j]) + np.outer(F[j], F[i]))
    return G


@pytest.mark.parametrize("seed", range(4))
def test_the_semidefinite_program_is_solved(seed):
    rng = np.random.default_rng(seed)
    F = rng.normal(size=(30, 6))
    first = np.r_[np.arange(30), rng.integers(0, 30, 20)]
    second = np.r_[np.arange(30), rng.integers(0, 30, 20)]
    target = np.r_[np.ones(30), rng.integers(0, 2, 20)]
    M = fit_inner_products(F, first, second, target)
    G = dense_gradient(F, first, second, target, M)
    scale = np.linalg.norm(dense_gradient(F, first, second, target, 0 * M))
    # The optimality conditions of a convex program over the cone: M ⪰ 0, G ⪰ 0, <G, M> = 0.
    assert np.linalg.eigvalsh(M)[0] > -1e-9
    assert np.linalg.eigvalsh(G)[0] > -1e-5 * scale
    assert abs((G * M).sum()) < 1e-5 * scale * np.linalg.norm(M)


def test_an_attainable_embedding_is_found():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(40, 4))
    R = rng.normal(size=(4, 2))
    first, second = np.triu_indices(40)
    target = ((F @ R) @ (F @ R).T)[first, second]
    np.testing.assert_allclose(fit_inner_products(F, first, second, target), R @ R.T, atol=1e-4)


def test_ccsr_bends_the_embedding_to_the_links():
    X, y = two_moons(200, noise=0.15, random_state=0)
    known = Constraints.sample(y, 200, random_state=0)
    model = CCSR(random_state=0).fit(X, constraints=known)
    E, links = model.embedding_, signed_links(known, 0).tocoo()
    inner = (E[links.row] * E[links.col]).sum(axis=1)
    assert inner[links.data > 0].mean() > 0.7
    assert abs(inner[links.data < 0].mean()) < 0.25
    assert np.median((E**2).sum(axis=1)) == pytest.approx(1, abs=0.15)
    plain = adjusted_rand_score(y, CCSR(random_state=0).fit_predict(X))
    assert adjusted_rand_score(y, model.labels_) > plain + 0.1


# -- PMF ------------------------------------------------------------------------------------------


def naive_objective(X, G, F, theta):
    return np.linalg.norm(X - G @ F) ** 2 + np.trace(G.T @ theta @ G)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_neither_update_increases_the_objective(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    _, _, known = problem(0, n=30)
    theta = -0.5 * signed_links(known, 0)
    G = rng.uniform(0.1, 1, (30, 3))
    F = rng.normal(size=(3, 5))
    for _ in range(20):
        before = naive_objective(X, G, F, theta.toarray())
        assert objective(form(X), G, F, theta) == pytest.approx(before)
        new = update_memberships(form(X), G, F, theta)
        assert new.min() > 0
        after = naive_objective(X, new, F, theta.toarray())
        assert after <= before + 1e-9
        # Least squares minimises the first term alone; the second does not depend on F.
        G, F = new, update_centres(form(X), new)
        assert naive_objective(X, G, F, theta.toarray()) <= after + 1e-9


def test_the_update_is_the_multiplicative_rule():
    rng = np.random.default_rng(1)
    X, G, F = rng.normal(size=(8, 3)), rng.uniform(0.1, 1, (8, 2)), rng.normal(size=(2, 3))
    _, _, known = problem(1, n=8)
    theta = -signed_links(known, 0).toarray()
    plus, minus = (lambda M: np.maximum(M, 0)), (lambda M: np.maximum(-M, 0))
    up = plus(X @ F.T) + G @ minus(F @ F.T) + minus(theta) @ G
    down = minus(X @ F.T) + G @ plus(F @ F.T) + plus(theta) @ G
    np.testing.assert_allclose(
        update_memberships(X, G, F, sparse.csr_array(theta)), G * np.sqrt(up / down), atol=1e-11
    )


def test_pmf_without_constraints_clusters_like_kmeans():
    X, _ = load_iris(return_X_y=True)
    X = X - X.mean(axis=0)
    labels = PMF(2, random_state=0).fit_predict(X)
    assert adjusted_rand_score(KMeans(2, n_init=10, random_state=0).fit_predict(X), labels) > 0.85


def test_pmf_follows_many_pairs():
    X, y = load_iris(return_X_y=True)
    model = PMF(3, random_state=0)
    plain = adjusted_rand_score(y, model.fit_predict(X))
    known = Constraints.sample(y, 1500, random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > plain + 0.15


# -- spectral kernel ------------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [1.0, 1.3])
@pytest.mark.parametrize("seed", range(4))
def test_the_weights_solve_the_linear_program(decay, seed):
    costs = np.random.default_rng(seed).normal(size=8)
    order = np.diag(np.full(7, decay), 1)[:7] - np.eye(8)[:7]
    expected = linprog(costs, order, np.zeros(7), np.ones((1, 8)), [1.0]).fun
    mu = ordered_weights(costs, decay, least=1)
    assert mu.sum() == pytest.approx(1)
    assert (order @ mu <= 1e-12).all()
    assert costs @ mu == pytest.approx(expected)


def test_spectral_kernel_without_constraints_is_ncut():
    X, _ = load_iris(return_X_y=True)
    plain = Ncut(3, assign_labels="kmeans", random_state=0).fit(X).labels_
    assert adjusted_rand_score(plain, SpectralKernel(3, random_state=0).fit(X).labels_) == 1


def test_constraints_choose_how_many_vectors_count():
    # Four groups on a line of weak links; the constraints pair the first with the third, which
    # the third vector tells and the first does not.
    truth = np.repeat([0, 1, 0, 1], 10)
    A = np.kron(np.eye(4), np.ones((10, 10))) + np.kron(
        np.diag([0.05] * 3, 1) + np.diag([0.05] * 3, -1), np.ones((10, 10))
    )
    known = Constraints.sample(truth, 300, random_state=0)
    model = SpectralKernel(affinity="precomputed", trade_off=5.0, random_state=0)
    assert model.fit(A).embedding_.shape[1] == 1
    assert model.fit(A, constraints=known).embedding_.shape[1] == 3
