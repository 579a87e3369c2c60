from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sidecut import (
    Alpha,
    ConstrainedSpectralClustering,
    Constraints,
    ContradictionError,
    InfeasibleThresholdError,
    Mu,
)
from sidecut.affinity import rbf_affinity
from sidecut.datasets import two_moons

X3 = np.array([[0.0], [1.0], [3.0]])


@parametrize_with_checks(
    [
        ConstrainedSpectralClustering(random_state=0),
        ConstrainedSpectralClustering(3, affinity="rbf", random_state=0),
        ConstrainedSpectralClustering(None, threshold=Mu(1.0), hard=True, random_state=0),
    ],
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def noisy_moons():
    X, y = two_moons(1500, noise=0.15, random_state=0)
    model = ConstrainedSpectralClustering(random_state=0)
    known = Constraints.sample(y, 100, random_state=0)
    return X, y, known, model.fit(X, constraints=known)


def test_a_hundred_pairs_recover_noisy_moons(noisy_moons):
    X, y, _, model = noisy_moons
    plain = adjusted_rand_score(y, ConstrainedSpectralClustering(random_state=0).fit_predict(X))
    assert plain < 0.6
    assert adjusted_rand_score(y, model.labels_) > 0.85


def test_update_uses_the_same_basis(noisy_moons):
    X, y, known, model = noisy_moons
    model = clone(model).fit(X)
    basis = model.basis_
    updated = model.update(constraints=known).labels_
    assert model.basis_ is basis
    np.testing.assert_array_equal(updated, clone(model).fit(X, constraints=known).labels_)
    plain = model.update().labels_
    np.testing.assert_array_equal(plain, clone(model).fit(X).labels_)
    assert adjusted_rand_score(y, updated) > adjusted_rand_score(y, plain)


def test_new_points_join_their_neighbours(noisy_moons):
    X, _, _, model = noisy_moons
    assert adjusted_rand_score(model.labels_, model.predict(X)) > 0.95
    new, y = two_moons(400, noise=0.15, random_state=7)
    assert adjusted_rand_score(y, model.predict(new)) > 0.8
    with pytest.raises(ValueError, match="2 features"):
        model.predict(np.ones((3, 5)))


@pytest.mark.parametrize("affinity", ["rbf", "precomputed"])
def test_other_affinities_predict_too(affinity):
    X, y = load_iris(return_X_y=True)
    data = rbf_affinity(X, 1.0) if affinity == "precomputed" else X
    known = Constraints.sample(y, 200, random_state=0)
    model = ConstrainedSpectralClustering(3, affinity=affinity, gamma=1.0, random_state=0)
    labels = model.fit_predict(data, constraints=known)
    assert adjusted_rand_score(y, labels) > 0.9
    assert adjusted_rand_score(labels, model.predict(data)) > 0.9


def test_labels_as_constraints():
    X, y = load_iris(return_X_y=True)
    labelled = np.random.default_rng(0).permutation(150) < 60
    known = Constraints.from_labels(np.where(labelled, y, -1))
    model = ConstrainedSpectralClustering(3, random_state=0)
    plain = adjusted_rand_score(y, model.fit_predict(X))
    assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) > plain + 0.05


def test_a_fixed_seed_repeats_the_fit(noisy_moons):
    X, _, known, model = noisy_moons
    again = clone(model).fit(X, constraints=known)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_the_report_names_doubtful_pairs(noisy_moons):
    X, y, _, model = noisy_moons
    known = Constraints.sample(y, 200, wrong=0.05, random_state=1)
    report = clone(model).fit(X, constraints=known).report_
    text = str(report)
    assert "held out" in text
    assert "doubtful" in text
    wrong = [(y[i] == y[j]) != (weight > 0) for i, j, weight in report.doubtful]
    assert np.mean(wrong) > 0.5
    assert report.to_dict()["satisfaction"]["must"]["count"] > 0


# -- its threshold, hard constraints and number of clusters --------------------------------------


def test_a_share_is_met_by_the_labels(noisy_moons):
    X, _, known, _ = noisy_moons
    for share in (0.85, 1.0):
        model = ConstrainedSpectralClustering(threshold=share, random_state=0)
        labels = model.fit(X, constraints=known).labels_
        assert known.satisfaction(labels).share >= share
        assert model.cross_validation_ is None
        assert f"meet {share:.4g} of the constraint weight" in str(model.report_)


