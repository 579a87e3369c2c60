"""The sparse solver must find what the dense one finds, and the tail of a spike must be right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from problems import random_constraints, random_graph
from scipy import linalg, sparse

from sidecut import CSP, Constraints
from sidecut.affinity import knn_affinity
from sidecut.csp import constrained_cuts, constraint_spectrum, unconstrained_cuts
from sidecut.csp.pencil import Pencil
from sidecut.csp.sparse import sparse_solutions
from sidecut.csp.tail import resolve_tail
from sidecut.datasets import two_moons
from sidecut.laplacian import normalized_laplacian

seeds = st.integers(0, 2**32 - 1)


def agree(graph, known, beta, n_pairs):
    """Compare the leading multipliers, and check the residuals of the sparse vectors."""
    everything = constrained_cuts(graph, known, beta=beta)
    leading = np.sort(everything.multipliers)[:n_pairs]
    pencil = Pencil(graph, known, everything.beta / graph.volume)
    multipliers, V = sparse_solutions(pencil, len(leading))
    np.testing.assert_allclose(np.sort(multipliers), leading, rtol=1e-6, atol=1e-12)
    residuals = pencil.apply_l(V) - pencil.apply_m(V) * multipliers
    assert np.linalg.norm(residuals, axis=0).max() < 1e-7
    np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1)


@example(1, 3, -0.2)  # what the inner product does not see must not grow
@given(seeds, st.integers(1, 3), st.sampled_from([0.9, 0.5, 0.1, -0.2, -1.0]))
@settings(max_examples=30)
def test_random_problems(seed, n_pairs, height):
    rng = np.random.default_rng(seed)
    graph = normalized_laplacian(random_graph(rng, 60, density=0.1))
    known = random_constraints(rng, 60)
    spectrum = constraint_spectrum(known, graph, n_pairs)
    beta = height * spectrum.values[0] * graph.volume
    assume(spectrum.n_feasible(beta) >= n_pairs)
    assume(np.abs(spectrum.values * graph.volume - beta).min() > 1e-3 * abs(beta))
    agree(graph, known, beta, n_pairs)


@given(seeds)
@settings(max_examples=15)
def test_several_components(seed):
    rng = np.random.default_rng(seed)
    blocks = [random_graph(rng, n) for n in (25, 15, 10)]
    graph = normalized_laplacian(sparse.csr_array(linalg.block_diag(*blocks)))
    agree(graph, random_constraints(rng, 50), "single", 2)


def test_the_trivial_vector_at_the_threshold():
    rng = np.random.default_rng(1)
    graph = normalized_laplacian(random_graph(rng, 40, density=0.2))
    known = Constraints.from_pairs([(0, 1), (2, 3), (4, 7)], [(1, 5)], n_samples=40)
    agree(graph, known, 4.0, 1)


def moons(n):
    X, truth = two_moons(n, noise=0.15, random_state=0)
    return X, truth, Constraints.sample(truth, n // 5, random_state=0)


def test_the_same_labels_as_the_dense_solver(monkeypatch):
    X, _, known = moons(1000)
    model = CSP(affinity="nearest_neighbors")
    dense = model.fit(X, constraints=known)
    labels, indicator = dense.labels_, dense.indicator_
    monkeypatch.setattr("sidecut.csp.core.DENSE_NODES", 100)
    stages = []
    cuts = constrained_cuts(dense.laplacian_, known, callback=lambda *event: stages.append(event))
    model.fit(X, constraints=known)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.indicator_, indicator, atol=1e-8)
    assert cuts.n_feasible == 1
    assert {stage for stage, _, _ in stages} == {"constrained cut"}


def test_k_clusters(monkeypatch):
    X, _, known = moons(600)
    graph = normalized_laplacian(knn_affinity(X, 10))
    dense = constrained_cuts(graph, known, n_clusters=4)
    monkeypatch.setattr("sidecut.csp.core.DENSE_NODES", 100)
    few = constrained_cuts(graph, known, n_clusters=4)
    np.testing.assert_allclose(few.costs[:3], dense.costs[:3], rtol=1e-6)
    np.testing.assert_allclose(few.satisfactions[:3], dense.satisfactions[:3], rtol=1e-6)


def test_unconstrained_cuts_of_a_large_graph_are_the_same(monkeypatch):
    X, _, _ = moons(1200)
    graph = normalized_laplacian(knn_affinity(X, 10))
    dense = unconstrained_cuts(graph, 3)
    monkeypatch.setattr("sidecut.csp.core.DENSE_NODES", 100)
    few = unconstrained_cuts(graph, 3)
    np.testing.assert_allclose(few.costs, dense.costs, rtol=1e-3)
    np.testing.assert_allclose(few.indicators, dense.indicators, atol=1e-2)
    labels = CSP(affinity="nearest_neighbors").fit_predict(X)
    assert np.mean(labels == (dense.indicators[:, 0] > 0)) > 0.999


def test_a_beta_that_leaves_many_examines_the_leading_ones(monkeypatch):
    X, _, known = moons(600)
    graph = normalized_laplacian(knn_affinity(X, 10))
    monkeypatch.setattr("sidecut.csp.core.DENSE_NODES", 100)
    cuts = constrained_cuts(graph, known, beta="paper")
    assert cuts.n_cuts == 3
    assert cuts.n_feasible == cuts.spectrum.n_feasible(cuts.beta) > 3
    assert cuts.residuals.max() < 1e-8


def test_the_tail_of_a_spike_on_a_chain():
    # One labelled end of a long chain: every entry follows from the last by a constant factor.
    n, shift, theta = 60, 0.9, 0.01
    A = sparse.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]).tocsr()
    graph = normalized_laplacian(A)
    known = Constraints.from_matrix(sparse.coo_array(([1.0], ([0], [0])), shape=(n, n)))
    pencil = Pencil(graph, known, shift)
    # Given the first entry, the others solve a system whose matrix has a positive inverse.
    system = (shift * np.eye(n) + theta * graph.matrix.toarray())[1:]
    exact = np.r_[1.0, np.linalg.solve(system[:, 1:], -system[:, 0])]
    noise = 1e-17 * (-1.0) ** np.arange(n)
    v = resolve_tail(exact + noise, theta, shift, pencil.apply_q, pencil.apply_l)
    np.testing.assert_allclose(v, exact, rtol=0.02)
    assert 0 < v[-1] < 1e-100


def test_entries_that_the_solver_vouches_for_are_kept():
    graph = normalized_laplacian(random_graph(np.random.default_rng(0), 8))
    pencil = Pencil(graph, Constraints.from_labels([0, 1] * 4), 0.5)
    v = np.linspace(1, 2, 8)
    assert resolve_tail(v, 0.1, 0.5, pencil.apply_q, pencil.apply_l) is v
    assert resolve_tail(v * 1e-9 ** np.arange(8), 0.1, -0.5, pencil.apply_q, pencil.apply_l)[0] == 1


@pytest.mark.parametrize("n_pairs", [1, 5])
def test_pairs_that_share_no_node_have_a_block_spectrum(n_pairs):
    graph = normalized_laplacian(random_graph(np.random.default_rng(0), 30))
    pairs = np.arange(2 * n_pairs).reshape(-1, 2)
    known = Constraints.from_pairs(pairs, n_samples=30)
    half = np.diag(graph.degrees**-0.5)
    whole = np.linalg.eigvalsh(half @ known.toarray() @ half)[::-1]
    np.testing.assert_allclose(constraint_spectrum(known, graph).values, whole, atol=1e-12)
