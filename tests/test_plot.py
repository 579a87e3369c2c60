from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.exceptions import NotFittedError

from sidecut import CSP, ConstrainedSpectralClustering, Constraints, Mu
from sidecut.csp import unconstrained_cuts
from sidecut.datasets import six_node_graph, two_moons
from sidecut.plot import (
    HeldOutDisplay,
    IndicatorDisplay,
    LinkDisplay,
    NumericalRangeDisplay,
    PathDisplay,
)
from sidecut.plot._style import LINK, VIOLATED
from sidecut.plot.numerical_range import numerical_range_boundary


@pytest.fixture
def fitted():
    X, truth = two_moons(60, random_state=0)
    known = Constraints.sample(truth, 30, random_state=0)
    return CSP(affinity="nearest_neighbors").fit(X, constraints=known), X


def drawn_links(ax):
    """Map legend text to (number of lines, colour)."""
    return {
        lines.get_label(): (len(lines.get_segments()), to_hex(lines.get_color()[0]))
        for lines in ax.collections
        if hasattr(lines, "get_segments")
    }


def test_links_show_kind_and_violation():
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    known = Constraints.from_pairs([(0, 1), (0, 2), (2, 3)], [(1, 3), (0, 3)], n_samples=4)
    display = LinkDisplay(X, [0, 0, 1, 0], known).plot(title="links")
    assert drawn_links(display.ax_) == {
        "must-link": (1, LINK),
        "must-link, violated": (2, VIOLATED),
        "cannot-link, violated": (2, VIOLATED),
    }
    assert display.ax_.get_title() == "links"
    assert display.figure_ is display.ax_.figure


def test_labelled_points_are_ringed():
    X = np.random.default_rng(0).normal(size=(6, 2))
    known = Constraints.from_labels([0, 0, 0, 1, 1, -1])
    display = LinkDisplay(X, [0, 0, 1, 1, 1, 0], known).plot()
    rings = {c.get_label(): len(c.get_offsets()) for c in display.ax_.collections[2:]}
    assert rings == {"labelled": 4, "labelled, violated": 1}


def test_from_estimator_draws_into_the_given_axes(fitted):
    model, X = fitted
    _, (one, two, three) = plt.subplots(1, 3)
    assert LinkDisplay.from_estimator(model, X, ax=one).ax_ is one
    assert IndicatorDisplay.from_estimator(model, X=X, ax=two).ax_ is two
    assert NumericalRangeDisplay.from_estimator(model, ax=three).ax_ is three
    names = three.get_legend_handles_labels()[1]
    assert {"unconstrained cuts", "feasible cuts", "threshold β/vol"} <= set(names)


def test_indicator_of_nodes_points_and_pixels(fitted):
    model, X = fitted
    nodes = IndicatorDisplay.from_estimator(model)
    assert nodes.ax_.get_xlabel() == "node"
    points = IndicatorDisplay(model.indicator_, X=X).plot()
    np.testing.assert_array_equal(points.ax_.collections[0].get_array(), model.indicator_)
    pixels = IndicatorDisplay(model.indicator_, shape=(6, 10)).plot(title="u")
    assert pixels.ax_.images[0].get_array().shape == (6, 10)


def test_no_cut_lies_outside_the_numerical_range(fitted):
    model, _ = fitted
    boundary = numerical_range_boundary(model.laplacian_, model.constraints_)
    display = NumericalRangeDisplay.from_estimator(model)
    # Every support line of the boundary has all cuts on its inner side.
    cuts = np.vstack([display.unconstrained, display.feasible])
    assert len(cuts) == unconstrained_cuts(model.laplacian_).n_cuts + model.cuts_.n_cuts
    scale = np.abs(boundary).max(axis=0)
    for angle in np.linspace(0, 2 * np.pi, 90):
        direction = np.array([np.cos(angle), np.sin(angle)]) / scale
        assert (cuts @ direction).max() <= (boundary @ direction).max() + 2e-3


