from __future__ import annotations

import zipfile

import numpy as np
import pytest
from problems import random_graph
from scipy import linalg, sparse

from sidecut import SpectralBasis
from sidecut.affinity import knn_affinity, knn_affinity_to
from sidecut.basis import zero_cost_vectors
from sidecut.datasets import two_moons
from sidecut.laplacian import normalized_laplacian


@pytest.fixture(scope="module")
def moons():
    X, _ = two_moons(1500, noise=0.1, random_state=0)
    return X, knn_affinity(X, 10)


@pytest.fixture(scope="module")
def basis(moons):
    return SpectralBasis.from_affinity(moons[1], 12)


def check_basis(basis, laplacian, tol=1e-3):
    """Orthonormal, orthogonal to d0, eigenvectors, and none of them missing."""
    V = basis.vectors * np.sqrt(basis.degrees)[:, None]
    np.testing.assert_allclose(V.T @ V, np.eye(basis.p), atol=1e-8)
    np.testing.assert_allclose(laplacian.trivial @ V, 0, atol=1e-8)
    residuals = np.linalg.norm(laplacian.matrix @ V - V * basis.values, axis=0)
    assert (residuals <= tol * basis.values + 1e-12).all()
    exact = np.linalg.eigvalsh(laplacian.toarray())[1 : basis.p + 1]
    np.testing.assert_allclose(basis.values, exact, rtol=1e-3, atol=1e-10)


def test_it_is_the_lowest_eigenvectors_without_the_trivial_one(moons, basis):
    check_basis(basis, normalized_laplacian(moons[1]))
    assert basis.converged
    assert basis.residuals.max() < 1e-4
    assert basis.volume == pytest.approx(moons[1].sum())


@pytest.mark.parametrize("p", [1, 3, 5, 14])
def test_components_come_first(p):
    rng = np.random.default_rng(0)
    blocks = [random_graph(rng, n) for n in (9, 7, 5, 2)] + [[[0.0]]]
    A = sparse.csr_array(linalg.block_diag(*blocks))
    basis = SpectralBasis.from_affinity(A, p)
    check_basis(basis, normalized_laplacian(A))
    assert (basis.values[:4] == 0).all()


def test_zero_cost_vectors_tell_the_largest_components_apart():
    A = linalg.block_diag(*(1 - np.eye(n) for n in (2, 5, 3, 4)))
    laplacian = normalized_laplacian(A)
    Z = zero_cost_vectors(laplacian, 2)
    assert Z.shape == (14, 2)
    np.testing.assert_allclose(laplacian.matrix @ Z, 0, atol=1e-14)
    np.testing.assert_allclose(
        np.column_stack([Z, laplacian.trivial]).T @ Z, np.eye(3)[:, :2], atol=1e-14
    )
    U = laplacian.indicator(Z)
    assert len(np.unique(U.round(9), axis=0)) == 3
    np.testing.assert_allclose(U[0], U[-6])  # the two smallest are one


def test_regularised(moons):
    basis = SpectralBasis.from_affinity(moons[1], 5, regularization=2.0)
    check_basis(basis, normalized_laplacian(moons[1], regularization=2.0))


def test_it_grows_from_what_it_has(moons, basis):
    grown = basis.extend(20)
    assert grown.p == 20
    check_basis(grown, normalized_laplacian(moons[1]))
    fresh = SpectralBasis.from_affinity(moons[1], 20)
    np.testing.assert_allclose(grown.values, fresh.values, rtol=1e-3)
    shorter = basis.extend(4)
    np.testing.assert_array_equal(shorter.vectors, basis.vectors[:, :4])
    assert np.shares_memory(shorter.vectors, basis.vectors)


def test_new_points_land_beside_their_neighbours(moons, basis):
    X, _ = moons
    new, _ = two_moons(200, noise=0.1, random_state=1)
    rows = basis.embed(knn_affinity_to(new, X, 10))
    nearest = np.linalg.norm(new[:, None] - X, axis=2).argmin(axis=1)
    for k in range(4):
        assert np.corrcoef(rows[:, k], basis.vectors[nearest, k])[0, 1] > 0.99


def test_nodes_of_the_graph_embed_to_themselves(moons, basis):
    np.testing.assert_allclose(basis.embed(moons[1]), basis.vectors, atol=1e-3)


