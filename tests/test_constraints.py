from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_constraints
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from sidecut import Constraints
from sidecut.constraints.groups import Groups

seeds = st.integers(0, 2**32 - 1)


def brute_force(Q, labels):
    """(must, must satisfied, cannot, cannot satisfied) in weight, from the dense matrix."""
    i, j = np.triu_indices(len(Q), 1)
    q, same = Q[i, j], labels[i] == labels[j]
    return (
        q[q > 0].sum(),
        q[(q > 0) & same].sum(),
        -q[q < 0].sum(),
        -q[(q < 0) & ~same].sum(),
    )


def test_pairs_fill_both_triangles():
    known = Constraints.from_pairs([(0, 1)], [(2, 0)], n_samples=3, cannot_weight=0.5)
    expected = [[0, 1, -0.5], [1, 0, 0], [-0.5, 0, 0]]
    np.testing.assert_array_equal(known.toarray(), expected)


def test_labels_give_the_papers_matrix():
    y = np.array([1, 1, 1, 1, -1, -1])
    known = Constraints.from_labels([0, 0, 0, 0, 1, 1])
    np.testing.assert_array_equal(known.toarray(), np.outer(y, y))


def test_label_weights_multiply():
    known = Constraints.from_labels([0, 0, 1], weight=[1.0, 2.0, 3.0])
    np.testing.assert_allclose(known.toarray(), [[1, 2, -3], [2, 4, -6], [-3, -6, 9]])


def test_scribbles_number_pixels_in_c_order():
    known = Constraints.from_scribbles([[1, 0], [2, 1]])
    np.testing.assert_array_equal(known.nodes, [0, 2, 3])
    assert known.toarray()[0, 3] == 1
    assert known.toarray()[0, 2] == -1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.coo_matrix])
def test_a_matrix_comes_back_unchanged(kind):
    Q = np.array([[2.0, -0.3, 0], [-0.3, 0, 1.5], [0, 1.5, -1]])
    np.testing.assert_array_equal(Constraints.from_matrix(kind(Q)).toarray(), Q)


def test_an_affinity_is_all_must_links():
    known = Constraints.from_affinity(np.array([[1.0, 0.2], [0.2, 1.0]]))
    given_ = known.satisfaction([0, 1])
    assert (given_.must.count, given_.cannot.count) == (1, 0)
    assert given_.must.weight == pytest.approx(0.2)
    assert given_.must.weight_satisfied == 0


@given(seeds)
def test_product_is_that_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    known = random_constraints(rng, 12)
    X = rng.normal(size=(12, 3))
    np.testing.assert_allclose(known @ X, known.toarray() @ X, atol=1e-12)
    np.testing.assert_allclose(known @ X[:, 0], known.toarray() @ X[:, 0], atol=1e-12)
    assert known.n_entries >= np.count_nonzero(np.abs(known.toarray()) > 1e-12)


@given(seeds)
def test_projection_is_that_of_the_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    known, U = random_constraints(rng, 12), rng.normal(size=(12, 4))
    np.testing.assert_allclose(known.project(U), U.T @ known.toarray() @ U, atol=1e-10)


@given(seeds)
def test_listed_pairs_are_statements_of_the_constraints(seed):
    rng = np.random.default_rng(seed)
    known = random_constraints(rng, 12)
    for part in known.parts:
        alone, Q = Constraints(12, [part]), part.toarray()
        listed = alone.as_pairs(random_state=0)
        np.testing.assert_allclose(Q[listed.first, listed.second], listed.weight)
        assert (listed.first != listed.second).all()
        assert len(alone.as_pairs(3, random_state=0).first) <= 3
        if isinstance(part, Groups):
            assert len(listed.first) > 0 or len(part.nodes) < 2
        else:
            assert len(listed.first) == alone.satisfaction(np.zeros(12)).total.count


@given(seeds)
def test_satisfaction_agrees_with_listing_every_pair(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, 12)
    total = np.zeros(4)
    for part in random_constraints(rng, 12).parts:
        total += brute_force(part.toarray(), labels)
        score = Constraints(12, [part]).satisfaction(labels)
        np.testing.assert_allclose(
            brute_force(part.toarray(), labels),
            [
                score.must.weight,
                score.must.weight_satisfied,
                score.cannot.weight,
                score.cannot.weight_satisfied,
            ],
            atol=1e-12,
        )
    assert total[0] + total[2] > 0


@given(seeds)
def test_violations_are_the_pairs_that_are_not_satisfied(seed):
    rng = np.random.default_rng(seed)
    known, labels = random_constraints(rng, 12), rng.integers(0, 4, 12)
    score, broken = known.satisfaction(labels), known.violations(labels)
    assert len(broken.first) == score.total.count_violated
    lost = score.total.weight - score.total.weight_satisfied
    np.testing.assert_allclose(np.abs(broken.weight).sum(), lost, atol=1e-12)
    assert np.all(np.diff(np.abs(broken.weight)) <= 1e-12)
    same = labels[broken.first] == labels[broken.second]
    np.testing.assert_array_equal(same, broken.weight < 0)


