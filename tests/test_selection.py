from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.metrics import adjusted_rand_score

from sidecut import Constraints, SpectralBasis
from sidecut.affinity import knn_affinity
from sidecut.datasets import two_moons
from sidecut.selection import Beliefs, choose_n_clusters, cross_validate, memberships, refine
from sidecut.selection.crossval import _average
from sidecut.selection.folds import N_FOLDS, split_folds
from sidecut.selection.refine import PairFit, logits, pair_log_likelihood
from sidecut.selection.start import path_vectors, start_labels

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def moons():
    X, y = two_moons(1500, noise=0.15, random_state=0)
    basis = SpectralBasis.from_affinity(knn_affinity(X, 10), 30)
    return basis.vectors * np.sqrt(basis.volume), basis.values, y


def beliefs_of(y, n_pairs, seed, **options):
    known = Constraints.sample(y, n_pairs, random_state=seed, **options)
    return Beliefs.from_pairs(known.as_pairs())


def labels_of(F, evidence):
    return logits(F, evidence.coefficients).argmax(axis=1)


def test_beliefs_come_from_pairs():
    known = Constraints.from_pairs([(0, 1)], [(1, 2)], n_samples=3, must_weight=0.4)
    beliefs = Beliefs.from_pairs(known.as_pairs())
    np.testing.assert_allclose(beliefs.signed, [0.4, -1.0])
    np.testing.assert_allclose(beliefs.balanced(), [0.7, 0.7])
    assert beliefs.balanced_satisfaction(np.array([1.0, 1.0])) == pytest.approx(0.5)
    assert beliefs.balanced_satisfaction(np.array([1.0, 0.0])) == 1


def test_satisfaction_grows_along_the_path(moons):
    F, values, y = moons
    known = Constraints.sample(y, 40, random_state=0)
    Q = known.project(F)
    met = []
    for mu in (0.0, *np.geomspace(0.01, 1000, 30)):
        x = path_vectors(values, Q, mu, 1)[:, 0]
        met.append(x @ Q @ x)
    assert (np.diff(met) >= -1e-9 * abs(met[-1])).all()
    assert met[-1] == pytest.approx(np.linalg.eigvalsh(Q)[-1], rel=1e-2)


@given(seeds, st.integers(2, 4), st.floats(0.0, 0.3))
def test_the_gradient_of_the_refinement_is_right(seed, n_clusters, floor):
    rng = np.random.default_rng(seed)
    F, y = rng.normal(size=(20, 3)), rng.integers(0, n_clusters, 20)
    fit = PairFit(F, beliefs_of(y, 15, int(seed % 1000)))
    prior, precision = rng.normal(size=(4, n_clusters)), rng.uniform(0.1, 1, 4)
    caught = {}

    def catch(loss, x, **_):
        caught["loss"] = loss
        return type("Result", (), {"x": x})

    original, refine.minimize = refine.minimize, catch
    try:
        fit.refine(prior, precision, prior, floor + 0.01)
    finally:
        refine.minimize = original
    loss = caught["loss"]
    x = rng.normal(size=4 * n_clusters)
    assert check_grad(lambda x: loss(x)[0], lambda x: loss(x)[1], x) < 1e-4 * (1 + abs(loss(x)[0]))


def test_refinement_raises_the_likelihood(moons):
    F, values, y = moons
    beliefs = beliefs_of(y, 50, 0)
    prior = np.zeros((31, 2))
    prior[0] = (-1, 1)
    W = PairFit(F, beliefs).refine(prior, np.append(values / values.mean(), 0.1), prior, 0.02)
    before, after = (pair_log_likelihood(F, V, beliefs, 0.02).sum() for V in (prior, W))
    assert after > before + 5
    Z = memberships(F, W)
    np.testing.assert_allclose(Z.sum(axis=1), 1)


@given(seeds)
def test_folds_keep_connected_pairs_together(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 2000)
    beliefs = beliefs_of(y, 60, int(seed % 1000))
    one, two = split_folds(beliefs, 2000, rng)
    np.testing.assert_array_equal(one, two)
    assert set(one) == set(range(N_FOLDS))
    fold_of_node: dict[int, int] = {}
    for node, fold in zip(np.r_[beliefs.first, beliefs.second], np.r_[one, two], strict=True):
        assert fold_of_node.setdefault(int(node), int(fold)) == fold


def test_a_giant_group_is_split_by_nodes_where_constraints_are_rare():
    labels = np.full(5000, -1)
    labels[:50] = np.arange(50) % 2
    known = Constraints.from_labels(labels).as_pairs(random_state=0)
    one, two = split_folds(Beliefs.from_pairs(known), 5000, np.random.default_rng(0))
    fold_of_node: dict[int, int] = {}
    ends = np.r_[known.first, known.second]
    for node, fold in zip(ends, np.r_[one, two], strict=True):
        assert fold_of_node.setdefault(int(node), int(fold)) == fold
    assert (one != two).any()


def test_averaging_matches_the_clusters_first():
    W = np.random.default_rng(0).normal(size=(4, 3))
    mean = _average({0: W, 1: W[:, [2, 0, 1]]}, np.array([0.5, 0.5]), 3)
    np.testing.assert_allclose(mean, W - W.mean(axis=1, keepdims=True))