def test_alpha_is_the_papers_own_and_certified(noisy_moons):
    X, _, known, _ = noisy_moons
    model = ConstrainedSpectralClustering(threshold=Alpha(90.0), random_state=0)
    model.fit(X, constraints=known)
    point = model.path_.at_alpha(90.0)
    u = model.path_.embedding(point)[:, 0]
    assert u @ (known @ u) == pytest.approx(90.0)
    np.testing.assert_array_equal(model.labels_, u > 0)
    assert "relative duality gap" in model.report_.choice
    with pytest.raises(InfeasibleThresholdError, match=r"alpha = 1e\+09 cannot be reached"):
        model.set_params(threshold=Alpha(1e9)).update(constraints=known)


def test_a_fixed_multiplier_leads_from_the_plain_cut_to_the_satisfying_one(noisy_moons):
    X, y, known, _ = noisy_moons
    model = ConstrainedSpectralClustering(threshold=Mu(0.0), random_state=0).fit(X)
    plain = model.labels_
    np.testing.assert_array_equal(model.update(constraints=known).labels_, plain)
    assert model.path_ is not None
    strong = model.set_params(threshold=Mu(100.0)).update(constraints=known).labels_
    met = [known.satisfaction(labels).share for labels in (plain, strong)]
    assert met[1] > met[0] + 0.1
    assert adjusted_rand_score(y, strong) > adjusted_rand_score(y, plain)
    assert model.report_.choice == "μ = 100 as given"
    assert "doubtful" in str(model.report_)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_hard_labels_keep_every_constraint_and_stay_near(n_clusters):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_clusters), 120)
    X = rng.normal(size=(len(y), 2)) + 3.0 * np.eye(3, 2)[y]
    known = Constraints.sample(y, 150, random_state=0)
    known = known + Constraints.from_labels(np.where(rng.random(len(y)) < 0.1, y, -1))
    soft = ConstrainedSpectralClustering(n_clusters, hard=False, random_state=0)
    soft.fit(X, constraints=known)
    hard = clone(soft).set_params(hard=True).fit(X, constraints=known)
    assert soft.report_.satisfaction.total.count_violated > 0
    assert hard.report_.satisfaction.total.count_violated == 0
    assert adjusted_rand_score(soft.labels_, hard.labels_) > 0.7
    assert adjusted_rand_score(y, hard.labels_) >= adjusted_rand_score(y, soft.labels_)
    assert "labels made to keep every constraint" in str(hard.report_)


def test_certain_and_consistent_constraints_are_kept_by_default():
    X, y = two_moons(1500, noise=0.25, random_state=0)
    known = Constraints.sample(y, 400, random_state=0)
    model = ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)
    assert model.report_.satisfaction.total.count_violated == 0
    assert model.report_.doubtful  # the cut behind the labels still tells what it doubts
    # Contradictions, or less than full trust, leave the cut as it is.
    wrong = Constraints.sample(y, 400, wrong=0.1, random_state=0)
    for softer in (wrong, known * 0.7):
        model.update(constraints=softer)
        assert model.report_.satisfaction.total.count_violated > 0
    # Must-links alone may join everything, as a second graph does: they are not kept at any price.
    together = Constraints.from_affinity(model.affinity_matrix_ > 0)
    assert np.bincount(model.update(constraints=together).labels_).min() > 100


def test_few_constraints_on_a_small_graph_are_kept_by_the_cut_itself():
    X, y = two_moons(300, noise=0.2, random_state=3)
    known = Constraints.sample(y, 30, random_state=4)
    model = ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)
    evidence = model.cross_validation_
    assert evidence.labels is not None
    np.testing.assert_array_equal(model.labels_, evidence.labels)
    assert known.satisfaction(model.labels_).share == 1
    assert "keeps every constraint" in model.report_.choice
    # New points come near it.
    assert adjusted_rand_score(model.labels_, model.predict(X)) > 0.8
    contradiction = known + Constraints.from_pairs([], [(0, 1), (1, 2), (0, 2)], n_samples=300)
    assert model.update(constraints=contradiction).cross_validation_.labels is None


