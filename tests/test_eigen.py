"""One contract for every eigen-solver."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import random_graph
from scipy import linalg, sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.datasets import make_blobs

from sidecut.affinity import knn_affinity
from sidecut.datasets import two_moons
from sidecut.eigen import choose, lanczos, lowest, separator_width
from sidecut.laplacian import normalized_laplacian

EXTRAS = {"lobpcg": "pyamg", "cholmod": "sksparse"}
ALWAYS = ["dense", "shift_invert", "lanczos", "chebyshev"]
SOLVERS = [
    *ALWAYS,
    "dissected",
    *(
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                find_spec(package) is None, reason=f"{package} is not installed"
            ),
        )
        for name, package in EXTRAS.items()
    ),
]


@pytest.fixture
def solver(request, monkeypatch):
    """Name a solver; "dissected" is shift-invert with the factorisation of large graphs."""
    if request.param != "dissected":
        return request.param
    monkeypatch.setattr("sidecut.eigen.factor._DISSECT_FROM", 1)
    monkeypatch.setattr("sidecut.eigen.multifrontal.dissect._LEAF", 4)
    monkeypatch.setattr("sidecut.eigen.multifrontal.factor._BRANCH", 10)
    return "shift_invert"


def path(n=80):
    ones = np.ones(n - 1)
    return sparse.diags_array([ones, ones], offsets=[-1, 1]).tocsr()


def star(n=60):
    A = np.zeros((n, n))
    A[0, 1:] = A[1:, 0] = 1.0
    return A


def ring(n=64):
    A = np.roll(np.eye(n), 1, axis=1)
    return sparse.csr_array(A + A.T)


def several_components():
    rng = np.random.default_rng(3)
    blocks = [random_graph(rng, n) for n in (30, 20, 11, 2)]
    return sparse.csr_array(linalg.block_diag(*blocks, [[0.0]], [[0.0]]))


def weak_bridge():
    """Two clear clusters and an eigenvalue of about 1e-9."""
    rng = np.random.default_rng(4)
    A = linalg.block_diag(random_graph(rng, 40), random_graph(rng, 40))
    A[0, 79] = A[79, 0] = 1e-7
    return A


GRAPHS = {
    "random": lambda: random_graph(np.random.default_rng(0), 90),
    "sparse": lambda: random_graph(np.random.default_rng(1), 120, density=0.05),
    "path": path,
    "complete": lambda: 1 - np.eye(50),
    "star": star,
    "ring (double eigenvalues)": ring,
    "several components": several_components,
    "equal components": lambda: sparse.csr_array(linalg.block_diag(*[1 - np.eye(6)] * 8)),
    "weak bridge": weak_bridge,
}


def check(result, L, p):
    """Residuals, orthogonality, and the very eigenvalues that a dense solver finds."""
    dense = L.toarray() if sparse.issparse(L) else np.asarray(L)
    exact = np.linalg.eigvalsh(dense)[:p]
    V = result.vectors
    assert result.converged, result.advice
    assert result.advice == ""
    assert V.shape == (len(dense), p)
    np.testing.assert_allclose(V.T @ V, np.eye(p), atol=1e-8)
    residuals = np.linalg.norm(dense @ V - V * result.values, axis=0)
    np.testing.assert_allclose(result.residuals, residuals, atol=1e-10)
    assert (residuals <= result.tol * np.abs(result.values) + 1e-12).all()
    np.testing.assert_allclose(result.values, exact, rtol=1e-5, atol=1e-12)
    assert (np.diff(result.values) >= -1e-12).all()


@pytest.mark.parametrize("solver", SOLVERS, indirect=True)
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("p", [1, 7])
def test_every_solver_on_every_graph(solver, graph, p):
    L = normalized_laplacian(GRAPHS[graph]()).matrix
    check(lowest(L, p, solver=solver), L, p)


@pytest.mark.parametrize("solver", SOLVERS, indirect=True)
@pytest.mark.parametrize("graph", ["random", "path", "several components"])
def test_nearly_all_and_all_pairs(solver, graph):
    L = normalized_laplacian(GRAPHS[graph]()).matrix
    for p in (L.shape[0] - 1, L.shape[0]):
        check(lowest(L, p, solver=solver), L, p)


@pytest.mark.parametrize("solver", SOLVERS, indirect=True)
def test_the_same_seed_gives_the_same_vectors(solver):
    L = normalized_laplacian(GRAPHS["sparse"]()).matrix
    one, two = (lowest(L, 6, solver=solver, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)


@pytest.mark.parametrize("solver", [s for s in SOLVERS if s != "dense"], indirect=True)
def test_a_solver_that_stopped_early_says_so(solver):
    X, _ = two_moons(3000, noise=0.15, random_state=0)
    L = normalized_laplacian(knn_affinity(X, 10)).matrix
    result = lowest(L, 25, solver=solver, maxiter=1)
    assert not result.converged
    assert "maxiter" in result.advice
    V = result.vectors
    np.testing.assert_allclose(V.T @ V, np.eye(25), atol=1e-8)
    residuals = np.linalg.norm(L @ V - V * result.values, axis=0)
    np.testing.assert_allclose(result.residuals, residuals, atol=1e-10)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@settings(max_examples=25)
def test_no_eigenvalue_is_missed(seed, p):
    rng = np.random.default_rng(seed)
    parts = [random_graph(rng, int(n)) for n in rng.integers(2, 25, rng.integers(1, 5))]
    A = linalg.block_diag(*parts, *([parts[0]] * rng.integers(0, 3)))
    L = normalized_laplacian(sparse.csr_array(A)).matrix
    p = min(p, L.shape[0])
    for solver in ALWAYS:
        check(lowest(L, p, solver=solver), L, p)


@pytest.mark.parametrize("solver", ["dense", "lanczos", "chebyshev"], indirect=True)
def test_products_are_enough(solver):
    L = normalized_laplacian(GRAPHS["sparse"]()).matrix
    check(lowest(aslinearoperator(L), 5, solver=solver), L, 5)


def test_a_factorisation_needs_entries():
    with pytest.raises(TypeError, match="LinearOperator"):
        lowest(aslinearoperator(path()), 3, solver="shift_invert")


@pytest.mark.parametrize("solver", SOLVERS, indirect=True)
def test_a_larger_p_continues(solver):
    L = normalized_laplacian(GRAPHS["sparse"]()).matrix
    first = lowest(L, 5, solver=solver)
    more = lowest(L, 9, solver=solver, initial=first.vectors)
    check(more, L, 9)


def test_start_vectors_that_are_not_the_lowest_do_no_harm():
    L = normalized_laplacian(GRAPHS["sparse"]()).matrix
    high = np.linalg.eigh(L.toarray())[1][:, 40:45]
    for solver in ALWAYS:
        check(lowest(L, 6, solver=solver, initial=high), L, 6)


def test_progress_is_told():
    L = normalized_laplacian(knn_affinity(two_moons(2000, random_state=0)[0], 10)).matrix
    events = []
    found = lowest(L, 5, solver="lanczos", callback=lambda *event: events.append(event))
    assert events
    stages, iterations, residuals = zip(*events, strict=True)
    assert all(isinstance(stage, str) for stage in stages)
    assert list(iterations) == sorted(iterations)
    assert residuals[-1] < np.nanmax(residuals)
    # The last is a residual norm, right to a factor, not a share of what is allowed.
    assert found.residuals.max() / 10 < residuals[-1] < found.residuals.max() * 10


@pytest.mark.parametrize("dissect_from", [1, 10**6])
def test_the_number_of_cores_changes_nothing(dissect_from, monkeypatch):
    monkeypatch.setattr("sidecut.eigen.factor._DISSECT_FROM", dissect_from)
    L = normalized_laplacian(knn_affinity(two_moons(40_000, random_state=0)[0], 10)).matrix
    found = []
    for cores in ("1", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", cores)
        found.append(lowest(L, 5))
    np.testing.assert_array_equal(found[0].vectors, found[1].vectors)


def test_auto_follows_the_graph():
    plane = normalized_laplacian(
        knn_affinity(np.random.default_rng(0).uniform(size=(4000, 2)), 8)
    ).matrix
    space = normalized_laplacian(
        knn_affinity(np.random.default_rng(0).normal(size=(4000, 12)), 8)
    ).matrix
    assert choose(plane, 10) == "shift_invert"
    # More neighbours make separators wider, and the graph no less flat.
    dense_plane = knn_affinity(np.random.default_rng(0).uniform(size=(4000, 2)), 200)
    assert choose(normalized_laplacian(dense_plane).matrix, 10) == "shift_invert"
    assert choose(space, 10) == "lanczos"
    assert choose(sparse.block_diag([space] * 20, format="csr"), 10) == "lanczos"
    assert choose(space, 2000) == "dense"
    assert choose(plane[:500, :500], 10) == "dense"
    assert choose(aslinearoperator(plane), 10) == "lanczos"
    assert lowest(plane, 3).solver == "shift_invert"


def test_a_bushy_tree_is_factored():
    rng = np.random.default_rng(0)
    child = np.arange(1, 8000)
    half = sparse.coo_array((np.ones(7999), (child, rng.integers(0, child))), shape=(8000, 8000))
    L = normalized_laplacian(half + half.T).matrix
    assert separator_width(L) > 2.8 * np.sqrt(L.nnz)
    found = lowest(L, 5)
    assert found.solver == "shift_invert"
    assert found.converged


def test_clusters_that_hardly_touch():
    """Several components, and eigenvalues of 1e-4 below a gap, where float32 is noise."""
    X, _ = make_blobs(10_000, n_features=15, centers=20, cluster_std=3.0, random_state=1)
    L = normalized_laplacian(knn_affinity(X, 10))
    assert L.n_components > 1
    found = lowest(L.matrix, 41)
    assert found.solver == "lanczos"
    assert found.converged
    assert found.iterations < 40
    rest = found.values[L.n_components :]
    assert found.values[L.n_components - 1] < 1e-12 < 1e-5 < rest[0] < 1e-4


def test_a_few_low_eigenvalues_below_a_dense_spectrum():
    """In float32 the rounding of the low ones must not drown the others."""
    X, _ = make_blobs(8000, n_features=20, centers=10, cluster_std=3.0, random_state=0)
    found = lowest(normalized_laplacian(knn_affinity(X, 10)).matrix, 25, solver="lanczos")
    assert found.converged
    assert found.iterations < 40


def test_float32_is_polished_where_it_was_not_enough(monkeypatch):
    original = lanczos.filter_parameters
    monkeypatch.setattr(
        lanczos, "filter_parameters", lambda *given: replace(original(*given), single=True)
    )
    cloud = knn_affinity(np.random.default_rng(0).normal(size=(1000, 12)), 10)
    A = sparse.block_diag([cloud, cloud], format="lil")
    A[0, 1000] = A[1000, 0] = 0.01
    L = normalized_laplacian(sparse.csr_array(A))
    exact = np.linalg.eigvalsh(L.toarray())[:10]
    assert 1e-7 < exact[1] < 1e-5
    found = lowest(L.matrix, 10, solver="lanczos")
    assert found.converged
    np.testing.assert_allclose(found.values[1:], exact[1:], rtol=1e-5)
    monkeypatch.setattr(lanczos, "_POLISH", 0)
    assert not lowest(L.matrix, 10, solver="lanczos").converged


def test_eigenvalues_above_the_estimated_top_never_pass_for_low_ones(monkeypatch):
    original = lanczos.outline
    monkeypatch.setattr(lanczos, "outline", lambda *given: replace(original(*given), top=1.0))
    cloud = knn_affinity(np.random.default_rng(0).normal(size=(1500, 8)), 10)
    L = normalized_laplacian(cloud)
    exact = np.linalg.eigvalsh(L.toarray())
    assert exact[-1] > 1.3
    found = lowest(L.matrix, 10, solver="lanczos")
    assert found.converged
    np.testing.assert_allclose(found.values[1:], exact[1:10], rtol=1e-5)


def test_auto_finishes_a_small_graph_that_no_other_solver_suits():
    """Weights over many orders: eigenvalues down to 1e-8, and separators too wide to factor."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 2000, (2, 8000))
    half = sparse.csr_array((rng.lognormal(0, 3, 8000), ends), shape=(2000, 2000))
    L = normalized_laplacian(half + half.T)
    assert choose(L.matrix, 5) == "lanczos"
    found = lowest(L.matrix, 5)
    assert (found.converged, found.solver) == (True, "dense")
    stopped = lowest(L.matrix, 5, maxiter=3)
    assert (stopped.status, stopped.solver) == ("maxiter", "lanczos")


