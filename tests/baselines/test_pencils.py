"""Methods that solve a generalised eigenproblem: FAST-GE, SPONGE, penalties, landmarks."""

from __future__ import annotations

import numpy as np
import pytest
from problems import random_graph
from scipy import linalg, sparse
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from sidecut import CSP, Constraints
from sidecut.affinity import knn_affinity
from sidecut.baselines import SPONGE, FastGE, IntegratedKL, LandmarkCSP, MustLinkPenalty, Ncut
from sidecut.baselines import _pencil as pencil
from sidecut.baselines._pencil import lowest_pencil
from sidecut.baselines.integrated_kl import spectral_radius
from sidecut.baselines.landmark_csp import landmark_basis, landmark_codes, reduced_cuts
from sidecut.datasets import two_moons


def lap(W):
    return np.diag(W.sum(axis=1)) - W


def problem(seed, n=30):
    rng = np.random.default_rng(seed)
    A = random_graph(rng, n)
    truth = rng.integers(0, 2, n)
    known = Constraints.sample(truth, 20, random_state=seed)
    Q = known.toarray()
    return A, known, np.maximum(Q, 0), np.maximum(-Q, 0)


def same_line(x, y):
    cosine = x @ y / np.linalg.norm(x) / np.linalg.norm(y)
    assert abs(cosine) == pytest.approx(1, abs=1e-7)


# -- the pencil -----------------------------------------------------------------------------------


@pytest.fixture(params=["dense", "shift_invert", "lanczos"])
def form(request, monkeypatch):
    """Return how to pass a matrix so that one of the three ways to solve is taken."""
    monkeypatch.setattr(pencil, "DENSE_NODES", 10)
    monkeypatch.setattr(pencil, "choose", lambda *_: request.param)
    return np.asarray if request.param == "dense" else sparse.csr_array


def test_the_pencil_agrees_with_lapack(form):
    A, _, _, cannot = problem(0)
    L, B = lap(A), lap(cannot) + np.diag(A.sum(axis=1))
    values, X = lowest_pencil(form(L), form(B), 4)
    np.testing.assert_allclose(values, linalg.eigh(L, B, eigvals_only=True)[:4], atol=1e-8)
    np.testing.assert_allclose(X.T @ B @ X, np.eye(4), atol=1e-6)
    np.testing.assert_allclose(L @ X, B @ X * values, atol=1e-7)


def test_a_common_null_vector_is_left_out(form):
    A, _, _, cannot = problem(1)
    d = A.sum(axis=1)
    B = lap(cannot) + np.diag(d)
    H = B - np.outer(B.sum(axis=1), B.sum(axis=1)) / B.sum()
    values, X = lowest_pencil(form(lap(A)), form(B), 3, null=np.ones(30))
    np.testing.assert_allclose(lap(A) @ X, H @ X * values, atol=1e-7)
    np.testing.assert_allclose(B.sum(axis=0) @ X, 0, atol=1e-8)
    C = linalg.null_space(np.ones((1, 30)))
    expected = linalg.eigh(C.T @ lap(A) @ C, C.T @ H @ C, eigvals_only=True)[:3]
    np.testing.assert_allclose(values, expected, rtol=1e-6)


# -- FAST-GE --------------------------------------------------------------------------------------


def test_fast_ge_solves_its_pencil():
    A, known, must, cannot = problem(2)
    d = A.sum(axis=1)
    weight = np.outer(d, d) / (d.min() * d.max())
    L_G = lap(A) + lap(must * weight)
    L_H = lap(cannot * weight) + (np.diag(d) - np.outer(d, d) / d.sum()) / 30
    C = linalg.null_space(np.ones((1, 30)))
    x = C @ linalg.eigh(C.T @ L_G @ C, C.T @ L_H @ C)[1][:, 0]
    x -= d @ x / d.sum()
    labels = FastGE(affinity="precomputed", random_state=0).fit(A, constraints=known).labels_
    assert adjusted_rand_score(x > 0, labels) == 1


def test_fast_ge_without_constraints_is_ncut():
    X, _ = two_moons(150, noise=0.2, random_state=1)
    plain = Ncut(random_state=0).fit(X).labels_
    assert adjusted_rand_score(plain, FastGE(random_state=0).fit(X).labels_) == 1


