from __future__ import annotations

import numpy as np
import pytest
from problems import random_graph
from scipy import sparse

from sidecut.metrics import normalized_cut, purity


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_normalized_cut_is_its_definition(kind):
    rng = np.random.default_rng(0)
    A, labels = random_graph(rng, 10), rng.integers(0, 3, 10)
    expected = sum(
        A[labels == k][:, labels != k].sum() / A[labels == k].sum() for k in np.unique(labels)
    )
    assert normalized_cut(kind(A), labels) == pytest.approx(expected)


def test_one_cluster_costs_nothing():
    assert normalized_cut(np.ones((3, 3)), [0, 0, 0]) == 0


def test_an_isolated_cluster_costs_nothing():
    A = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]])
    assert normalized_cut(A, ["a", "a", "b"]) == 0


def test_purity_counts_majorities():
    assert purity([0, 0, 1, 1, 2], [1, 1, 1, 0, 0]) == pytest.approx(3 / 5)
    assert purity(["a", "b"], [0, 1]) == 1


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"labels must have shape \(3,\), got \(2,\)"):
        normalized_cut(np.ones((3, 3)), [0, 1])
    with pytest.raises(ValueError, match=r"labels must have shape \(3,\), got \(2,\)"):
        purity([0, 1, 1], [0, 1])