def test_violations_keep_to_their_limit():
    labels = np.repeat([0, 1], 500)
    known = Constraints.from_labels(labels)
    assert known.satisfaction(np.zeros(1000)).cannot.count_violated == 250_000
    assert len(known.violations(np.zeros(1000), limit=7).first) == 7
    assert len(known.violations(labels).first) == 0


def test_sum_keeps_both_statements_and_adds_entries():
    yes = Constraints.from_pairs([(0, 1)], n_samples=3)
    no = Constraints.from_pairs([], [(0, 1)], n_samples=3)
    both = 3 * yes + no
    assert both.toarray()[0, 1] == 2
    assert both.satisfaction([0, 0, 0]).share == 0.75
    assert both.satisfaction([0, 1, 0]).share == 0.25
    assert str(both.contradictions()[0]) == "cannot-link (0, 1) against must-links 0 = 1"


@given(seeds, st.floats(0.01, 100))
def test_scaling_scales_the_matrix(seed, factor):
    known = random_constraints(np.random.default_rng(seed), 8)
    expected = factor * known.toarray()
    np.testing.assert_allclose((np.float64(factor) * known).toarray(), expected)
    np.testing.assert_allclose((known * factor).toarray(), expected)


@given(seeds)
def test_restriction_is_a_submatrix(seed):
    rng = np.random.default_rng(seed)
    known = random_constraints(rng, 10)
    nodes = rng.permutation(10)[: rng.integers(1, 10)]
    np.testing.assert_allclose(
        known.restrict(nodes).toarray(), known.toarray()[np.ix_(nodes, nodes)]
    )


def test_closure_follows_chains_and_groups():
    chain = Constraints.from_pairs([(0, 2), (2, 5)], [(1, 3)], n_samples=7)
    np.testing.assert_array_equal(chain.must_link_components(), [0, 1, 0, 2, 3, 0, 4])
    groups = Constraints.from_labels([-1, 0, -1, 0, 1, -1, 1])
    np.testing.assert_array_equal((chain + groups).must_link_components(), [0, 1, 0, 1, 2, 0, 2])


def test_contradictions_name_a_shortest_chain():
    known = Constraints.from_pairs(
        [(0, 1), (1, 2), (2, 3), (0, 3), (5, 6)], [(0, 2), (4, 5)], n_samples=7
    )
    (found,) = known.contradictions()
    assert (found.first, found.second) == (0, 2)
    assert found.chain in {(0, 1, 2), (0, 3, 2)}


def test_a_must_link_between_two_labels_is_a_contradiction():
    labels = Constraints.from_labels([0, 0, 1, 1, -1])
    assert labels.contradictions() == []
    (found,) = (labels + Constraints.from_pairs([(1, 4), (4, 2)], n_samples=5)).contradictions()
    assert found.chain == (1, 4, 2)


def test_two_labellings_that_disagree_contradict_each_other():
    one, two = Constraints.from_labels([0, 0, -1]), Constraints.from_labels([0, 1, -1])
    (found,) = (one + two).contradictions()
    assert sorted(found.chain) == [0, 1]


def test_samples_follow_the_truth_and_never_repeat():
    truth = np.arange(40) % 3
    known = Constraints.sample(truth, 780, random_state=3)
    (pairs,) = known.parts
    assert len({*zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)}) == 780
    assert known.satisfaction(truth).share == 1
    assert (pairs.first < pairs.second).all()


def test_wrong_samples_are_as_many_as_asked():
    truth = np.arange(50) % 2
    known = Constraints.sample(truth, 200, wrong=0.1, random_state=0)
    assert known.satisfaction(truth).total.count_violated == 20


def test_sampling_is_repeatable():
    one, two = (Constraints.sample(np.arange(30) % 2, 9, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(one.toarray(), two.toarray())


def test_scikit_learn_does_not_take_it_for_data():
    known = Constraints.from_labels([0, 1, -1, 0])
    for name in ("__len__", "shape", "__array__", "__getitem__", "__iter__"):
        assert not hasattr(known, name)
    passed = _check_method_params(np.zeros((4, 2)), {"constraints": known}, [0, 1])
    assert passed["constraints"] is known
    with pytest.raises((TypeError, ValueError)):
        _safe_indexing(known, [0, 1])


def test_it_never_changes():
    known = Constraints.from_pairs([(0, 1)], n_samples=3)
    with pytest.raises(ValueError, match="read-only"):
        known.parts[0].weight[0] = 5
    with pytest.raises(AttributeError):
        known.n_samples = 4


def test_it_can_be_pickled():
    known = random_constraints(np.random.default_rng(0), 9)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(known)).toarray(), known.toarray())


