"""Methods that restrict the cut to a subspace."""

from __future__ import annotations

import numpy as np
import pytest
from problems import random_graph
from scipy import linalg, sparse
from sklearn.metrics import adjusted_rand_score

from sidecut import Constraints
from sidecut.baselines import GroupingWithBias, InconsistentAdvice, Ncut, SubspaceTrick
from sidecut.baselines._links import signed_links
from sidecut.baselines._subspace import two_sides
from sidecut.baselines.inconsistent_advice import low_vectors, signed_laplacian
from sidecut.datasets import six_node_graph, two_moons


def problem(seed, n=24, n_pairs=10):
    rng = np.random.default_rng(seed)
    A = random_graph(rng, n)
    truth = rng.integers(0, 2, n)
    return A, truth, Constraints.sample(truth, n_pairs, random_state=seed)


def lap(W):
    return np.diag(W.sum(axis=1)) - W


def ncut_quotient(A, x):
    d = A.sum(axis=1)
    x = x - d @ x / d.sum()
    return x @ lap(A) @ x / (d @ x**2)


def lowest_in(A, T):
    """Return the second solution of T'(D − A)T w = λ T'DT w, as a vector of nodes; dense."""
    T = linalg.orth(T)
    D = np.diag(A.sum(axis=1))
    values, W = linalg.eigh(T.T @ lap(A) @ T, T.T @ D @ T)
    assert values[0] == pytest.approx(0, abs=1e-10)
    return values[1], T @ W[:, 1]


# -- sides ----------------------------------------------------------------------------------------


def test_sides_follow_chains_of_links():
    known = Constraints.from_pairs([(0, 1), (5, 6)], [(1, 2), (2, 3)], n_samples=8)
    sides = two_sides(signed_links(known, 0))
    np.testing.assert_array_equal(sides.sign, [1, 1, -1, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(sides.opposed[sides.group], [1, 1, 1, 1, 0, 0, 0, 0])
    assert not sides.frustrated.any()


def test_an_odd_cycle_of_cannot_links_is_frustrated():
    known = Constraints.from_pairs([], [(0, 1), (1, 2), (0, 2)], n_samples=4)
    sides = two_sides(signed_links(known, 0))
    np.testing.assert_array_equal(sides.frustrated[sides.group], [1, 1, 1, 0])


@pytest.mark.parametrize("seed", range(5))
def test_true_constraints_are_never_frustrated(seed):
    _, truth, known = problem(seed, n_pairs=60)
    sides = two_sides(signed_links(known, 0))
    assert not sides.frustrated.any()
    for group in range(sides.n_groups):
        nodes = sides.group == group
        assert abs(np.sum(sides.sign[nodes] * (2 * truth[nodes] - 1))) == nodes.sum()


# -- the subspace trick ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_subspace_trick_is_its_generalised_eigenproblem(seed):
    A, _, known = problem(seed)
    sides = two_sides(signed_links(known, 0))
    # One column per group with its signs, and the offset.
    T = np.zeros((24, sides.n_groups + 1))
    T[np.arange(24), sides.group] = sides.sign
    T[:, -1] = 1.0
    value, x = lowest_in(A, T)
    model = SubspaceTrick(affinity="precomputed").fit(A, constraints=known)
    ours = model.embedding_[:, 0]
    assert ncut_quotient(A, ours) == pytest.approx(value, rel=1e-8)
    centred = ours - A.sum(axis=1) @ ours / A.sum()
    assert abs(np.corrcoef(centred, x)[0, 1]) == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("method", [SubspaceTrick, InconsistentAdvice])
@pytest.mark.parametrize("seed", range(4))
def test_consistent_constraints_are_all_satisfied(method, seed):
    A, truth, known = problem(seed, n_pairs=14)
    assert known.satisfaction(method(affinity="precomputed").fit(A).labels_).share < 1
    labels = method(affinity="precomputed").fit(A, constraints=known).labels_
    assert known.satisfaction(labels).share == 1
    everything = Constraints.from_labels(truth)
    labels = method(affinity="precomputed").fit(A, constraints=everything).labels_
    assert adjusted_rand_score(truth, labels) == 1


@pytest.mark.parametrize("method", [SubspaceTrick, InconsistentAdvice, GroupingWithBias])
def test_no_constraints_is_ncut(method):
    X, _ = two_moons(150, noise=0.2, random_state=1)
    plain = Ncut(random_state=0).fit(X)
    model = method(random_state=0).fit(X)
    np.testing.assert_array_equal(
        model.labels_ == model.labels_[0], plain.labels_ == plain.labels_[0]
    )
    assert abs(np.corrcoef(model.embedding_[:, 0], plain.embedding_[:, 0])[0, 1]) > 0.999999


def test_contradictions_are_refused_by_name():
    A, _ = six_node_graph()
    known = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)], n_samples=6)
    with pytest.raises(ValueError, match=r"two clusters can satisfy.*3 nodes, node 0 first"):
        SubspaceTrick(affinity="precomputed").fit(A, constraints=known)