@pytest.mark.parametrize("hard", ["yes", None, 1, 2.0])
def test_hard_is_yes_no_or_auto(hard):
    X, _ = two_moons(60, random_state=0)
    with pytest.raises(ValueError, match='hard must be True, False or "auto", got'):
        ConstrainedSpectralClustering(hard=hard).fit(X)


def test_hard_constraints_that_contradict_are_named(noisy_moons):
    X, _, _, model = noisy_moons
    model = clone(model).set_params(hard=True).fit(X)
    triangle = Constraints.from_pairs([], [(0, 1), (1, 2), (0, 2)], n_samples=len(X))
    before = model.labels_.copy()
    with pytest.raises(ContradictionError, match="odd cycle of cannot-links: 0 ≠ 1 ≠ 2 ≠ 0"):
        model.update(constraints=triangle)
    # What failed leaves the model as it was.
    np.testing.assert_array_equal(model.labels_, before)
    assert model.constraints_ is None
    with pytest.raises(ContradictionError, match="single cluster cannot keep nodes 0 and 1 apart"):
        model.set_params(n_clusters=1).update(constraints=triangle)
    alone = Constraints.from_labels(np.where(np.arange(len(X)) == 5, 0, -1))
    assert len(set(model.set_params(n_clusters=3).update(constraints=alone).labels_)) == 3


def test_the_number_of_clusters_comes_from_held_out_constraints():
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(5), 50)
    X = rng.normal(size=(250, 2)) * 0.8 + 3 * np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1]])[y]
    model = ConstrainedSpectralClustering(None, random_state=0)
    # The graph alone sees other groups than the constraints speak of.
    merged = y // 2
    model.fit(X, constraints=Constraints.sample(merged, 150, random_state=0))
    assert model.n_clusters_ == 3
    assert "3 by held-out constraints" in str(model.report_)
    assert adjusted_rand_score(merged, model.labels_) > 0.8
    again = ConstrainedSpectralClustering(3, random_state=0)
    again.fit(X, constraints=Constraints.sample(merged, 150, random_state=0))
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_the_number_of_clusters_without_constraints_is_the_eigengap():
    A = linalg.block_diag(*[np.ones((8, 8))] * 4) + 0.001
    model = ConstrainedSpectralClustering(None, affinity="precomputed", random_state=0).fit(A)
    assert model.n_clusters_ == 4
    assert "4 by eigengap" in str(model.report_)
    assert adjusted_rand_score(np.repeat(np.arange(4), 8), model.labels_) == 1
    # Labels of six kinds need at least six clusters.
    labels = np.full(32, -1)
    labels[[0, 1, 8, 9, 16, 24]] = np.arange(6)
    model.update(constraints=Constraints.from_labels(labels))
    assert model.n_clusters_ >= 6


def test_the_report_is_of_the_last_update(noisy_moons):
    X, _, known, model = noisy_moons
    with pytest.raises(NotFittedError):
        ConstrainedSpectralClustering().report_  # noqa: B018
    model = clone(model).fit(X, constraints=known)
    first = model.report_
    assert model.report_ is first
    model.update()
    assert model.report_.satisfaction.total.count == 0
    assert model.path_ is None
    assert model.report_.choice.startswith("no constraints")


BAD_THRESHOLDS = {
    "threshold must be .* got 'best'": "best",
    "threshold must be .* got 0": 0,
    r"threshold must be .* got 30\.0; Alpha": 30.0,
    "threshold must be .* got None": None,
    "threshold must be .* got True": True,
}


@pytest.mark.parametrize("message", BAD_THRESHOLDS)
def test_a_bad_threshold_is_named(message):
    model = ConstrainedSpectralClustering(threshold=BAD_THRESHOLDS[message])
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X3)
    with pytest.raises(ValueError, match="mu must not be negative"):
        Mu(-1)
    with pytest.raises(TypeError, match="alpha must be a finite number"):
        Alpha("much")


