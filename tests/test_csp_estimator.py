from __future__ import annotations

import numpy as np
import pytest
from problems import random_constraints, random_graph
from scipy import linalg, sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sidecut import (
    CSP,
    Constraints,
    InfeasibleThresholdError,
)
from sidecut.datasets import six_node_graph, two_moons


@parametrize_with_checks(
    [CSP(), CSP(affinity="nearest_neighbors", n_neighbors=3), CSP(assign_labels="kmeans")],
)
@pytest.mark.filterwarnings("ignore:only 1 of:UserWarning")  # two-cluster cuts of degenerate data
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def moons():
    X, truth = two_moons(100, noise=0.1, random_state=3)
    return X, truth, Constraints.sample(truth, 12, random_state=0)


def test_constraints_recover_the_moons():
    X, truth, known = moons()
    model = CSP(affinity="nearest_neighbors")
    assert adjusted_rand_score(truth, model.fit_predict(X)) < 0.5
    assert adjusted_rand_score(truth, model.fit_predict(X, constraints=known)) > 0.9


def test_six_nodes_node_four_moves_to_the_side_of_the_first_three():
    A, known = six_node_graph()
    model = CSP(affinity="precomputed", beta=28.0)
    np.testing.assert_array_equal(model.fit(A).labels_, [1, 1, 1, 0, 0, 0])
    model.fit(A, constraints=known)
    np.testing.assert_array_equal(model.labels_, [1, 1, 1, 1, 0, 0])
    assert model.beta_ == 28.0
    assert model.satisfaction_ > 28.0
    np.testing.assert_allclose(
        model.indicator_, [1.336, 1.336, 1.004, 0.405, -0.915, -0.915], atol=5e-4
    )


def test_fitted_attributes_agree_with_each_other():
    X, _, known = moons()
    model = CSP(3, affinity="nearest_neighbors", random_state=0).fit(X, constraints=known)
    assert model.embedding_.shape == (100, 2)
    np.testing.assert_array_equal(model.embedding_[:, 0], model.indicator_)
    d, vol = model.laplacian_.degrees, model.laplacian_.volume
    np.testing.assert_allclose((d[:, None] * model.embedding_**2).sum(axis=0), vol)
    Q = known.toarray()
    u = model.embedding_
    assert model.satisfaction_ == pytest.approx(np.trace(u.T @ Q @ u))
    assert model.cost_ == pytest.approx(model.cuts_.costs[:2].sum())
    assert model.constraints_ is known
    assert model.report_.satisfaction == known.satisfaction(model.labels_)


def test_three_clusters_follow_many_pairs():
    X, truth = load_iris(return_X_y=True)
    known = Constraints.sample(truth, 800, random_state=0)
    model = CSP(3, affinity="nearest_neighbors", random_state=0)
    assert adjusted_rand_score(truth, model.fit_predict(X)) < 0.8
    assert adjusted_rand_score(truth, model.fit_predict(X, constraints=known)) > 0.95


@pytest.mark.parametrize("assign_labels", ["kmeans", "sign", "weighted_sign"])
def test_the_same_seed_gives_the_same_labels(assign_labels):
    X, _, known = moons()
    model = CSP(4, affinity="nearest_neighbors", assign_labels=assign_labels, random_state=7)
    one = model.fit(X, constraints=known).labels_
    two = clone(model).fit(X, constraints=known).labels_
    np.testing.assert_array_equal(one, two)


def test_permuting_the_points_permutes_the_labels():
    X, _, known = moons()
    order = np.random.default_rng(0).permutation(len(X))
    model = CSP(affinity="nearest_neighbors")
    one = model.fit(X, constraints=known).labels_
    two = model.fit(X[order], constraints=known.restrict(order)).labels_
    np.testing.assert_array_equal(one[order], two)


def test_scaling_the_data_or_the_trust_changes_nothing():
    X, _, known = moons()
    one = CSP().fit(X, constraints=known)
    two = CSP().fit(100 * X, constraints=5 * known)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert two.beta_ == pytest.approx(5 * one.beta_)


def test_sparse_and_dense_affinities_agree():
    rng = np.random.default_rng(0)
    A, known = random_graph(rng, 30, density=0.3), random_constraints(rng, 30)
    model = CSP(affinity="precomputed")
    np.testing.assert_array_equal(
        model.fit(A, constraints=known).labels_,
        model.fit(A.toarray(), constraints=known).labels_,
    )


def test_it_works_in_a_pipeline():
    X, truth, known = moons()
    pipeline = make_pipeline(StandardScaler(), CSP(affinity="nearest_neighbors"))
    labels = pipeline.fit_predict(X, csp__constraints=known)
    assert adjusted_rand_score(truth, labels) > 0.8
    assert pipeline[-1].report_.satisfaction.share == 1


def test_a_second_graph_transfers_its_cut():
    # Target: blurred groups; source: the same nodes, clearly grouped.
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    same = truth[:, None] == truth
    target = np.where(same, 0.5, 0.45) + rng.uniform(0, 1.0, (60, 60))
    source = np.where(same, 1.0, 0.1) + rng.uniform(0, 0.2, (60, 60))
    target, source = target + target.T, source + source.T
    model = CSP(affinity="precomputed")
    plain = adjusted_rand_score(truth, model.fit_predict(target))
    known = Constraints.from_affinity(source)
    assert plain < 0.5
    assert adjusted_rand_score(truth, model.fit_predict(target, constraints=known)) == 1