def test_must_links_between_all_nodes_leave_one_cluster():
    A, _ = six_node_graph()
    known = Constraints.from_labels([0] * 6)
    for method in (SubspaceTrick, InconsistentAdvice):
        assert len(set(method(affinity="precomputed").fit(A, constraints=known).labels_)) == 1


def test_few_pairs_move_the_moons():
    X, y = two_moons(1500, noise=0.12, random_state=0)
    known = Constraints.sample(y, 400, random_state=0)
    plain = adjusted_rand_score(y, Ncut().fit_predict(X))
    found = adjusted_rand_score(y, SubspaceTrick().fit_predict(X, constraints=known))
    assert found > plain + 0.05


# -- inconsistent advice --------------------------------------------------------------------------


def test_the_signed_laplacian_counts_disagreement():
    _, truth, known = problem(3)
    x = 2.0 * truth - 1
    L = signed_laplacian(signed_links(known, 0))
    assert x @ (L @ x) == 0
    flipped = -x * (np.arange(24) == 5) + x * (np.arange(24) != 5)
    broken = known.satisfaction(flipped > 0).total.count_violated
    assert flipped @ (L @ flipped) == 4 * broken


def test_consistent_advice_is_the_subspace_trick():
    A, _, known = problem(5, n_pairs=12)
    one = SubspaceTrick(affinity="precomputed").fit(A, constraints=known).embedding_
    two = InconsistentAdvice(affinity="precomputed").fit(A, constraints=known).embedding_
    np.testing.assert_allclose(np.abs(one), np.abs(two), atol=1e-8)


def test_wrong_advice_is_outvoted():
    X, y = two_moons(100, noise=0.1, random_state=0)
    known = Constraints.sample(y, 700, wrong=0.1, random_state=0)
    labels = InconsistentAdvice().fit(X, constraints=known).labels_
    assert adjusted_rand_score(y, labels) > 0.95
    assert 0.88 < known.satisfaction(labels).share < 0.92


@pytest.mark.parametrize("slack", [0.0, 0.3])
def test_advice_restricts_the_cut_to_its_low_eigenvectors(slack):
    A, truth, _ = problem(6)
    known = Constraints.sample(truth, 40, wrong=0.2, random_state=6)
    Q = known.toarray()
    linked = np.abs(Q).sum(axis=1) > 0
    assert two_sides(signed_links(known, 0)).n_groups == 1 + (~linked).sum()
    L = np.diag(np.abs(Q).sum(axis=1)) - Q
    values, vectors = np.linalg.eigh(L[np.ix_(linked, linked)])
    low = vectors[:, values <= values[0] + (slack + 1e-9) * values[-1]]
    T = np.zeros((24, low.shape[1]))
    T[linked] = low
    value, _ = lowest_in(A, np.column_stack([T, np.eye(24)[:, ~linked], linked]))
    model = InconsistentAdvice(affinity="precomputed", slack=slack).fit(A, constraints=known)
    assert ncut_quotient(A, model.embedding_[:, 0]) == pytest.approx(value, rel=1e-7)


def test_full_slack_is_ncut():
    A, truth, _ = problem(7)
    known = Constraints.sample(truth, 40, wrong=0.2, random_state=6)
    plain = Ncut(affinity="precomputed").fit(A).labels_
    model = InconsistentAdvice(affinity="precomputed", slack=1.0).fit(A, constraints=known)
    assert adjusted_rand_score(plain, model.labels_) == 1


