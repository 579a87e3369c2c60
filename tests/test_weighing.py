from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import adjusted_rand_score

from sidecut import ConstrainedSpectralClustering, Constraints
from sidecut.datasets import two_moons
from sidecut.selection import Beliefs, weigh
from sidecut.selection.start import OFFSET, relative
from sidecut.selection.weighing import LEAST_ERROR, RIDGES, SCALES, _Network, _smoothed

seeds = st.integers(0, 2**32 - 1)


def beliefs(pairs, target, weight=None):
    first, second = np.asarray(pairs).T
    weight = np.ones(len(pairs)) if weight is None else np.asarray(weight)
    return Beliefs(first, second, np.asarray(target, float), weight)


@given(seeds, st.integers(2, 3))
def test_messages_on_a_tree_give_the_exact_probabilities(seed, n_clusters):
    rng = np.random.default_rng(seed)
    n, wrong = 5, 0.1
    tree = np.array([(int(rng.integers(0, i)), i) for i in range(1, n)])
    known = beliefs(tree, rng.integers(0, 2, n - 1), rng.choice([0.4, 1.0, 2.0], n - 1))
    prior = rng.standard_normal((n, n_clusters))
    network = _Network(known, wrong, n_clusters)
    for _ in range(4):
        network.settle(prior)

    mass = np.zeros((n, n_clusters))
    broken = np.zeros(n - 1)
    for labels in product(range(n_clusters), repeat=n):
        met = np.array([labels[i] == labels[j] for i, j in tree]) == (known.target > 0.5)
        chance = softmax(prior, axis=1)[np.arange(n), labels].prod()
        chance *= (np.where(met, 1 - wrong, wrong) ** known.weight).prod()
        mass[np.arange(n), labels] += chance
        broken += chance * ~met
    np.testing.assert_allclose(network.memberships(prior), mass / mass[0].sum(), atol=1e-4)
    np.testing.assert_allclose(network.doubt(prior), broken / mass[0].sum(), atol=1e-4)


def test_smoothing_leaves_each_node_out():
    rng = np.random.default_rng(0)
    n, p = 30, 4
    rows, values = rng.standard_normal((n, p)), np.sort(rng.random(p))
    z = softmax(3 * rng.standard_normal((n, 2)) + 3 * np.c_[rows[:, 0], -rows[:, 0]], axis=1)
    found = _smoothed(rows, values, z)

    sure = np.maximum(2 * z.max(axis=1) - 1, 1e-3)
    goal = np.eye(2)[z.argmax(axis=1)] - 0.5
    best = None
    for scale, ridge in product(SCALES, RIDGES):
        size = 1 / (1 + np.append(relative(values), OFFSET) / scale)
        kernel = np.c_[rows, np.ones(n)] * np.sqrt(size / size.sum())
        left_out = np.empty_like(goal)
        for i in range(n):
            rest = np.arange(n) != i
            A = kernel[rest].T @ (sure[rest, None] * kernel[rest]) + ridge * np.eye(p + 1)
            W = np.linalg.solve(A, kernel[rest].T @ (sure[rest, None] * goal[rest]))
            left_out[i] = kernel[i] @ W
        error = (sure[:, None] * (goal - left_out) ** 2).sum() / sure.sum()
        if best is None or error < best[0]:
            best = error, left_out / max(error, LEAST_ERROR)
    np.testing.assert_allclose(found.left_out, best[1], atol=1e-8)


def test_a_wrong_pair_among_right_ones_is_found():
    # Two clusters on a line, a node in the middle of the second claimed for the first.
    F = np.linspace(-1, 1, 20)[:, None] * np.sqrt(3)
    right = [(i, i + 1) for i in range(9)] + [(i, i + 1) for i in range(10, 19)]
    apart = [(i, i + 10) for i in range(10)]
    known = beliefs([*right, *apart, (2, 15)], [1] * 18 + [0] * 10 + [1])
    cut = np.array([[-2.0, 2.0], [0.0, 0.0]])
    result = weigh(F, np.array([1.0]), cut, known, wrong=0.1)
    assert result.doubt[-1] > 0.9
    assert result.doubt[:-1].max() < 0.1
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1], 10))


@pytest.fixture(scope="module")
def moons():
    X, y = two_moons(400, noise=0.2, random_state=0)
    return X, y, ConstrainedSpectralClustering(random_state=0).fit(X)


def test_wrong_pairs_are_weighed_and_that_helps(moons):
    _, y, model = moons
    better = []
    for seed in range(4):
        known = Constraints.sample(y, 400, wrong=0.1, random_state=seed)
        scores = [
            adjusted_rand_score(y, model.set_params(hard=hard).update(constraints=known).labels_)
            for hard in (False, "auto")
        ]
        better.append(scores[1] - scores[0])
        assert "of the pairs seem wrong" in model.report_.choice
        assert not model.report_.hard
        for i, j, weight in model.report_.doubtful:
            assert (weight > 0) != (y[i] == y[j])
    assert np.mean(better) > 0.01


def test_right_pairs_are_not_weighed(moons):
    _, y, model = moons
    known = Constraints.sample(y, 400, random_state=0)
    model.set_params(hard="auto").update(constraints=known)
    assert model.report_.hard
    assert "seem wrong" not in model.report_.choice


def test_labels_are_not_weighed_as_pairs(moons):
    _, y, model = moons
    labels = np.full(400, -1)
    labels[:80] = y[:80]
    labels[:80:8] = 1 - labels[:80:8]
    model.set_params(hard="auto").update(constraints=Constraints.from_labels(labels))
    assert "seem wrong" not in model.report_.choice


def test_weighed_cut_labels_new_points(moons):
    X, y, model = moons
    known = Constraints.sample(y, 400, wrong=0.1, random_state=0)
    model.set_params(hard="auto").update(constraints=known)
    assert adjusted_rand_score(model.predict(X), model.cut_.labels(model.embedding_)) > 0.8