def test_separators():
    assert separator_width(path(200)) == 1
    assert separator_width(ring(200)) == 2
    grid = sparse.kronsum(path(20), path(30))
    assert 10 <= separator_width(grid) <= 20
    assert separator_width(several_components()) >= 1


@pytest.mark.parametrize(("name", "package"), EXTRAS.items())
def test_a_missing_extra_is_named(name, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.cholmod", None)
    with pytest.raises(ImportError, match="pip install"):
        lowest(normalized_laplacian(GRAPHS["sparse"]()).matrix, 3, solver=name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": 0}, "p must be between 1 and n = 80, got 0"),
        ({"p": 81}, "p must be between 1 and n = 80, got 81"),
        ({"solver": "qz"}, "solver must be one of 'auto', 'dense'"),
        ({"tol": 0.0}, "tol must be positive, got 0"),
        ({"maxiter": 0}, "maxiter must be at least 1, got 0"),
        ({"initial": np.ones((3, 2))}, r"initial must have shape \(80, q\), got \(3, 2\)"),
        ({"initial": np.full((80, 1), np.nan)}, "initial contains NaN"),
        ({"laplacian": np.ones((3, 2))}, "laplacian must be a square matrix"),
        ({"laplacian": np.full((80, 80), np.inf)}, "laplacian contains NaN or infinite"),
        ({"null_vectors": np.eye(80)[:, :1]}, "null_vectors must satisfy L v = 0"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"laplacian": normalized_laplacian(path()).matrix, "p": 3, "solver": "lanczos"}
    with pytest.raises(ValueError, match=message):
        lowest(**{**arguments, **change})


def test_an_operator_keeps_its_kind():
    regular = normalized_laplacian(GRAPHS["sparse"](), regularization=1.0)
    assert isinstance(regular.matrix, LinearOperator)
    result = lowest(regular.matrix, 4, solver="lanczos")
    exact = np.linalg.eigvalsh(regular.toarray())[:4]
    np.testing.assert_allclose(result.values, exact, atol=1e-9)