@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_brings_it_back(basis, tmp_path, mmap):
    file = tmp_path / "basis.npz"
    basis.save(file)
    assert [path.name for path in tmp_path.iterdir()] == ["basis.npz"]
    again = SpectralBasis.load(file, mmap=mmap)
    np.testing.assert_array_equal(again.vectors, basis.vectors)
    np.testing.assert_array_equal(again.values, basis.values)
    assert (again.solver, again.status) == (basis.solver, basis.status)
    assert isinstance(again.vectors, np.memmap) == mmap
    with pytest.raises(ValueError, match="pass laplacian="):
        again.extend(20)
    assert again.extend(14, laplacian=basis.laplacian).p == 14


def test_a_failed_save_leaves_nothing_behind(basis, tmp_path, monkeypatch):
    basis.save(tmp_path / "basis.npz")
    before = (tmp_path / "basis.npz").read_bytes()

    def full_disk(*_, **__):
        raise OSError("no space")

    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="no space"):
        basis.save(tmp_path / "basis.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["basis.npz"]
    assert (tmp_path / "basis.npz").read_bytes() == before


def test_files_that_are_none(basis, tmp_path):
    text = tmp_path / "text.npz"
    text.write_text("not a zip file")
    with pytest.raises(ValueError, match="is no spectral basis"):
        SpectralBasis.load(text)
    other = tmp_path / "other.npz"
    np.savez(other, values=np.ones(3))
    with pytest.raises(ValueError, match="is no spectral basis"):
        SpectralBasis.load(other)
    pickled = tmp_path / "pickled.npz"
    np.savez(pickled, values=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="is no spectral basis"):
        SpectralBasis.load(pickled)
    basis.save(tmp_path / "whole.npz")
    cut = tmp_path / "cut.npz"
    cut.write_bytes((tmp_path / "whole.npz").read_bytes()[:2000])
    with pytest.raises(ValueError, match="is no spectral basis"):
        SpectralBasis.load(cut)
    with pytest.raises(FileNotFoundError):
        SpectralBasis.load(tmp_path / "none.npz")


def rewrite(source, target, **changes):
    with np.load(source) as file:
        fields = {**file, **changes}
    np.savez(target, **{name: value for name, value in fields.items() if value is not None})


def test_files_of_another_kind(basis, tmp_path):
    good, bad = tmp_path / "good.npz", tmp_path / "bad.npz"
    basis.save(good)
    rewrite(good, bad, version=np.array(99))
    with pytest.raises(ValueError, match="has version 99 of the format, expected 1"):
        SpectralBasis.load(bad)
    rewrite(good, bad, degrees=None)
    with pytest.raises(ValueError, match="lacks degrees"):
        SpectralBasis.load(bad)
    rewrite(good, bad, vectors=np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"has vectors of shape \(3, 2\)"):
        SpectralBasis.load(bad)
    with np.load(good) as file:
        np.savez_compressed(bad, **file)
    with pytest.raises(ValueError, match="is compressed and cannot be mapped"):
        SpectralBasis.load(bad, mmap=True)
    assert zipfile.is_zipfile(bad)


def test_an_unfinished_basis_says_so(moons):
    basis = SpectralBasis.from_affinity(moons[1], 30, solver="chebyshev", maxiter=1)
    assert not basis.converged
    assert "maxiter" in basis.advice


def test_bad_input_is_named(moons, basis):
    _, A = moons
    with pytest.raises(ValueError, match="p must be below n_samples = 1500, got 1500"):
        SpectralBasis.from_affinity(A, 1500)
    with pytest.raises(ValueError, match="p must be an integer of at least 1, got 0"):
        SpectralBasis.from_affinity(A, 0)
    with pytest.raises(ValueError, match="solver must be one of"):
        SpectralBasis.from_affinity(A, 3, solver="qz")
    with pytest.raises(ValueError, match="p must be at most 12, got 13; use extend"):
        basis.truncate(13)
    with pytest.raises(ValueError, match="of another graph"):
        basis.extend(20, laplacian=normalized_laplacian(2 * A))
    with pytest.raises(ValueError, match="affinity must have 1500 columns"):
        basis.embed(np.ones((2, 3)))
    with pytest.raises(ValueError, match="joins row 1 with no node"):
        basis.embed(np.vstack([np.ones(1500), np.zeros(1500)]))
    with pytest.raises(ValueError, match="finite and not negative"):
        basis.embed(-np.ones((1, 1500)))
    with pytest.raises(ValueError, match="n_neighbors must be at most 3, got 4"):
        knn_affinity_to([[0.0]], [[0.0], [1.0], [2.0]], 4)
