from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_constraints, random_graph
from scipy import linalg
from sklearn.metrics import adjusted_rand_score

from sidecut import ConstrainedPath, Constraints, InfeasibleThresholdError, SpectralBasis
from sidecut.affinity import knn_affinity
from sidecut.csp import constrained_cuts
from sidecut.datasets import six_node_graph, two_moons
from sidecut.laplacian import normalized_laplacian
from sidecut.path.alpha import SmallProblem, solve_alpha
from sidecut.path.core import FULL_NODES

seeds = st.integers(0, 2**32 - 1)
shares = st.sampled_from([0.01, 0.3, 0.6, 0.9, 0.99, 0.9999, 1.0])


def random_path(seed, n_clusters=2):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_clusters + 3, 40))
    graph = normalized_laplacian(random_graph(rng, n, density=float(rng.choice([0.2, 1.0]))))
    return graph, ConstrainedPath.full(graph, random_constraints(rng, n), n_clusters)


def ring_with_disjoint_pairs(n):
    """Return the path of a ring whose pairs are alike: Q̄ has multiple eigenvalues."""
    A = np.roll(np.eye(n), 1, axis=1)
    pairs = np.arange(n - n % 2).reshape(-1, 2)
    known = Constraints.from_pairs(pairs[::2], pairs[1::2], n_samples=n)
    return ConstrainedPath.full(normalized_laplacian(A + A.T), known)


@pytest.fixture(scope="module")
def moons():
    X, y = two_moons(1500, noise=0.15, random_state=0)
    return SpectralBasis.from_affinity(knn_affinity(X, 10), 40), y


# -- the exact α ---------------------------------------------------------------------------------


@given(seeds, st.integers(2, 4), shares)
def test_the_duality_gap_certifies_alpha(seed, n_clusters, share):
    graph, path = random_path(seed, n_clusters)
    low, high = path.alpha_range
    alpha = low + share * (high - low)
    point = path.at_alpha(alpha)
    assert point.satisfaction >= alpha - 1e-9 * max(abs(low), abs(high))
    assert -1e-12 * point.cost <= point.gap <= 1e-6 * point.cost
    # In the paper's own terms: v'v = vol, v ⟂ d0, γ = v'L̄v, α = v'Q̄v = u'Qu.
    u = path.embedding(point)
    v = u * np.sqrt(graph.degrees)[:, None]
    np.testing.assert_allclose(v.T @ v, graph.volume * np.eye(n_clusters - 1), atol=1e-8)
    np.testing.assert_allclose(v.T @ graph.trivial, 0, atol=1e-6)
    assert np.trace(v.T @ (graph.matrix @ v)) == pytest.approx(point.cost)
    assert np.trace(u.T @ (path.constraints @ u)) == pytest.approx(point.satisfaction, abs=1e-8)


@pytest.mark.parametrize("n", [6, 9, 16, 40])
@pytest.mark.parametrize("share", [0.2, 0.7, 0.95, 1.0])
def test_alpha_inside_a_jump_of_a_multiple_eigenvalue(n, share):
    path = ring_with_disjoint_pairs(n)
    low, high = path.alpha_range
    point = path.at_alpha(low + share * (high - low))
    assert point.satisfaction == pytest.approx(low + share * (high - low), rel=1e-9)
    assert abs(point.relative_gap) < 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_brute_force_finds_nothing_cheaper(seed):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.uniform(0, 2, 3))
    Q = rng.normal(size=(3, 3))
    problem = SmallProblem(values, Q + Q.T, 1)
    # All unit vectors of three dimensions, up to sign, on a fine grid.
    z, turn = np.meshgrid(np.linspace(0, 1, 801), np.linspace(0, 2 * np.pi, 1601))
    r = np.sqrt(1 - z**2)
    V = np.stack([r * np.cos(turn), r * np.sin(turn), z]).reshape(3, -1)
    costs, met = (values[:, None] * V**2).sum(axis=0), (V * (problem.Q @ V)).sum(axis=0)
    for share in (0.1, 0.5, 0.9):
        start, end = problem.cheapest().satisfaction, problem.most_satisfying().satisfaction
        alpha = start + share * (end - start)
        found = solve_alpha(problem, alpha).vertex
        cheapest = costs[met >= alpha].min()
        assert found.satisfaction >= alpha - 1e-12
        assert cheapest - 0.02 <= found.cost <= cheapest + 1e-9