@pytest.mark.parametrize("method", [FastGE, SPONGE, MustLinkPenalty, IntegratedKL])
def test_all_labels_give_the_truth(method):
    X, y = two_moons(100, noise=0.2, random_state=0)
    model = method(random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(X)) < 0.6
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=Constraints.from_labels(y))) == 1


def test_fast_ge_stays_sparse():
    X, y = two_moons(4000, noise=0.12, random_state=0)
    known = Constraints.sample(y, 300, random_state=0)
    model = FastGE(random_state=0)
    plain = adjusted_rand_score(y, model.fit_predict(X))
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > plain + 0.05


def test_disconnected_graphs_have_an_answer():
    A = linalg.block_diag(*[1 - np.eye(5)] * 4)
    known = Constraints.from_labels([0] * 10 + [1] * 10)
    for method in (FastGE, SPONGE, MustLinkPenalty, IntegratedKL):
        labels = method(affinity="precomputed", random_state=0).fit(A, constraints=known).labels_
        assert adjusted_rand_score([0] * 10 + [1] * 10, labels) == 1, method


# -- SPONGE ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("symmetric", [False, True])
def test_sponge_solves_its_pencil(symmetric):
    A, known, must, cannot = problem(3)
    plus, minus = A / A.max() + must, cannot
    d_plus, d_minus = plus.sum(axis=1), minus.sum(axis=1)
    left, right = lap(plus) + np.diag(d_minus), lap(minus) + np.diag(d_plus)
    if symmetric:
        r = np.where(d_minus > 0, d_minus, np.inf) ** -0.5
        left = lap(plus) / np.sqrt(np.outer(d_plus, d_plus)) + np.eye(30)
        right = lap(minus) * np.outer(r, r) + np.eye(30)
    values, X = linalg.eigh(left, right)
    model = SPONGE(3, affinity="precomputed", symmetric=symmetric, random_state=0)
    E = model.fit(A / A.max(), constraints=known).embedding_
    for k in range(3):
        same_line(E[:, k], X[:, k])
        assert E[:, k] @ right @ E[:, k] == pytest.approx(values[k] ** -2, rel=1e-4)


def test_plain_sponge_without_constraints_has_the_vectors_of_ncut():
    X, _ = load_iris(return_X_y=True)
    plain = Ncut(3, affinity="rbf", random_state=0).fit(X).embedding_
    E = SPONGE(3, affinity="rbf", symmetric=False, random_state=0).fit(X).embedding_
    assert np.ptp(E[:, 0]) == pytest.approx(0, abs=1e-4)
    for k in range(2):
        same_line(E[:, k + 1], plain[:, k])


def test_sponge_finds_the_two_parties_of_a_signed_graph():
    # Everyone is at odds with half of the others, and the positive edges say nothing.
    truth = np.arange(20) % 2
    A = 1 - np.eye(20)
    apart = [(i, j) for i in range(20) for j in range(i) if truth[i] != truth[j]]
    known = Constraints.from_pairs([], apart, n_samples=20)
    labels = SPONGE(affinity="precomputed", random_state=0).fit(A, constraints=known).labels_
    assert adjusted_rand_score(truth, labels) == 1


# -- must-links and relations as penalties --------------------------------------------------------


def test_the_must_link_penalty_is_the_papers_objective():
    A, known, must, _ = problem(4)
    pairs = np.argwhere(np.triu(must))
    U = np.zeros((len(pairs), 30))
    U[np.arange(len(pairs)), pairs[:, 0]] = 1
    U[np.arange(len(pairs)), pairs[:, 1]] = -1
    D = np.diag(A.sum(axis=1))
    X = linalg.eigh(lap(A) + 3 * A.max() * U.T @ U, D)[1]
    model = MustLinkPenalty(affinity="precomputed", beta=3.0).fit(A, constraints=known)
    same_line(model.embedding_[:, 0], X[:, 1])


def test_a_large_penalty_joins_the_must_linked():
    A, known, must, _ = problem(5)
    model = MustLinkPenalty(affinity="precomputed", beta=1e6).fit(A, constraints=known)
    y = model.embedding_[:, 0]
    i, j = must.nonzero()
    np.testing.assert_allclose(y[i], y[j], atol=1e-4 * np.abs(y).max())
    assert known.satisfaction(model.labels_).must.share == 1