def test_components_are_separated_and_reported():
    A = linalg.block_diag(1 - np.eye(4), 1 - np.eye(5))
    model = CSP(affinity="precomputed").fit(A)
    assert adjusted_rand_score([0] * 4 + [1] * 5, model.labels_) == 1
    assert model.cost_ == pytest.approx(0, abs=1e-10)
    assert "2 connected components" in str(model.report_)


def test_many_components():
    A = linalg.block_diag(*[1 - np.eye(3)] * 6)
    known = Constraints.from_labels([0] * 9 + [1] * 9)
    model = CSP(affinity="precomputed").fit(A, constraints=known)
    np.testing.assert_array_equal(model.labels_ == model.labels_[0], [True] * 9 + [False] * 9)


def test_an_isolated_node_gets_a_label():
    A = np.zeros((5, 5))
    A[:4, :4] = 1 - np.eye(4)
    model = CSP(affinity="precomputed").fit(A)
    np.testing.assert_array_equal(model.labels_ == model.labels_[4], [0, 0, 0, 0, 1])


def test_constraints_that_say_nothing_mean_plain_clustering():
    X, _, _ = moons()
    plain = CSP().fit(X)
    empty = CSP(beta=1e9).fit(X, constraints=Constraints(100))
    np.testing.assert_array_equal(plain.labels_, empty.labels_)
    assert plain.beta_ is None
    assert plain.satisfaction_ == 0
    assert "no constraints" in str(plain.report_)


def test_one_cluster_has_nothing_to_cut():
    X, _, known = moons()
    model = CSP(1).fit(X, constraints=known)
    assert set(model.labels_) == {0}
    assert model.embedding_.shape == (100, 0)
    np.testing.assert_array_equal(model.indicator_, 1)


def test_as_many_clusters_as_points():
    X = np.arange(5.0)[:, None] ** 2
    labels = CSP(5, random_state=0).fit_predict(X)
    assert len(set(labels)) == 5


def test_a_cut_without_two_sides_warns():
    A, known = six_node_graph()
    with pytest.warns(UserWarning, match="only 1 of 2 clusters have members"):
        CSP(affinity="precomputed", beta=4.1).fit(A, constraints=known)


def test_report_reads_well():
    X, _, known = moons()
    model = CSP(affinity="nearest_neighbors").fit(X, constraints=known)
    text = str(model.report_)
    assert "must-links      6 given, 6 satisfied, 0 violated (100.0% of weight)" in text
    assert "threshold β" in text
    assert "feasible β      β < " in text
    wrong = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)], n_samples=100)
    text = str(model.fit(X, constraints=known + wrong).report_)
    assert "contradiction" in text
    record = model.report_.to_dict()
    assert record["satisfaction"]["must"]["count"] == 8
    assert record["n_samples"] == 100


X3 = np.array([[0.0], [1.0], [5.0]])
BAD = {
    "n_clusters must be at most n_samples = 3, got 4": lambda: CSP(4).fit(X3),
    "n_clusters must be an integer of at least 1, got 0": lambda: CSP(0).fit(X3),
    "n_clusters must be an integer of at least 1, got 2.0": lambda: CSP(2.0).fit(X3),
    "affinity must be one of": lambda: CSP(affinity="cosine").fit(X3),
    "assign_labels must be one of": lambda: CSP(assign_labels="discretize").fit(X3),
    "constraints speak about 4 samples, X has 3": lambda: CSP().fit(X3, constraints=Constraints(4)),
    'beta must be a number, "paper" or "single", got \'best\'': lambda: CSP(beta="best").fit(
        X3, constraints=Constraints.from_pairs([(0, 1)], n_samples=3)
    ),
    "gamma must be a positive finite number, got -1": lambda: CSP(gamma=-1).fit(X3),
    "n_neighbors must be below n_samples = 3, got 10": lambda: CSP(
        affinity="nearest_neighbors"
    ).fit(X3),
    "minimum of 2 is required": lambda: CSP().fit(X3[:1]),
    "Found array with 0 sample": lambda: CSP().fit(X3[:0]),
    "contains NaN": lambda: CSP().fit([[0.0], [np.nan]]),
    r"X \(affinity='precomputed'\) must not be negative, got -1": lambda: CSP(
        affinity="precomputed"
    ).fit(-np.ones((2, 2))),
    r"X \(affinity='precomputed'\) must be symmetric": lambda: CSP(affinity="precomputed").fit(
        np.triu(np.ones((3, 3)))
    ),
    r"X \(affinity='precomputed'\) must be a square matrix, got shape \(3, 1\)": lambda: CSP(
        affinity="precomputed"
    ).fit(X3),
    "affinity has no edges": lambda: CSP(affinity="precomputed").fit(sparse.csr_array((3, 3))),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_constraints_of_the_wrong_type_are_named():
    with pytest.raises(TypeError, match=r"constraints must be a sidecut\.Constraints .* got list"):
        CSP().fit(X3, constraints=[(0, 1)])
    with pytest.raises(TypeError, match="beta must be a finite number, got None"):
        CSP(beta=None).fit(X3, constraints=Constraints.from_pairs([(0, 1)], n_samples=3))


def test_an_infeasible_beta_gives_the_range():
    A, known = six_node_graph()
    with pytest.raises(InfeasibleThresholdError, match=r"4 < β < 37\.3333"):
        CSP(affinity="precomputed", beta=40.0).fit(A, constraints=known)