@pytest.mark.parametrize(
    "parameters",
    [{}, {"threshold": 0.6}, {"threshold": Mu(1.0)}, {"hard": True}, {"n_clusters": None}],
    ids=str,
)
def test_odd_constraints_and_every_parameter(parameters):
    X, y = two_moons(200, noise=0.1, random_state=0)
    X = np.vstack([X, X[:20]])
    y = np.concatenate([y, y[:20]])
    model = ConstrainedSpectralClustering(random_state=0).set_params(**parameters).fit(X)
    apart = [(0, k) for k in range(1, 60) if y[0] != y[k]]
    together = [(0, k) for k in range(1, 60) if y[0] == y[k]]
    for must, cannot in (
        (together[:1], []),
        ([], apart[:1]),
        (together, []),
        ([], apart),
        (together, apart),
        ([(k, 200 + k) for k in range(20)], []),  # duplicated rows
    ):
        known = Constraints.from_pairs(must, cannot, n_samples=220)
        labels = model.update(constraints=known).labels_
        assert len(np.unique(labels)) == model.n_clusters_
        assert known.satisfaction(labels).share >= (model.hard is True)
        assert str(model.report_)
    with pytest.raises(ValueError, match="2 features"):
        model.predict(np.ones((3, 5)))


@pytest.mark.parametrize("threshold", ["cv", 1.0, Mu(1.0)])
def test_constraints_on_isolated_nodes(threshold):
    A = linalg.block_diag(1 - np.eye(6), 1 - np.eye(6), np.zeros((2, 2)))
    known = Constraints.from_pairs([(0, 12), (6, 13)], [(12, 13)], n_samples=14)
    model = ConstrainedSpectralClustering(affinity="precomputed", threshold=threshold)
    labels = model.fit(A, constraints=known).labels_
    assert set(labels) == {0, 1}
    if threshold != "cv":
        assert known.satisfaction(labels).share == 1
    assert "4 connected components" in str(model.report_)


@pytest.mark.parametrize("parameters", [{}, {"hard": True}, {"threshold": Mu(1.0)}], ids=str)
def test_more_clusters_than_distinct_points(parameters):
    X = np.repeat(np.arange(3.0)[:, None], 10, axis=0)
    known = Constraints.from_pairs([(0, 1)], [(0, 10), (10, 20)], n_samples=30)
    model = ConstrainedSpectralClustering(5, n_neighbors=12, random_state=0, **parameters)
    assert len(set(model.fit(X).labels_)) <= 5
    labels = model.fit(X, constraints=known).labels_
    assert known.satisfaction(labels).share == 1 or not parameters.get("hard")


def test_odd_constraints_have_an_answer():
    X, y = two_moons(200, noise=0.1, random_state=0)
    model = ConstrainedSpectralClustering(random_state=0).fit(X)
    apart = [(0, k) for k in range(1, 60) if y[0] != y[k]]
    together = [(0, k) for k in range(1, 60) if y[0] == y[k]]
    for known in (
        Constraints.from_pairs([together[0]], n_samples=200),
        Constraints.from_pairs(together, n_samples=200),
        Constraints.from_pairs([], apart, n_samples=200),
        Constraints.from_pairs(together, apart, n_samples=200),
        Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)], n_samples=200),
    ):
        labels = model.update(constraints=known).labels_
        assert len(np.unique(labels)) == 2
    assert "contradiction" in str(model.report_)


def test_components_duplicates_and_one_cluster():
    A = linalg.block_diag(*[1 - np.eye(5)] * 4)
    known = Constraints.from_labels([0] * 10 + [1] * 10)
    model = ConstrainedSpectralClustering(affinity="precomputed", random_state=0)
    labels = model.fit_predict(A, constraints=known)
    assert adjusted_rand_score([0] * 10 + [1] * 10, labels) == 1
    X = np.repeat(np.arange(4.0)[:, None], 10, axis=0)
    assert len(set(ConstrainedSpectralClustering(random_state=0).fit_predict(X))) == 2
    assert set(ConstrainedSpectralClustering(1).fit_predict(X)) == {0}


def test_bad_input_is_named():
    model = ConstrainedSpectralClustering()
    with pytest.raises(ValueError, match="constraints speak about 4 samples, X has 3"):
        model.fit(X3, constraints=Constraints(4))
    with pytest.raises(ValueError, match="n_clusters must be at most n_samples = 3, got 4"):
        ConstrainedSpectralClustering(4).fit(X3)
    with pytest.raises(ValueError, match="affinity must be one of"):
        ConstrainedSpectralClustering(affinity="cosine").fit(X3)
    with pytest.raises(ValueError, match="n_vectors must be an integer of at least 1"):
        ConstrainedSpectralClustering(n_vectors=0).fit(X3)
    with pytest.raises(NotFittedError):
        ConstrainedSpectralClustering().update()
