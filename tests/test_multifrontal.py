"""Dissecting a graph, and factoring front by front."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import random_graph
from scipy import linalg, sparse
from scipy.sparse.csgraph import maximum_bipartite_matching, shortest_path

from sidecut.affinity import image_affinity, knn_affinity
from sidecut.datasets import two_moons
from sidecut.eigen import factor as factors
from sidecut.eigen.factor import factorize
from sidecut.eigen.multifrontal import analyze, dissect, distances
from sidecut.eigen.multifrontal import factor as multifrontal
from sidecut.eigen.multifrontal.cover import smallest_cover
from sidecut.laplacian import normalized_laplacian

SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture
def small(monkeypatch):
    """Cut down to cells of three nodes, so that small graphs have branches and a trunk."""
    monkeypatch.setattr(dissect, "_LEAF", 3)
    monkeypatch.setattr(multifrontal, "_BRANCH", 12)
    monkeypatch.setattr(analyze, "_BATCH", 20)


def scattered(rng):
    """Return a graph of several sparse components and lone nodes, in random order."""
    parts = [
        sparse.csr_array(random_graph(rng, int(n), density=0.2)).toarray()
        for n in rng.integers(1, 40, rng.integers(1, 6))
    ]
    A = linalg.block_diag(*parts, np.zeros((rng.integers(0, 4),) * 2))
    order = rng.permutation(len(A))
    return sparse.csr_array(A[np.ix_(order, order)])


def moons(n=3000):
    return knn_affinity(two_moons(n, noise=0.15, random_state=0)[0], 10)


GRAPHS = {
    "moons": moons,
    "photograph": lambda: image_affinity(np.random.default_rng(0).uniform(size=(30, 50))),
    "path": lambda: sparse.diags_array([np.ones(99)] * 2, offsets=[-1, 1]).tocsr(),
    "star": lambda: sparse.csr_array(
        (np.ones(98), (np.r_[np.zeros(49), 1:50], np.r_[1:50, np.zeros(49)])), shape=(50, 50)
    ),
    "complete": lambda: sparse.csr_array(1 - np.eye(40)),
    "no edges": lambda: sparse.csr_array((30, 30)),
    "two nodes": lambda: sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])),
    "one node": lambda: sparse.csr_array((1, 1)),
    "scattered": lambda: scattered(np.random.default_rng(1)),
}


@given(SEEDS)
@settings(max_examples=50)
def test_a_cover_touches_every_edge_and_is_as_small_as_the_largest_matching(seed):
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, 12, 30), rng.integers(12, 24, 30)
    cover = smallest_cover(left.astype(np.int32), right.astype(np.int32), 24)
    assert (np.isin(left, cover) | np.isin(right, cover)).all()
    between = sparse.csr_array((np.ones(30), (left, right - 12)), shape=(12, 12))
    assert len(cover) == (maximum_bipartite_matching(between) >= 0).sum()


def test_distances_count_edges(monkeypatch):
    monkeypatch.setattr(distances, "_SWEEPS", 0)
    graph = moons(500)
    exact = shortest_path(graph, unweighted=True)
    for column in distances.landmark_distances(graph).T:
        np.testing.assert_array_equal(column, exact[np.argmin(column)])


def test_components_have_landmarks_of_their_own():
    graph = scattered(np.random.default_rng(2))
    component = distances.components(graph)
    found = distances.landmark_distances(graph)
    np.testing.assert_array_equal(found[:, -1], component)
    assert np.isfinite(found).all()
    away = distances.Rings(graph).around(np.unique(component, return_index=True)[1])
    exact = shortest_path(graph, unweighted=True)
    for number in range(component.max() + 1):
        own = np.flatnonzero(component == number)
        np.testing.assert_array_equal(away[own], exact[own[0], own])


def test_thin_graphs():
    grid = image_affinity(np.zeros((40, 40)), radius=1)
    strip = image_affinity(np.zeros((4, 400)), radius=1)
    assert not distances.is_thin(grid)
    assert distances.is_thin(strip)
    assert distances.is_thin(GRAPHS["path"]())
    assert not distances.is_thin(sparse.block_diag([grid] * 3, format="csr"))


def ancestors(tree, front):
    while front >= 0:
        yield front
        front = tree.parent[front]


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_edge_joins_two_parts(graph):
    A = GRAPHS[graph]()
    tree = dissect.dissect(A)
    assert tree.front.min() == 0 or tree.level.size > 1
    assert (tree.level[1:] == tree.level[tree.parent[1:]] + 1).all()
    assert (np.diff(tree.level) >= 0).all()
    above = {front: set(ancestors(tree, front)) for front in range(tree.level.size)}
    for i, j in zip(*A.nonzero(), strict=True):
        one, other = tree.front[i], tree.front[j]
        assert one in above[other] or other in above[one]


@pytest.mark.parametrize("graph", ["moons", "path", "star", "photograph", "no edges"])
def test_what_is_not_cut_further_is_small(graph):
    tree = dissect.dissect(GRAPHS[graph]())
    size = np.bincount(tree.front, minlength=tree.level.size)
    leaf = ~np.isin(np.arange(tree.level.size), tree.parent)
    assert (size[leaf] <= dissect._LEAF).all()


def test_a_flat_graph_has_narrow_separators():
    side = 60
    path = sparse.diags_array([np.ones(side - 1)] * 2, offsets=[-1, 1])
    grid = sparse.csr_array(sparse.kronsum(path, path))
    shuffled = np.random.default_rng(0).permutation(side * side)
    tree = dissect.dissect(grid[shuffled][:, shuffled])
    assert tree.widest <= 1.5 * side
    assert tree.depth <= 12


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("columns", [None, 1, 5, 70])
def test_solves_what_a_dense_solver_solves(graph, columns, small):
    A = GRAPHS[graph]()
    L = sparse.csr_array(sparse.diags_array(A.sum(axis=1)) - A)
    n = L.shape[0]
    right = np.random.default_rng(0).standard_normal(n if columns is None else (n, columns))
    factor = multifrontal.Multifrontal(L, dissect.dissect(L), shift=0.1)
    found = factor.solve(right)
    assert found.shape == right.shape
    exact = np.linalg.solve(L.toarray() + 0.1 * np.eye(n), right)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9)


@given(seed=SEEDS)
@settings(max_examples=60)
def test_solves_on_any_graph(seed):
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dissect, "_LEAF", int(rng.integers(1, 8)))
        patch.setattr(multifrontal, "_BRANCH", int(rng.integers(3, 40)))
        patch.setattr(analyze, "_BATCH", int(rng.integers(1, 200)))
        A = scattered(rng)
        matrix = sparse.csr_array(sparse.diags_array(A.sum(axis=1) + 0.3) - A)
        factor = multifrontal.Multifrontal(matrix, dissect.dissect(matrix))
        right = rng.standard_normal((A.shape[0], 3))
        np.testing.assert_allclose(matrix @ factor.solve(right), right, atol=1e-9)


def test_a_shift_between_eigenvalues(small):
    """The matrix is then indefinite, with few eigenvalues below zero."""
    L = normalized_laplacian(moons(800)).matrix
    values = np.linalg.eigvalsh(L.toarray())
    shift = -(values[2] + values[3]) / 2
    factor = multifrontal.Multifrontal(L, dissect.dissect(L), shift)
    right = np.random.default_rng(0).standard_normal((800, 2))
    found = factor.solve(right)
    np.testing.assert_allclose(L @ found + shift * found, right, atol=1e-7)


def test_the_stored_numbers_are_counted(small):
    L = normalized_laplacian(moons(500)).matrix
    tree = dissect.dissect(L)
    factor = multifrontal.Multifrontal(L, tree, 0.1)
    pivots = np.bincount(tree.front)
    assert factor.nnz >= (pivots**2).sum()
    assert factor.nnz < 500**2


def test_large_flat_graphs_are_dissected_and_wide_or_thin_ones_are_not(monkeypatch):
    made = []
    original = factors.Multifrontal
    monkeypatch.setattr(
        factors, "Multifrontal", lambda *given: made.append(given) or original(*given)
    )
    flat = normalized_laplacian(moons(2000)).matrix
    rng = np.random.default_rng(0)
    wide = normalized_laplacian(knn_affinity(rng.normal(size=(2000, 12)), 10)).matrix
    right = rng.standard_normal((2000, 3))
    solutions = [factorize(flat, shift=0.1).solve(right)]
    assert not made
    monkeypatch.setattr(factors, "_DISSECT_FROM", 2000)
    solutions.append(factorize(flat, shift=0.1).solve(right))
    assert len(made) == 1
    np.testing.assert_allclose(*solutions, atol=1e-10)
    thin = normalized_laplacian(image_affinity(rng.uniform(size=(2, 1000)))).matrix
    for unsuited in (wide, thin):
        found = factorize(unsuited, shift=0.1).solve(right)
        np.testing.assert_allclose(unsuited @ found + 0.1 * found, right, atol=1e-10)
    assert len(made) == 1
