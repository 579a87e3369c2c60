from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

from sidecut import Constraints
from sidecut.constraints.signed import signed_components
from sidecut.hard import ContradictionError, hard_labels
from sidecut.hard.coloring import color, large_clique

seeds = st.integers(0, 2**32 - 1)


def consistent_instance(rng, n_clusters):
    """Return scores that know nothing of the truth, and constraints that follow it."""
    n = int(rng.integers(20, 300))
    y = rng.integers(0, n_clusters, n)
    n_pairs = int(rng.integers(1, 3 * n))
    kind = rng.integers(4)
    known = Constraints.sample(y, n_pairs, random_state=int(rng.integers(1e6)))
    if kind == 1:  # nearly only cannot-links: the colouring is hardest
        i, j = rng.integers(0, n, (2, n_pairs))
        i, j = i[y[i] != y[j]], j[y[i] != y[j]]
        known = Constraints.from_pairs([], np.column_stack([i, j]), n_samples=n)
    if kind == 2:
        known = known + Constraints.from_labels(np.where(rng.random(n) < 0.2, y, -1))
    scores = 3 * rng.normal(size=(n, n_clusters))
    return scores, known


@pytest.mark.parametrize("n_clusters", [2, 3, 4, 5, 6])
def test_no_violation_on_two_hundred_consistent_instances(n_clusters):
    rng = np.random.default_rng(n_clusters)
    for _ in range(200):
        scores, known = consistent_instance(rng, n_clusters)
        total = known.satisfaction(hard_labels(scores, known)).total
        assert total.count_violated == 0


def cheapest_by_enumeration(scores, known):
    n, K = scores.shape
    logs = log_softmax(scores, axis=1)
    best = -np.inf
    for labels in product(range(K), repeat=n):
        if known.satisfaction(np.array(labels)).total.count_violated == 0:
            best = max(best, logs[np.arange(n), labels].sum())
    return best


@given(seeds)
def test_two_clusters_are_exact(seed):
    rng = np.random.default_rng(seed)
    y, scores = rng.integers(0, 2, 8), rng.normal(size=(8, 2))
    known = Constraints.sample(y, int(rng.integers(1, 8)), random_state=seed % 1000)
    labels = hard_labels(scores, known)
    found = log_softmax(scores, axis=1)[np.arange(8), labels].sum()
    assert found == pytest.approx(cheapest_by_enumeration(scores, known))


def test_three_clusters_come_close_to_the_best():
    losses = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y, scores = rng.integers(0, 3, 6), rng.normal(size=(6, 3))
        known = Constraints.sample(y, int(rng.integers(1, 10)), random_state=seed)
        labels = hard_labels(scores, known)
        found = log_softmax(scores, axis=1)[np.arange(6), labels].sum()
        best = cheapest_by_enumeration(scores, known)
        assert found <= best + 1e-9
        losses.append((best - found) / -best)
    assert np.mean(losses) < 0.02
    assert np.median(losses) == pytest.approx(0)


def test_labels_that_need_no_repair_stay():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 500)
    scores = 5 * np.eye(4)[y] + 0.1 * rng.normal(size=(500, 4))
    known = Constraints.sample(y, 800, random_state=0) + Constraints.from_labels(y)
    np.testing.assert_array_equal(hard_labels(scores, known), y)


def test_a_hundred_thousand_labels_are_not_listed_as_pairs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 100_000)
    known = Constraints.from_labels(y)
    labels = hard_labels(rng.normal(size=(100_000, 5)), known)
    assert known.satisfaction(labels).share == 1


CONTRADICTIONS = {
    r"cannot-link \(0, 3\) against must-links 0 = 1 = 3": (
        Constraints.from_pairs([(0, 1), (1, 3)], [(0, 3)], n_samples=5),
        4,
    ),
    r"odd cycle of cannot-links: 0 ≠ 1 ≠ 2 ≠ 0": (
        Constraints.from_pairs([], [(0, 1), (1, 2), (0, 2), (2, 3)], n_samples=5),
        2,
    ),
    r"odd cycle of cannot-links: 0 ≠ 1 = 4 ≠ 2 ≠ 0": (
        Constraints.from_pairs([(1, 4)], [(0, 1), (2, 4), (0, 2)], n_samples=5),
        2,
    ),
    r"3 clusters are too few: nodes 0, 1, 2, 3 are all apart": (
        Constraints.from_pairs([], list(combinations(range(4), 2)), n_samples=5),
        3,
    ),
    r"3 different labels need as many clusters, there are 2: nodes 0, 1, 2 are all apart": (
        Constraints.from_labels([0, 1, 2, 2, -1]),
        2,
    ),
    r"a single cluster cannot keep nodes 1 and 2 apart": (
        Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=5),
        1,
    ),
}


@pytest.mark.parametrize("message", CONTRADICTIONS)
def test_a_contradiction_is_named(message):
    known, n_clusters = CONTRADICTIONS[message]
    with pytest.raises(ContradictionError, match=message) as caught:
        hard_labels(np.zeros((5, n_clusters)), known)
    assert set(caught.value.nodes) <= set(range(5))
    assert len(caught.value.nodes) >= 2


def test_a_contradiction_without_a_clique_is_proven():
    # The Grötzsch graph has no triangle and no colouring with three colours.
    outer = [(k, (k + 1) % 5) for k in range(5)]
    spokes = [(k, 5 + (k + d) % 5) for k in range(5) for d in (1, 4)]
    hub = [(5 + k, 10) for k in range(5)]
    known = Constraints.from_pairs([], outer + spokes + hub, n_samples=11)
    with pytest.raises(ContradictionError, match="no labelling with 3 clusters keeps"):
        hard_labels(np.zeros((11, 3)), known)
    labels = hard_labels(np.zeros((11, 4)), known)
    assert known.satisfaction(labels).share == 1


@given(seeds)
def test_signs_agree_with_the_links(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 30)
    i, j = rng.integers(0, 30, (2, 25))
    i, j = i[y[i] != y[j]], j[y[i] != y[j]]
    component, side = signed_components(i, j, 30)
    np.testing.assert_array_equal(component[i], component[j])
    np.testing.assert_array_equal(side[i], -side[j])
    for k in range(component.max() + 1):
        assert len(np.unique(side[component == k] * (2 * y[component == k] - 1))) == 1


def test_cliques_and_kempe_chains():
    neighbours = [{1, 2, 3}, {0, 2}, {0, 1}, {0}]
    assert sorted(large_clique(neighbours)) == [0, 1, 2]
    # Greedy from the most constrained node may leave node 3 at cost 9; the best costs 2.
    costs = np.array([[0.0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 9, 9]])
    assert costs[np.arange(4), color(costs, neighbours)].sum() == 2


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="speak about 3 samples, scores has 4 rows"):
        hard_labels(np.zeros((4, 2)), Constraints(3))