def test_bad_input_is_named(fitted):
    model, X = fitted
    with pytest.raises(NotFittedError):
        LinkDisplay.from_estimator(CSP(), X)
    with pytest.raises(ValueError, match=r"X must have shape \(60, 2\) to be drawn"):
        LinkDisplay.from_estimator(model, np.ones((60, 3)))
    with pytest.raises(ValueError, match="constraints speak about 3 samples, X has 2"):
        LinkDisplay([[0, 0], [1, 1]], [0, 1], Constraints(3))
    with pytest.raises(ValueError, match="does not hold 60 nodes"):
        IndicatorDisplay(model.indicator_, shape=(7, 9))
    with pytest.raises(ValueError, match="X or shape, not both"):
        IndicatorDisplay(model.indicator_, X=X, shape=(6, 10))
    with pytest.raises(ValueError, match="one dimension"):
        IndicatorDisplay(np.ones((2, 2)))
    with pytest.raises(ValueError, match="without constraints"):
        NumericalRangeDisplay.from_estimator(CSP(affinity="precomputed").fit(six_node_graph()[0]))


# -- the path and its evidence -------------------------------------------------------------------


@pytest.fixture(scope="module")
def cross_validated():
    X, truth = two_moons(1200, noise=0.15, random_state=0)
    known = Constraints.sample(truth, 60, random_state=0)
    return ConstrainedSpectralClustering(random_state=0).fit(X, constraints=known)


def test_no_chosen_cut_lies_below_the_path(cross_validated):
    display = PathDisplay.from_estimator(cross_validated)
    satisfaction, cost = display.chosen
    assert cost > np.interp(satisfaction, display.curve.satisfaction, display.curve.cost)
    share = cross_validated.report_.satisfaction.share
    assert display.ax_.get_legend_handles_labels()[1] == [f"chosen cut, {share:.1%} met"]
    # The dots carry what the labels meet.
    dots = display.ax_.collections[1]
    np.testing.assert_allclose(dots.get_array(), 100 * display.curve.share)


def test_a_given_multiplier_is_marked_on_the_path(cross_validated):
    model = cross_validated
    known = model.constraints_
    moved = ConstrainedSpectralClustering(threshold=Mu(1.0), random_state=0)
    moved.fit(model._X, constraints=known)
    _, ax = plt.subplots()
    display = PathDisplay.from_estimator(moved, ax=ax)
    assert display.ax_ is ax
    point = moved.path_.at(1.0)
    np.testing.assert_allclose(display.chosen, (point.satisfaction, point.cost))


def test_held_out_curves_show_every_start_and_the_choice(cross_validated):
    display = HeldOutDisplay.from_estimator(cross_validated)
    evidence = cross_validated.cross_validation_
    names = display.ax_.get_legend_handles_labels()[1]
    assert {"from the unconstrained cut", "unconstrained cut", "chosen average"} <= set(names)
    line = display.ax_.lines[0]
    best = max(
        (
            t
            for t in evidence.trials
            if t.candidate.mu == 0 and t.candidate.p == line.get_xdata()[0]
        ),
        key=lambda trial: trial.log_likelihood,
    )
    assert line.get_ydata()[0] == pytest.approx(100 * best.satisfaction)
    assert 0 <= best.error < 0.2


def test_pictures_without_evidence_are_refused(cross_validated):
    X = cross_validated._X
    plain = ConstrainedSpectralClustering(random_state=0).fit(X)
    with pytest.raises(ValueError, match="without constraints: there is no path"):
        PathDisplay.from_estimator(plain)
    with pytest.raises(ValueError, match="held nothing out"):
        HeldOutDisplay.from_estimator(plain)
    few = plain.update(constraints=Constraints.from_pairs([(0, 1)], [(0, 2)], n_samples=1200))
    assert PathDisplay.from_estimator(few).chosen is not None
    with pytest.raises(ValueError, match="too few constraints to hold any out"):
        HeldOutDisplay.from_estimator(few)
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(ConstrainedSpectralClustering())
