from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from problems import random_constraints, random_graph
from scipy import linalg, sparse

from sidecut import Constraints, InfeasibleThresholdError
from sidecut.csp import constrained_cuts, constraint_spectrum, unconstrained_cuts
from sidecut.datasets import six_node_graph
from sidecut.laplacian import normalized_laplacian

seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=14, density=1.0):
    rng = np.random.default_rng(seed)
    graph = normalized_laplacian(random_graph(rng, n, density=density))
    return rng, graph, random_constraints(rng, n)


def dense_pencil(graph, constraints, beta):
    """L̄, Q̄ and M, written down as the paper does."""
    L = graph.matrix.toarray() if sparse.issparse(graph.matrix) else graph.matrix
    half = np.diag(graph.degrees**-0.5)
    Q = half @ constraints.toarray() @ half
    return L, Q, Q - beta / graph.volume * np.eye(len(Q))


def feasible_beta(rng, graph, constraints, n_vectors):
    """A β drawn from the feasible intervals, away from their ends."""
    spectrum = constraint_spectrum(constraints, graph, n_vectors)
    intervals = spectrum.feasible_intervals(n_vectors)
    low, high = intervals[rng.integers(len(intervals))]
    reach = abs(spectrum.values).max() * spectrum.volume
    if np.isinf(low):
        low = high - reach
    assume(high - low > 1e-3 * reach)
    return low + rng.uniform(0.05, 0.95) * (high - low)


# -- the paper's own numbers --------------------------------------------------------------------


def test_six_nodes_largest_eigenvalue():
    A, known = six_node_graph()
    spectrum = constraint_spectrum(known, normalized_laplacian(A))
    assert spectrum.values[0] == pytest.approx(2.6667, abs=5e-5)
    np.testing.assert_allclose(spectrum.values[1:], 0, atol=1e-12)


@pytest.mark.parametrize(
    ("beta", "expected"),
    [
        (None, [1.178, 1.178, 0.696, -0.696, -1.178, -1.178]),
        (1, [1.491, 1.491, 1.206, 0.438, -0.205, -0.205]),
        (2, [1.336, 1.336, 1.004, 0.405, -0.915, -0.915]),
    ],
)
def test_six_nodes_indicators(beta, expected):
    A, known = six_node_graph()
    graph = normalized_laplacian(A)
    if beta is None:
        cuts = unconstrained_cuts(graph, 1)
    else:
        cuts = constrained_cuts(graph, known, beta=beta * graph.volume)
    np.testing.assert_allclose(cuts.indicators[:, 0], expected, atol=5e-4)


def test_six_nodes_beta_below_the_largest_eigenvalue_may_still_be_infeasible():
    A, known = six_node_graph()
    graph = normalized_laplacian(A)
    L, _, M = dense_pencil(graph, known, 0.2 * graph.volume)
    assert (linalg.eigvals(L, M).real < 1e-9).all()
    with pytest.raises(InfeasibleThresholdError, match=r"0\.285714 < β/vol < 2\.66667"):
        constrained_cuts(graph, known, beta=0.2 * graph.volume)


# -- the paper's conditions, on random problems -------------------------------------------------