def test_the_must_link_penalty_without_must_links_is_ncut():
    A, _, _, cannot = problem(6)
    known = Constraints.from_matrix(-cannot)
    one = Ncut(affinity="precomputed").fit(A).labels_
    two = MustLinkPenalty(affinity="precomputed").fit(A, constraints=known).labels_
    assert adjusted_rand_score(one, two) == 1


def test_integrated_kl_is_its_trace_problem():
    A, known, must, cannot = problem(7)
    d = A.sum(axis=1)
    R = lap(must) - lap(cannot)
    M = 0.7 * (np.eye(30) - A / np.sqrt(np.outer(d, d)))
    M += 0.3 * R / np.abs(np.linalg.eigvalsh(R)).max()
    values, H = np.linalg.eigh(M)
    model = IntegratedKL(3, affinity="precomputed", alpha=0.3, random_state=0)
    E = model.fit(A, constraints=known).embedding_
    np.testing.assert_allclose(np.trace(E.T @ M @ E), values[:3].sum(), atol=1e-8)
    np.testing.assert_allclose(E @ E.T, H[:, :3] @ H[:, :3].T, atol=1e-7)


def test_the_spectral_radius_of_large_constraints():
    rng = np.random.default_rng(0)
    pairs = rng.permutation(1400).reshape(700, 2)
    Q = Constraints.from_pairs(pairs, n_samples=1400).as_pairs().matrix
    assert spectral_radius(sparse.csr_array(3.0 * Q)) == pytest.approx(3)


# -- landmarks ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coded():
    X, y = two_moons(90, noise=0.1, random_state=0)
    codes = landmark_codes(X, X[::4], 4)
    return codes, y, Constraints.sample(y, 60, random_state=0)


def test_codes_are_convex_and_the_graph_has_degrees_one(coded):
    codes, _, _ = coded
    Z = codes.toarray()
    assert Z.min() >= 0
    np.testing.assert_allclose(Z.sum(axis=1), 1)
    A = Z / np.where(Z.sum(axis=0) > 0, Z.sum(axis=0), np.inf) @ Z.T
    np.testing.assert_allclose(A.sum(axis=1), 1)
    costs, V = landmark_basis(codes)
    np.testing.assert_allclose(V.T @ V, np.eye(len(costs)), atol=1e-6)
    np.testing.assert_allclose((np.eye(90) - A) @ V, V * costs, atol=1e-6)


@pytest.mark.parametrize("rule", ["single", "paper"])
def test_reduced_cuts_obey_the_equation_of_csp(coded, rule):
    codes, _, known = coded
    costs, V = landmark_basis(codes)
    v = reduced_cuts(costs, V, known, rule, 1)[:, 0]
    assert v @ v == pytest.approx(90)
    w, Q = V.T @ v, V.T @ known.toarray() @ V
    # L w = λ (Q − β/n) w: three vectors in a plane, λ > 0.
    basis = np.column_stack([Q @ w, -w])
    solution, residual, *_ = np.linalg.lstsq(basis, costs * w, rcond=None)
    assert residual[0] < 1e-16 * 90
    assert solution[0] > 0


def test_with_every_sample_a_landmark_it_is_csp_on_that_graph(coded):
    X, y = two_moons(60, noise=0.15, random_state=1)
    known = Constraints.sample(y, 80, random_state=0)
    codes = landmark_codes(X, X, 6)
    Z = codes.toarray()
    A = Z / Z.sum(axis=0) @ Z.T
    costs, V = landmark_basis(codes)
    assert V.shape == (60, 60)
    ours = reduced_cuts(costs, V, known, "single", 1)[:, 0]
    theirs = CSP(affinity="precomputed", beta="single").fit((A + A.T) / 2, constraints=known)
    same_line(ours, theirs.indicator_)


def test_landmarks_follow_many_pairs():
    X, y = two_moons(1000, noise=0.15, random_state=0)
    known = Constraints.sample(y, 600, random_state=0)
    model = LandmarkCSP(random_state=0)
    plain = adjusted_rand_score(y, model.fit_predict(X))
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > max(plain, 0.8)


def test_landmarks_of_a_graph_are_its_rows():
    X, y = two_moons(300, noise=0.1, random_state=0)
    known = Constraints.sample(y, 400, random_state=0)
    model = LandmarkCSP(affinity="precomputed", random_state=0)
    assert adjusted_rand_score(y, model.fit_predict(knn_affinity(X, 10), constraints=known)) > 0.5
