"""What every published method must do, whatever it computes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sidecut import Constraints, baselines
from sidecut.affinity import knn_affinity, rbf_affinity
from sidecut.baselines._base import Baseline
from sidecut.datasets import two_moons

METHODS = [getattr(baselines, name) for name in baselines.__all__]
SPARSE = [method for method in METHODS if method.max_samples is None]


def by_name(value):
    return value.__name__ if isinstance(value, type) else None


@pytest.fixture(scope="module")
def moons():
    X, y = two_moons(120, noise=0.12, random_state=3)
    return X, y, Constraints.sample(y, 60, random_state=0)


def expected_failures(model):
    if model.takes_more_clusters:
        return {}
    reason = "the check asks for three clusters, the method cuts in two"
    return dict.fromkeys(("check_clustering", "check_clustering(readonly_memmap=True)"), reason)


@parametrize_with_checks(
    [method(random_state=0) for method in METHODS], expected_failed_checks=expected_failures
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_all_names_the_methods():
    assert {method.__name__ for method in Baseline.__subclasses__()} == {*baselines.__all__}
    for method in METHODS:
        assert "References" in method.__doc__
        assert "Examples" in method.__doc__


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_a_fixed_seed_repeats_the_fit(method, moons):
    X, _, known = moons
    model = method(random_state=7)
    one = model.fit(X, constraints=known)
    two = clone(model).fit(X, constraints=known)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    assert one.embedding_.shape[0] == 120
    assert one.constraints_ is known


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_no_constraints_and_empty_ones_are_the_same(method, moons):
    X, _, _ = moons
    one = method(random_state=0).fit(X)
    two = method(random_state=0).fit(X, constraints=Constraints(120))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert len(np.unique(one.labels_)) == 2


@pytest.mark.parametrize("method", METHODS, ids=by_name)
@pytest.mark.parametrize("affinity", ["nearest_neighbors", "rbf", "precomputed"])
def test_every_kind_of_graph_is_accepted(method, affinity, moons):
    X, _, known = moons
    data = knn_affinity(X, 10) if affinity == "precomputed" else X
    model = method(affinity=affinity, random_state=0).fit(data, constraints=known)
    assert model.affinity_matrix_.shape == (120, 120)
    assert len(np.unique(model.labels_)) == 2


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_sparse_and_dense_graphs_agree(method, moons):
    X, _, known = moons
    # Weights that differ: ties would be broken by rounding.
    A = sparse.csr_array(knn_affinity(X, 10).multiply(rbf_affinity(X, 1.0)))
    model = method(affinity="precomputed", random_state=0)
    one = model.fit(A, constraints=known).labels_
    two = model.fit(A.toarray(), constraints=known).labels_
    assert adjusted_rand_score(one, two) == 1


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_labels_and_repeated_trust_are_accepted(method, moons):
    X, y, _ = moons
    known = Constraints.from_labels(np.where(np.arange(120) % 4 == 0, y, -1))
    one = method(random_state=0).fit(X, constraints=known).labels_
    two = method(random_state=0).fit(X, constraints=Constraints.from_labels(
        np.where(np.arange(120) % 4 == 0, 1 - y, -1))).labels_  # fmt: skip
    assert adjusted_rand_score(one, two) == 1


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_soft_constraints_are_used_or_refused(method, moons):
    X, _, known = moons
    soft = known + 0.2 * Constraints.from_pairs([(0, 1)], n_samples=120)
    model = method(random_state=0)
    if method.takes_soft:
        assert model.fit(X, constraints=soft).labels_.shape == (120,)
    else:
        with pytest.raises(
            ValueError, match=f"{method.__name__} takes must-links .* of one weight"
        ):
            model.fit(X, constraints=soft)
        model.fit(X, constraints=3 * known)


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_three_clusters_or_a_clear_refusal(method):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = rng.normal(size=(60, 2)) * 0.3 + np.array([[0, 0], [6, 0], [0, 6]])[y]
    known = Constraints.sample(y, 300, random_state=0)
    model = method(3, random_state=0, affinity="rbf", gamma=0.5)
    if method.takes_more_clusters:
        assert adjusted_rand_score(y, model.fit_predict(X, constraints=known)) == 1
    else:
        with pytest.raises(ValueError, match="cuts in two: n_clusters must be 1 or 2, got 3"):
            model.fit(X, constraints=known)


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_one_cluster_has_one_label(method, moons):
    X, _, known = moons
    assert set(method(1).fit(X, constraints=known).labels_) == {0}


@pytest.mark.parametrize("method", METHODS, ids=by_name)
def test_it_works_in_a_pipeline(method, moons):
    X, _, known = moons
    pipeline = make_pipeline(StandardScaler(), method(random_state=0))
    name = f"{method.__name__.lower()}__constraints"
    assert pipeline.fit_predict(X, **{name: known}).shape == (120,)


@pytest.mark.parametrize("method", [m for m in METHODS if m.max_samples], ids=by_name)
def test_dense_methods_refuse_large_graphs(method):
    n = method.max_samples + 1
    ring = sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(n, n)).tocsr()
    with pytest.raises(ValueError, match=f"at most {n - 1} samples, got {n}"):
        method(affinity="precomputed").fit(ring)


BAD = {
    "n_clusters must be at most n_samples = 3, got 4": lambda X: baselines.Ncut(4).fit(X),
    "affinity must be one of": lambda X: baselines.E2CP(affinity="cosine").fit(X),
    "n_init must be an integer of at least 1": lambda X: baselines.FastGE(n_init=0).fit(X),
    "constraints speak about 4 samples": lambda X: baselines.FastGE().fit(
        X, constraints=Constraints(4)
    ),
    "alpha must be between 0 and 1, got 1": lambda X: baselines.E2CP(alpha=1).fit(X),
    "assign_labels must be one of": lambda X: baselines.Ncut(assign_labels="best").fit(X),
    "objective must be one of": lambda X: baselines.SSKernelKMeans(objective="cut").fit(X),
    "penalty must be a positive finite number, got -1": lambda X: baselines.SSKernelKMeans(
        penalty=-1
    ).fit(X, constraints=Constraints.from_pairs([(0, 1)], n_samples=3)),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message](np.array([[0.0], [1.0], [5.0]]))
