from __future__ import annotations

import numpy as np
import pytest

from sidecut.datasets import six_node_graph, two_moons


def test_six_nodes_are_two_joined_triangles():
    A, known = six_node_graph()
    assert A.sum() == 14
    np.testing.assert_array_equal(A.sum(axis=1), [2, 2, 3, 3, 2, 2])
    assert known.satisfaction([0, 0, 0, 0, 1, 1]).share == 1


def test_moons_with_background():
    X, y = two_moons(500, n_background=100, noise=0.0, random_state=0)
    assert X.shape == (600, 2)
    assert set(y) == {0, 1}
    # Far left is the upper moon, far right the lower one.
    assert y[500 + X[500:, 0].argmin()] == 0
    assert y[500 + X[500:, 0].argmax()] == 1


def test_moons_are_repeatable():
    np.testing.assert_array_equal(
        two_moons(30, random_state=1)[0], two_moons(30, random_state=1)[0]
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="n_samples must be an integer of at least 2, got 1"):
        two_moons(1)
    with pytest.raises(ValueError, match="n_background must be an integer of at least 0"):
        two_moons(10, n_background=-1)
    with pytest.raises(ValueError, match="noise must be a finite number"):
        two_moons(10, noise=np.inf)
