from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from sidecut import neighbors
from sidecut.neighbors import nearest_neighbors


def truth(X, k):
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


def recall(found, expected):
    return (found[:, :, None] == expected[:, None, :]).any(axis=2).mean()


@pytest.mark.parametrize("n_features", [1, 3, 12])
def test_exact_is_exact(n_features):
    X = np.random.default_rng(0).normal(size=(300, n_features))
    result = nearest_neighbors(X, 7)
    np.testing.assert_array_equal(result.indices, truth(X, 7))
    assert (result.method, result.recall) == ("exact", 1.0)


def test_sparse_points():
    X = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_array_equal(nearest_neighbors(sparse.csr_array(X), 3).indices, truth(X, 3))


@pytest.mark.parametrize(("n", "n_features"), [(20_000, 10), (5_000, 64), (3_000, 2)])
def test_faiss_reaches_the_recall_it_states(n, n_features):
    pytest.importorskip("faiss", reason="the extra 'neighbors' is not installed")
    X, _ = make_blobs(n, n_features=n_features, centers=10, cluster_std=4.0, random_state=0)
    X = X + 100.0
    result = nearest_neighbors(X, 10, method="faiss")
    rows = np.arange(0, n, 7)
    search = NearestNeighbors(n_neighbors=11).fit(X).kneighbors(X[rows], return_distance=False)
    actual = recall(result.indices[rows], search[:, 1:])
    assert result.recall >= 0.99
    assert actual >= 0.99
    assert (result.indices != np.arange(n)[:, None]).all()


def test_faiss_is_repeatable():
    pytest.importorskip("faiss", reason="the extra 'neighbors' is not installed")
    X = np.random.default_rng(0).normal(size=(4000, 9))
    one, two = (nearest_neighbors(X, 5, method="faiss").indices for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_copies_are_neighbours_and_oneself_is_not():
    X = np.repeat([[0.0], [5.0]], 4, axis=0)
    for method in ("exact", "faiss") if neighbors.find_spec("faiss") else ("exact",):
        indices = nearest_neighbors(X, 3, method=method).indices
        assert (indices != np.arange(8)[:, None]).all()
        np.testing.assert_array_equal(np.sort(indices[0]), [1, 2, 3])


def test_auto_takes_faiss_only_where_it_pays(monkeypatch):
    pytest.importorskip("faiss", reason="the extra 'neighbors' is not installed")
    monkeypatch.setattr(neighbors, "EXACT_SAMPLES", 500)
    wide = np.random.default_rng(0).normal(size=(1000, 12))
    assert nearest_neighbors(wide, 3).method == "faiss"
    assert nearest_neighbors(wide[:, :3], 3).method == "exact"
    assert nearest_neighbors(wide[:400], 3).method == "exact"
    monkeypatch.setattr(neighbors, "find_spec", lambda _: None)
    assert nearest_neighbors(wide, 3).method == "exact"


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match=r"pip install 'sidecut\[neighbors\]'"):
        nearest_neighbors(np.ones((5, 2)), 1, method="faiss")


def test_bad_input_is_named():
    X = np.zeros((4, 2))
    with pytest.raises(ValueError, match="n_neighbors must be below n_samples = 4, got 4"):
        nearest_neighbors(X, 4)
    with pytest.raises(ValueError, match="method must be one of"):
        nearest_neighbors(X, 1, method="hnsw")
    with pytest.raises(ValueError, match="recall must be above 0"):
        nearest_neighbors(X, 1, recall=0)
    with pytest.raises(TypeError, match="needs a dense X"):
        nearest_neighbors(sparse.csr_array(X), 1, method="faiss")