def test_many_labels_need_linear_memory():
    n = 200_000
    labels = np.full(n, -1)
    labels[::2] = np.arange(n // 2) % 10
    tracemalloc.start()
    known = Constraints.from_labels(labels)
    known @ np.ones(n)
    score = known.satisfaction(np.arange(n) % 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(known.parts[0], Groups)
    assert score.total.count == 100_000 * 99_999 // 2
    assert peak < 200 * n  # bytes: a few arrays of length n; the pairs alone would be 40 GB


def test_constraints_that_say_nothing():
    for known in (
        Constraints(4),
        Constraints.from_pairs(n_samples=4),
        Constraints.from_labels([-1, -1]),
        Constraints.from_matrix(np.zeros((3, 3))),
    ):
        assert not known
        assert known.satisfaction(np.zeros(known.n_samples)).share == 1
        assert len(known.violations(np.zeros(known.n_samples)).first) == 0
        assert known.contradictions() == []
        assert not known.toarray().any()


BAD = {
    "must_link must name nodes from 0 to 2, got 3": lambda: Constraints.from_pairs(
        [(0, 3)], n_samples=3
    ),
    "cannot_link must name nodes from 0 to 2, got -1": lambda: Constraints.from_pairs(
        [], [(0, -1)], n_samples=3
    ),
    "must_link pairs node 1 with itself": lambda: Constraints.from_pairs([(1, 1)], n_samples=3),
    r"the pair \(0, 2\) is in must_link and in cannot_link": lambda: Constraints.from_pairs(
        [(2, 0)], [(0, 2)], n_samples=3
    ),
    r"must_link must have shape \(m, 2\), got \(1, 3\)": lambda: Constraints.from_pairs(
        [(0, 1, 2)], n_samples=3
    ),
    "must_link must hold integers, got dtype float64": lambda: Constraints.from_pairs(
        [(0.5, 1)], n_samples=3
    ),
    "must_weight must be positive and finite, got -1": lambda: Constraints.from_pairs(
        [(0, 1)], n_samples=3, must_weight=-1
    ),
    "cannot_weight must be positive and finite, got nan": lambda: Constraints.from_pairs(
        [], [(0, 1)], n_samples=3, cannot_weight=[np.nan]
    ),
    r"must_weight must be a number or have shape \(1,\), got \(2,\)": lambda: (
        Constraints.from_pairs([(0, 1)], n_samples=3, must_weight=[1, 2])
    ),
    "n_samples must be an integer of at least 1, got 0": lambda: Constraints.from_pairs(
        n_samples=0
    ),
    "labels must be -1 .* or more, got -2": lambda: Constraints.from_labels([0, -2]),
    "labels must hold integers, got dtype float64": lambda: Constraints.from_labels([0.0, np.nan]),
    "labels must not be empty": lambda: Constraints.from_labels([]),
    "scribbles must be 0 .* or more, got -1": lambda: Constraints.from_scribbles([[0, -1]]),
    "scribbles must not be empty": lambda: Constraints.from_scribbles([[]]),
    r"Q must be symmetric, got 1 at \(0, 1\) and 0 at \(1, 0\)": lambda: Constraints.from_matrix(
        np.array([[0, 1], [0, 0]])
    ),
    "Q must be finite, got nan": lambda: Constraints.from_matrix(np.full((2, 2), np.nan)),
    r"Q must be a square matrix, got shape \(2, 3\)": lambda: Constraints.from_matrix(
        np.zeros((2, 3))
    ),
    "affinity must not be negative, got -1": lambda: Constraints.from_affinity(-np.ones((2, 2))),
    "n_pairs must be at most 3, got 4": lambda: Constraints.sample([0, 0, 1], 4),
    "wrong must be between 0 and 1": lambda: Constraints.sample([0, 0, 1], 2, wrong=1.5),
    "cannot add constraints for 3 and for 4 samples": lambda: Constraints(3) + Constraints(4),
    "the factor of constraints must be a positive finite number, got 0": lambda: 0 * Constraints(3),
    r"X must have 3 rows, got shape \(4,\)": lambda: Constraints(3) @ np.ones(4),
    r"labels must have shape \(3,\), got \(2,\)": lambda: Constraints(3).satisfaction([0, 1]),
    "nodes must not repeat": lambda: Constraints(3).restrict([0, 0]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    with pytest.raises(ValueError, match=message):
        BAD[message]()


def test_adding_something_else_is_a_type_error():
    with pytest.raises(TypeError):
        Constraints(3) + 1
    with pytest.raises(TypeError, match="the factor of constraints"):
        Constraints(3) * "two"