@given(seeds, st.integers(2, 4))
def test_satisfaction_and_cost_grow_along_the_path(seed, n_clusters):
    _, path = random_path(seed, n_clusters)
    points = [path.at(mu) for mu in (0.0, *np.geomspace(1e-3, 1e4, 25))]
    satisfaction = np.array([point.satisfaction for point in points])
    cost = np.array([point.cost for point in points])
    low, high = path.alpha_range
    assert (np.diff(satisfaction) >= -1e-7 * max(abs(low), abs(high))).all()
    assert (np.diff(cost) >= -1e-7 * cost.max()).all()
    assert satisfaction.max() <= high + 1e-9 * abs(high)
    # A point of the path is the exact answer to its own α.
    point = path.at(1.0)
    assert abs(point.gap) <= 1e-9 * max(point.cost, 1)
    assert path.at_alpha(point.satisfaction).cost == pytest.approx(point.cost, rel=1e-6)


def test_the_papers_example_costs_no_more_than_its_own_answer():
    A, known = six_node_graph()
    graph = normalized_laplacian(A)
    path = ConstrainedPath.full(graph, known)
    cut = constrained_cuts(graph, known, beta=2 * graph.volume)
    # The paper's v is not orthogonal to d0; what is left of it is a feasible cut of ours.
    v = cut.vectors[:, 0] - graph.trivial * (graph.trivial @ cut.vectors[:, 0])
    v *= np.sqrt(graph.volume / (v @ v))
    u = graph.indicator(v)
    point = path.at_alpha(float(u @ (known @ u)))
    assert point.cost <= v @ graph.matrix @ v + 1e-9
    labels = path.labels(path.at_satisfaction(1.0))
    np.testing.assert_array_equal(labels == labels[0], [True] * 4 + [False] * 2)


def test_no_constraint_needs_no_multiplier():
    _, path = random_path(1)
    low, _ = path.alpha_range
    point = path.at_alpha(low - 1.0)
    assert point.mu == 0
    assert point.gap == 0
    assert point.cost == pytest.approx(path.at(0).cost)


def test_components_give_cuts_that_cost_nothing():
    A = linalg.block_diag(*[1 - np.eye(4)] * 3)
    known = Constraints.from_labels([0] * 4 + [1] * 4 + [0] * 4)
    path = ConstrainedPath.full(normalized_laplacian(A), known)
    point = path.at_alpha(path.alpha_range[1] * (1 - 1e-12))
    assert point.cost == pytest.approx(0, abs=1e-10)
    assert point.relative_gap <= 0
    labels = path.labels(path.labelled(point))
    np.testing.assert_array_equal(labels == labels[0], [True] * 4 + [False] * 4 + [True] * 4)


# -- satisfaction of labels ----------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.97, 1.0])
def test_labels_meet_the_share_asked_for(moons, share):
    basis, y = moons
    known = Constraints.sample(y, 150, random_state=0)
    path = ConstrainedPath(basis, known)
    cut = path.at_satisfaction(share)
    labels = path.labels(cut)
    assert known.satisfaction(labels).share == pytest.approx(cut.share)
    assert cut.share >= share


def test_the_first_cut_that_suffices_is_taken(moons):
    basis, y = moons
    path = ConstrainedPath(basis, Constraints.sample(y, 150, random_state=0))
    low, high = path.at_satisfaction(0.75), path.at_satisfaction(0.95)
    assert low.mu < high.mu
    assert path.labelled(path.at(low.mu)).share == low.share
    assert np.isinf(low.stiffness)
    assert path.at_satisfaction(1.0).stiffness < np.inf


def test_three_clusters_and_labels_as_constraints():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 80)
    X = 0.7 * rng.normal(size=(240, 2)) + np.array([[0, 0], [3, 0], [1.5, 2.5]])[y]
    basis = SpectralBasis.from_affinity(knn_affinity(X, 10), 30)
    known = Constraints.from_labels(np.where(rng.random(240) < 0.3, y, -1))
    path = ConstrainedPath(basis, known, 3)
    cut = path.at_satisfaction(0.9)
    assert cut.share >= 0.9
    labels = path.labels(cut)
    assert known.satisfaction(labels).share == pytest.approx(cut.share)
    assert adjusted_rand_score(y, labels) > 0.8