@given(seeds, st.integers(2, 6), st.sampled_from([1.0, 0.3]))
def test_every_cut_meets_the_papers_conditions(seed, n_clusters, density):
    rng, graph, known = problem(seed, density=density)
    beta = feasible_beta(rng, graph, known, n_clusters - 1)
    cuts = constrained_cuts(graph, known, beta=beta, n_clusters=n_clusters)
    L, Q, M = dense_pencil(graph, known, beta)
    assert cuts.n_cuts >= n_clusters - 1
    assert (cuts.multipliers > 0).all()
    V = cuts.vectors / np.sqrt(graph.volume)
    np.testing.assert_allclose(np.linalg.norm(V, axis=0), 1)
    assert np.linalg.norm(L @ V - (M @ V) * cuts.multipliers, axis=0).max() < 1e-8
    assert cuts.residuals.max() < 1e-8
    np.testing.assert_allclose(cuts.costs, graph.volume * (V * (L @ V)).sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(
        cuts.satisfactions, graph.volume * (V * (Q @ V)).sum(axis=0), atol=1e-9 * graph.volume
    )
    assert (cuts.satisfactions > beta).all()
    assert (np.diff(cuts.costs) >= 0).all()


@given(seeds, st.sampled_from([1.0, 0.3]))
def test_the_feasible_set_is_that_of_the_general_solver(seed, density):
    rng, graph, known = problem(seed, density=density)
    beta = feasible_beta(rng, graph, known, 1)
    cuts = constrained_cuts(graph, known, beta=beta)
    L, _, M = dense_pencil(graph, known, beta)
    values, vectors = linalg.eig(L, M)
    keep = (values.real > 1e-7) & np.isfinite(values)
    assert np.abs(values[keep].imag).max(initial=0) < 1e-6
    ours, theirs = np.sort(cuts.multipliers), np.sort(values[keep].real)
    np.testing.assert_allclose(ours[ours < 1e6], theirs[theirs < 1e6], rtol=1e-5)
    # The cheapest cut is the same vector, unless another is as cheap.
    V = vectors[:, keep].real / np.linalg.norm(vectors[:, keep].real, axis=0)
    costs = np.sort((V * (L @ V)).sum(axis=0))
    assume(len(costs) == 1 or costs[1] - costs[0] > 1e-6)
    best = V[:, (V * (L @ V)).sum(axis=0).argmin()]
    assert abs(best @ cuts.vectors[:, 0]) == pytest.approx(np.sqrt(graph.volume), rel=1e-5)


@given(seeds, st.integers(1, 4))
def test_the_count_of_feasible_cuts_is_known_beforehand(seed, n_vectors):
    rng, graph, known = problem(seed)
    beta = feasible_beta(rng, graph, known, n_vectors)
    cuts = constrained_cuts(graph, known, beta=beta, n_clusters=n_vectors + 1)
    spectrum = constraint_spectrum(known, graph, n_vectors)
    assume(np.abs(spectrum.values * graph.volume - beta).min() > 1e-6)
    assert cuts.n_cuts == spectrum.n_feasible(beta)


@given(seeds, st.integers(2, 4))
def test_a_beta_outside_the_range_is_an_error_that_gives_it(seed, n_clusters):
    _, graph, known = problem(seed)
    spectrum = constraint_spectrum(known, graph, n_clusters - 1)
    (*_, (_, high)) = spectrum.feasible_intervals(n_clusters - 1)
    above = high + 0.1 * abs(spectrum.values).max() * graph.volume
    with pytest.raises(InfeasibleThresholdError, match="feasible: β < ") as error:
        constrained_cuts(graph, known, beta=above, n_clusters=n_clusters)
    assert f"{high:.6g}" in str(error.value)


# -- the rules for β ----------------------------------------------------------------------------


@given(seeds)
def test_single_leaves_one_cut_when_eigenvalues_are_distinct(seed):
    _, graph, known = problem(seed)
    values = constraint_spectrum(known, graph).values
    assume((-np.diff(values[:4]) > 1e-4 * values[0]).all())
    cuts = constrained_cuts(graph, known, beta="single")
    if not constraint_spectrum(known, graph).only_must_links:
        assert cuts.n_cuts == 1


@given(seeds, st.integers(2, 5))
def test_single_always_has_an_answer(seed, n_clusters):
    _, graph, known = problem(seed)
    cuts = constrained_cuts(graph, known, beta="single", n_clusters=n_clusters)
    assert cuts.n_cuts >= n_clusters - 1


def test_single_takes_the_cheapest_of_a_tie():
    # A ring, all degrees equal: two disjoint must-links and a cannot-link share one eigenvalue.
    A = np.roll(np.eye(12), 1, axis=1)
    graph = normalized_laplacian(A + A.T)
    known = Constraints.from_pairs([(0, 1), (4, 5)], [(8, 9)], n_samples=12)
    spectrum = constraint_spectrum(known, graph)
    np.testing.assert_allclose(spectrum.values[:3], spectrum.values[0])
    cuts = constrained_cuts(graph, known, beta="single")
    assert 1 < cuts.n_cuts <= 3
    assert cuts.residuals.max() < 1e-10


def test_papers_formula():
    A, known = six_node_graph()
    graph = normalized_laplacian(A)
    assert constrained_cuts(graph, known, beta="paper").beta == pytest.approx(
        8 / 3 * graph.volume * 0.9
    )
    few = Constraints.from_pairs([(0, 1)], [(1, 5)], n_samples=6)
    spectrum = constraint_spectrum(few, graph)
    assert spectrum.paper_beta(1) == pytest.approx(
        spectrum.values[0] * graph.volume * (0.5 + 0.4 * 4 / 36)
    )


def test_transfer_skips_the_trivial_eigenvalue():
    rng = np.random.default_rng(0)
    source, target = random_graph(rng, 15), random_graph(rng, 15)
    graph = normalized_laplacian(target)
    known = Constraints.from_affinity(source)
    values = constraint_spectrum(known, graph, 1).values
    for rule in ("paper", "single"):
        cuts = constrained_cuts(graph, known, beta=rule)
        assert cuts.beta < values[1] * graph.volume
        # It is a cut: some nodes on each side.
        assert cuts.indicators[:, 0].min() < 0 < cuts.indicators[:, 0].max()


def test_many_constrained_nodes_use_the_iterative_spectrum(monkeypatch):
    _, graph, known = problem(5, n=60)
    whole = constraint_spectrum(known, graph)
    monkeypatch.setattr("sidecut.csp.threshold.DENSE_NODES", 10)
    leading = constraint_spectrum(known, graph)
    k = min(len(leading.values), 10)
    np.testing.assert_allclose(leading.values[:k], whole.values[:k], atol=1e-10)


# -- special cases ------------------------------------------------------------------------------


@given(seeds)
def test_the_unconstrained_cut_is_the_special_case_of_q_equal_to_d(seed):
    _, graph, _ = problem(seed)
    known = Constraints.from_matrix(np.diag(graph.degrees))
    cuts = constrained_cuts(graph, known, beta=0.5 * graph.volume)
    plain = unconstrained_cuts(graph)
    assert cuts.n_cuts == graph.n_samples - 1
    np.testing.assert_allclose(cuts.costs, plain.costs, atol=1e-8 * graph.volume)
    np.testing.assert_allclose(
        np.abs(cuts.vectors[:, 0] @ plain.vectors[:, 0]), graph.volume, rtol=1e-6
    )


def test_the_trivial_vector_may_satisfy_q_exactly_at_the_threshold():
    # d0' M d0 = 0 while M d0 ≠ 0: the reduction by division does not exist.
    rng = np.random.default_rng(1)
    graph = normalized_laplacian(random_graph(rng, 9))
    known = Constraints.from_pairs([(0, 1), (2, 3), (4, 7)], [(1, 5)], n_samples=9)
    beta = 2.0 * (3 - 1)  # = 1'Q1 = vol · d0'Q̄d0
    L, _, M = dense_pencil(graph, known, beta)
    d0 = graph.trivial
    assert abs(d0 @ M @ d0) < 1e-14
    assert np.linalg.norm(M @ d0) > 0.1
    cuts = constrained_cuts(graph, known, beta=beta)
    assert cuts.residuals.max() < 1e-10
    # Next to it the general solver sees the same cuts; the pair that goes to 0 and ∞ aside.
    near = constrained_cuts(graph, known, beta=beta * (1 - 1e-9))
    assert near.n_cuts >= cuts.n_cuts
    theirs = np.sort(linalg.eigvals(L, M).real)
    for value in cuts.multipliers:
        assert np.abs(theirs - value).min() < 1e-6 * value


def test_the_trivial_vector_may_be_a_null_vector_of_both():
    # Balanced labels on a regular graph: Q d = 0, so at β = 0 the pencil is singular along d0.
    A = np.roll(np.eye(8), 1, axis=1)
    graph = normalized_laplacian(A + A.T)
    known = Constraints.from_labels([0, 0, 0, 0, 1, 1, 1, 1])
    cuts = constrained_cuts(graph, known, beta=0.0)
    assert cuts.n_cuts == 1
    assert cuts.residuals.max() < 1e-10
    np.testing.assert_array_equal(np.sign(cuts.indicators[:, 0]) > 0, [1, 1, 1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_components_give_cuts_of_cost_zero_when_they_satisfy(kind):
    A = linalg.block_diag(np.ones((4, 4)), np.ones((3, 3)), np.ones((3, 3))) - np.eye(10)
    graph = normalized_laplacian(kind(A))
    assert graph.n_components == 3
    agree = Constraints.from_labels([0, -1, -1, 0, 1, -1, 1, 1, -1, -1])
    cuts = constrained_cuts(graph, agree, beta=10.0)
    assert cuts.costs[0] == pytest.approx(0, abs=1e-10)
    assert cuts.multipliers[0] == 0
    assert cuts.satisfactions[0] > 10.0
    labels = cuts.indicators[:, 0] > 0
    np.testing.assert_array_equal(labels == labels[0], [1, 1, 1, 1, 0, 0, 0, 0, 0, 0])


@given(seeds)
def test_components_are_the_limit_of_vanishing_edges(seed):
    rng = np.random.default_rng(seed)
    A = linalg.block_diag(random_graph(rng, 5), random_graph(rng, 4), random_graph(rng, 3))
    apart = normalized_laplacian(A)
    known = random_constraints(rng, 12)
    beta = feasible_beta(rng, apart, known, 1)
    # The same β/vol: edges ε d_i d_j multiply degrees and volume by 1 + ε vol.
    epsilon = 1e-7 / apart.volume
    joined = normalized_laplacian(A + epsilon * np.outer(apart.degrees, apart.degrees))
    cuts = constrained_cuts(apart, known, beta=beta)
    limit = constrained_cuts(joined, known, beta=beta)
    assert cuts.n_cuts == limit.n_cuts
    np.testing.assert_allclose(cuts.costs, limit.costs, atol=1e-4 * apart.volume)


def test_an_isolated_node_is_a_component_of_mean_degree():
    A = np.zeros((5, 5))
    A[:4, :4] = 1 - np.eye(4)
    graph = normalized_laplacian(A)
    assert graph.n_components == 2
    assert graph.degrees[4] == 3
    known = Constraints.from_pairs([(0, 4)], [(0, 1)], n_samples=5)
    cuts = constrained_cuts(graph, known, beta="single")
    assert np.isfinite(cuts.indicators).all()
    assert cuts.residuals.max() < 1e-10


def test_edges_too_weak_for_float64_count_as_none():
    A = linalg.block_diag(1 - np.eye(4), 1 - np.eye(4))
    A[0, 7] = A[7, 0] = 1e-30
    graph = normalized_laplacian(A)
    assert graph.n_components == 1
    cuts = constrained_cuts(graph, Constraints.from_labels([0] * 4 + [1] * 4), beta="single")
    np.testing.assert_array_equal(cuts.indicators[:, 0] > 0, [1] * 4 + [0] * 4)


# -- symmetries ---------------------------------------------------------------------------------


@given(seeds, st.floats(0.01, 100), st.floats(0.01, 100))
def test_scaling_the_graph_or_the_constraints(seed, graph_scale, constraint_scale):
    rng = np.random.default_rng(seed)
    A, known = random_graph(rng, 12), random_constraints(rng, 12)
    plain = constrained_cuts(normalized_laplacian(A), known, beta="single")
    scaled = constrained_cuts(
        normalized_laplacian(graph_scale * A), constraint_scale * known, beta="single"
    )
    # Q̄ vol does not depend on the scale of A; β and α follow Q, the cost follows A.
    np.testing.assert_allclose(scaled.beta, constraint_scale * plain.beta, rtol=1e-6)
    assert scaled.n_cuts == plain.n_cuts
    np.testing.assert_allclose(scaled.costs, graph_scale * plain.costs, rtol=1e-5)
    np.testing.assert_allclose(
        scaled.satisfactions,
        constraint_scale * plain.satisfactions,
        rtol=1e-5,
        atol=1e-8 * constraint_scale * abs(plain.satisfactions).max(),
    )


@given(seeds)
def test_permuting_the_nodes_permutes_the_cuts(seed):
    rng = np.random.default_rng(seed)
    A, known = random_graph(rng, 14), random_constraints(rng, 14)
    graph = normalized_laplacian(A)
    beta = feasible_beta(rng, graph, known, 1)
    order = rng.permutation(graph.n_samples)
    moved = normalized_laplacian(A[np.ix_(order, order)])
    one = constrained_cuts(graph, known, beta=beta)
    two = constrained_cuts(moved, known.restrict(order), beta=beta)
    np.testing.assert_allclose(one.costs, two.costs, atol=1e-7 * graph.volume)
    assume(one.n_cuts == 1 or one.costs[1] - one.costs[0] > 1e-4 * graph.volume)
    similarity = np.abs(one.vectors[order, 0] @ two.vectors[:, 0]) / graph.volume
    assert similarity == pytest.approx(1, rel=1e-6)


# -- bad input ----------------------------------------------------------------------------------


def test_bad_arguments_are_named():
    A, known = six_node_graph()
    graph = normalized_laplacian(A)
    for beta in ("papr", None, np.nan, True, [1.0]):
        with pytest.raises((TypeError, ValueError), match="beta must be"):
            constrained_cuts(graph, known, beta=beta)
    with pytest.raises(ValueError, match="constraints speak about 3 samples, the graph has 6"):
        constrained_cuts(graph, Constraints(3))
    with pytest.raises(ValueError, match="hold no constraint; use unconstrained_cuts"):
        constrained_cuts(graph, Constraints(6))
    with pytest.raises(TypeError, match="constraints must be a Constraints, got ndarray"):
        constrained_cuts(graph, np.eye(6))
    with pytest.raises(ValueError, match="n_clusters must be at most 6"):
        constrained_cuts(graph, known, n_clusters=7)
    with pytest.raises(ValueError, match="n_clusters must be an integer of at least 2, got 1"):
        constrained_cuts(graph, known, n_clusters=1)
    with pytest.raises(ValueError, match="n_cuts must be at most 5 for 6 nodes, got 6"):
        unconstrained_cuts(graph, 6)