def test_constraints_lift_the_clusters(moons):
    F, values, y = moons
    plain = adjusted_rand_score(y, F[:, 0] > 0)
    evidence = cross_validate(F, values, beliefs_of(y, 100, 0), 2)
    assert evidence.folded
    assert evidence.held_out > 0.8
    assert 0 < evidence.held_out_error < 0.1
    assert evidence.weights.sum() == pytest.approx(1)
    assert adjusted_rand_score(y, labels_of(F, evidence)) > max(plain + 0.3, 0.85)


def test_useless_constraints_hardly_move_the_cut(moons):
    F, values, y = moons
    noise = np.random.default_rng(0).integers(0, 2, len(y))
    evidence = cross_validate(F, values, beliefs_of(noise, 100, 0), 2)
    assert not evidence.folded
    assert np.isnan(evidence.held_out)
    assert evidence.followed == 0.2
    assert adjusted_rand_score(F[:, 0] > 0, labels_of(F, evidence)) > 0.9


def test_where_the_unconstrained_cut_is_far_ahead_it_stays(moons):
    F, values, _ = moons
    known = beliefs_of(F[:, 0] > 0, 100, 0)
    wrong = np.random.default_rng(0).random(100) < 0.35
    evidence = cross_validate(F, values, known._replace(target=abs(known.target - wrong)), 2)
    assert evidence.followed == 0
    np.testing.assert_array_equal(labels_of(F, evidence) == 1, F[:, 0] > 0)


def test_a_few_constraints_hardly_move_the_cut(moons):
    F, values, y = moons
    evidence = cross_validate(F, values, beliefs_of(y, 4, 0), 2)
    assert not evidence.folded
    assert adjusted_rand_score(F[:, 0] > 0, labels_of(F, evidence)) > 0.8


def test_wrong_constraints_are_doubted(moons):
    F, values, y = moons
    known = Constraints.sample(y, 200, wrong=0.05, random_state=0)
    pairs = known.as_pairs()
    evidence = cross_validate(F, values, Beliefs.from_pairs(pairs), 2)
    wrong = (y[pairs.first] == y[pairs.second]) != (pairs.weight > 0)
    worst = np.argsort(-evidence.doubt)[:10]
    assert wrong[worst].mean() > 0.5
    assert adjusted_rand_score(y, labels_of(F, evidence)) > 0.8


def test_must_links_alone_do_not_make_one_cluster(moons):
    F, values, y = moons
    pairs = np.random.default_rng(0).integers(0, len(y), (400, 2))
    pairs = pairs[(y[pairs[:, 0]] == y[pairs[:, 1]]) & (pairs[:, 0] != pairs[:, 1])][:100]
    known = Constraints.from_pairs(pairs, n_samples=len(y))
    evidence = cross_validate(F, values, Beliefs.from_pairs(known.as_pairs()), 2)
    assert len(np.unique(labels_of(F, evidence))) == 2


def test_the_same_seed_gives_the_same_cut(moons):
    F, values, y = moons
    one, two = (cross_validate(F, values, beliefs_of(y, 60, 0), 3, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.coefficients, two.coefficients)


def test_a_start_uses_the_must_links():
    # Four groups on a line, three clusters wanted: only the constraints say which two are one.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 2], 60)
    F = np.column_stack([np.repeat([-2.0, -1.0, 1.0, 2.0], 60), rng.normal(size=240)])
    F[:, 1] *= 0.05
    labels = start_labels(F, np.eye(2), 3, beliefs_of(y, 300, 0), np.arange(240), 0)
    assert adjusted_rand_score(y, labels) > 0.9


def test_trials_tell_what_was_held_out(moons):
    F, values, y = moons
    evidence = cross_validate(F, values, beliefs_of(y, 100, 0), 2)
    assert evidence.unconstrained == pytest.approx(0.76, abs=0.15)
    best = max(evidence.trials, key=lambda trial: trial.log_likelihood)
    assert best.candidate == evidence.best
    assert best.satisfaction > evidence.unconstrained
    assert all(0 <= trial.error < 0.1 and trial.log_likelihood < 0 for trial in evidence.trials)
    # Useless constraints are refused, but the comparison stays to be seen.
    noise = np.random.default_rng(0).integers(0, 2, len(y))
    useless = cross_validate(F, values, beliefs_of(noise, 100, 0), 2)
    assert useless.trials
    assert not useless.folded
    assert not cross_validate(F, values, beliefs_of(y, 4, 0), 2).trials


def test_the_number_of_clusters_needs_both_kinds_of_constraints(moons):
    F, values, y = moons
    both = beliefs_of(y, 60, 0)
    chosen = choose_n_clusters(F[:, :10], values[:10], both)
    assert chosen.n_clusters == 2
    assert chosen.rule == "held-out constraints"
    assert chosen.evidence is not None
    assert max(chosen.scores, key=lambda K: chosen.scores[K]) >= chosen.n_clusters
    for kind in (both.signed > 0, both.signed < 0):
        assert choose_n_clusters(F, values, both.take(kind)).rule == "eigengap"
    few = choose_n_clusters(F, values, beliefs_of(y, 9, 0), least=4)
    assert few.rule == "eigengap"
    assert few.n_clusters >= 4