def test_only_named_and_sampled_rows_are_read(moons):
    basis, y = moons
    known = Constraints.sample(y, 20, random_state=0)
    vectors = np.full_like(basis.vectors, np.nan)
    vectors[known.nodes] = basis.vectors[known.nodes]
    blind = SpectralBasis(
        basis.values, vectors, basis.degrees, basis.residuals, basis.solver, basis.status
    )
    one, two = ConstrainedPath(basis, known), ConstrainedPath(blind, known)
    np.testing.assert_array_equal(
        one.at_satisfaction(0.9).weights, two.at_satisfaction(0.9).weights
    )
    assert one.at_alpha(20.0).cost == two.at_alpha(20.0).cost


def test_the_curve_is_made_of_points(moons):
    basis, y = moons
    path = ConstrainedPath(basis, Constraints.sample(y, 60, random_state=0))
    curve = path.curve((0.0, 1.0))
    assert curve.cost[1] == path.at(1.0).cost
    assert curve.satisfaction[0] == path.at(0.0).satisfaction
    labels = path.labels(path.labelled(path.at(1.0)))
    assert curve.share[1] == path.constraints.satisfaction(labels).share
    assert curve.share[1] > curve.share[0]


def test_a_cut_beside_the_path_costs_more_than_its_dual(moons):
    basis, y = moons
    path = ConstrainedPath(basis, Constraints.sample(y, 60, random_state=0))
    cut = path.labelled(path.at(1.0))
    on = path.beside(cut.weights)
    assert on.cost == pytest.approx(path.at(1.0).cost)
    assert abs(on.relative_gap) < 1e-6
    refined = path.beside(path.at_satisfaction(1.0).weights)
    assert refined.gap > 0
    assert np.isnan(refined.mu)


# -- bad input -----------------------------------------------------------------------------------


def test_what_cannot_be_reached_is_named(moons):
    basis, y = moons
    path = ConstrainedPath(basis.truncate(3), Constraints.sample(y, 300, random_state=0))
    most = path.alpha_range[1]
    with pytest.raises(InfeasibleThresholdError, match=rf"v'Q̄v is at most {most:.6g}"):
        path.at_alpha(most * 1.01)
    with pytest.raises(InfeasibleThresholdError, match=r"the most was 0\.\d{4}; ask for less"):
        path.at_satisfaction(1.0)


def test_contradictory_constraints_are_met_as_far_as_can_be(moons):
    basis, _ = moons
    known = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)], n_samples=1500)
    path = ConstrainedPath(basis, known)
    assert path.at_satisfaction(0.6).share == pytest.approx(2 / 3)
    with pytest.raises(InfeasibleThresholdError, match=r"the most was 0\.6667"):
        path.at_satisfaction(1.0)


def test_bad_arguments_are_named(moons):
    basis, y = moons
    known = Constraints.sample(y, 20, random_state=0)
    path = ConstrainedPath(basis, known)
    with pytest.raises(ValueError, match="mu must not be negative, got -1"):
        path.at(-1)
    with pytest.raises(ValueError, match=r"share must be above 0 and at most 1, got 1\.5"):
        path.at_satisfaction(1.5)
    with pytest.raises(TypeError, match="alpha must be a finite number, got '1'"):
        path.at_alpha("1")
    with pytest.raises(TypeError, match="constraints must be a Constraints, got list"):
        ConstrainedPath(basis, [(0, 1)])
    with pytest.raises(ValueError, match="speak about 3 samples, the basis has 1500"):
        ConstrainedPath(basis, Constraints(3))
    with pytest.raises(ValueError, match="constraints hold no constraint"):
        ConstrainedPath(basis, Constraints(1500))
    with pytest.raises(ValueError, match="n_clusters must be at most 3 for a basis of 2"):
        ConstrainedPath(basis.truncate(2), known, 4)
    n = FULL_NODES + 1
    graph = normalized_laplacian(knn_affinity(np.arange(float(n))[:, None], 2))
    with pytest.raises(ValueError, match=f"between 2 and {FULL_NODES} nodes, got {n}"):
        ConstrainedPath.full(graph, Constraints.from_pairs([(0, 1)], n_samples=n))