def test_low_vectors_of_a_large_group():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1500)
    known = Constraints.sample(truth, 9000, wrong=0.1, random_state=0)
    L = signed_laplacian(signed_links(known, 0))
    v = low_vectors(L, 0.0)[:, 0]
    r = v @ (L @ v) / (v @ v)
    assert np.linalg.norm(L @ v - r * v) < 1e-6 * np.linalg.norm(v)
    assert max(np.mean((v > 0) == truth), np.mean((v < 0) == truth)) > 0.98


# -- grouping with bias ---------------------------------------------------------------------------


def must_columns(known):
    i, j = np.nonzero(np.triu(known.toarray() > 0, 1))
    U = np.zeros((known.n_samples, len(i)))
    U[i, np.arange(len(i))] = 1
    U[j, np.arange(len(i))] = -1
    return U


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_grouping_obeys_its_linear_constraints_and_is_the_cheapest(smooth, form):
    A, _, known = problem(8)
    U = must_columns(known)
    P = A / A.sum(axis=1, keepdims=True)
    V = P.T @ U if smooth else U
    model = GroupingWithBias(affinity="precomputed", smooth=smooth).fit(form(A), constraints=known)
    x = model.embedding_[:, 0]
    np.testing.assert_allclose(V.T @ x, 0, atol=1e-7 * np.abs(x).max())
    value, _ = lowest_in(A, linalg.null_space(V.T))
    assert ncut_quotient(A, x) == pytest.approx(value, rel=1e-6)


def test_grouped_nodes_share_their_label_and_cannot_links_do_nothing():
    A, _, known = problem(9, n_pairs=20)
    model = GroupingWithBias(affinity="precomputed").fit(A, constraints=known)
    assert known.satisfaction(model.labels_).must.share == 1
    only = Constraints.from_matrix(np.maximum(known.toarray(), 0))
    again = GroupingWithBias(affinity="precomputed").fit(A, constraints=only)
    np.testing.assert_array_equal(model.labels_, again.labels_)


def test_without_cannot_links_grouping_is_the_subspace_trick():
    A, _, known = problem(10, n_pairs=20)
    only = Constraints.from_matrix(np.maximum(known.toarray(), 0))
    one = GroupingWithBias(affinity="precomputed").fit(A, constraints=only).labels_
    two = SubspaceTrick(affinity="precomputed").fit(A, constraints=only).labels_
    assert adjusted_rand_score(one, two) == 1


def test_smoothing_carries_neighbours_along():
    # Two cliques with a weak bridge; one node of each grouped. Plain grouping moves the two
    # nodes, smoothing makes the cut between the cliques unattractive.
    A = linalg.block_diag(np.ones((6, 6)), np.ones((6, 6))) - np.eye(12)
    A[5, 6] = A[6, 5] = 0.1
    known = Constraints.from_pairs([(0, 11)], n_samples=12)
    plain = GroupingWithBias(affinity="precomputed").fit(A, constraints=known)
    smooth = GroupingWithBias(affinity="precomputed", smooth=True).fit(A, constraints=known)
    d = np.abs(plain.embedding_[0, 0] - plain.embedding_[11, 0])
    assert d < 1e-8
    far = np.abs(np.diff(smooth.embedding_[[1, 10], 0]))[0] / np.ptp(smooth.embedding_)
    near = np.abs(np.diff(plain.embedding_[[1, 10], 0]))[0] / np.ptp(plain.embedding_)
    assert far < near / 2


def test_grouping_stays_sparse_on_a_large_graph():
    X, y = two_moons(2500, noise=0.1, random_state=0)
    known = Constraints.sample(y, 200, random_state=0)
    model = GroupingWithBias(random_state=0).fit(X, constraints=known)
    assert known.satisfaction(model.labels_).must.share == 1
    other = SubspaceTrick(random_state=0).fit(
        X, constraints=Constraints.from_matrix(signed_links(known, 0).maximum(0))
    )
    assert adjusted_rand_score(model.labels_, other.labels_) > 0.98
