"""Pairs of which some are wrong: each is believed as far as the graph and the other pairs do.

A cut is a smooth function on the graph. It cannot tell a node that several pairs name from its
neighbours, and where pairs may be wrong nothing may be kept at any price either. Between the two
stands a model: every node in a pair has a cluster, likely by its logits in the cut, and every pair
is true with a known probability. Belief propagation over the pairs gives the clusters of
those nodes and the probability that a pair is wrong. What it finds out is smoothed over
the graph once, so that nodes learn from neighbours whose pairs were cleared up, and it runs again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, softmax

from sidecut._validation import Float, Int
from sidecut.selection.beliefs import Beliefs
from sidecut.selection.refine import logits
from sidecut.selection.start import roughness

# Trust in the logits of the cut and in what was smoothed, in the second round; the first has only
# the cut. On UCI with a tenth of 400 pairs wrong the clusters are at .91 before, at .93 after the
# first and .937 after the second; twice or half of either costs .003. A third gains nothing.
CUT, SMOOTHED = 0.5, 0.2
# Rounds of messages, and how much of the old ones each keeps; 40 rounds gave the same clusters.
N_ROUNDS, KEPT = 10, 0.3
# Smoothness and ridge that leave-one-out chooses from: eigenvalues over their mean, unit kernel.
SCALES, RIDGES = (0.01, 0.1, 1.0, 10.0), (0.03, 0.1, 0.3, 1.0, 3.0)
# Nobody is surer than this of a smoothed value, or of a pair.
LEAST_ERROR, SUREST = 0.025, 1e-9


@dataclass(frozen=True, eq=False)
class Weighed:
    """What the pairs say together.

    Attributes
    ----------
    coefficients : array of shape (p + 1, n_clusters)
        The cut that has learned from them, for nodes without a pair.
    nodes, labels : arrays of shape (n_named,)
        The nodes named in pairs and their likeliest clusters.
    doubt : array of shape (n_beliefs,)
        Probability that each is wrong.
    """

    coefficients: Float
    nodes: Int
    labels: Int
    doubt: Float


def weigh(rows: Float, values: Float, cut: Float, beliefs: Beliefs, wrong: float) -> Weighed:
    """Find the likeliest clusters of all nodes in pairs, some of which are wrong.

    Parameters
    ----------
    rows : array of shape (n_named, p)
        `sqrt(vol) U` of a spectral basis at the nodes `beliefs.named`.
    values : array of shape (p,)
        The eigenvalues of that basis.
    cut : array of shape (p + 1, n_clusters)
        Coefficients of the logits.
    beliefs : Beliefs
        The pairs; their weights scale the trust in them.
    wrong : float
        Share of those of weight 1 that is wrong, about.
    """
    network = _Network(beliefs, wrong, cut.shape[1])
    prior = logits(rows, cut)
    prior -= prior.mean(axis=1, keepdims=True)
    network.settle(prior)
    smooth = _smoothed(rows, values, network.memberships(prior))
    second = CUT * prior + SMOOTHED * smooth.left_out
    network.settle(second)
    learned = CUT * cut + SMOOTHED * smooth.coefficients
    labels = network.memberships(second).argmax(axis=1)
    return Weighed(learned, beliefs.named, labels, network.doubt(second))


class _Network:
    """The pairs as a graph of messages: what each end hears from the other, without this pair."""

    def __init__(self, beliefs: Beliefs, wrong: float, n_clusters: int) -> None:
        self._place, self._gather = beliefs.ends()
        self._must = np.tile(beliefs.target > 0.5, 2)[:, None]
        # A pair of weight 2 is as wrong as a pair that two said, one of 0.4 as one half sure.
        chance = np.maximum(expit(beliefs.weight * logit(wrong)), SUREST)
        self._wrong = np.tile(chance, 2)[:, None]
        self._heard = np.zeros((len(self._place), n_clusters))

    def settle(self, prior: Float) -> None:
        """Exchange messages until they hardly change, beginning with the last ones."""
        for _ in range(N_ROUNDS):
            others = np.roll(self._without(prior), len(self._place) // 2, axis=0)
            together = self._wrong + (1 - 2 * self._wrong) * others
            fresh = np.log(np.where(self._must, together, 1 - together))
            fresh -= fresh.mean(axis=1, keepdims=True)
            self._heard = KEPT * self._heard + (1 - KEPT) * fresh

    def memberships(self, prior: Float) -> Float:
        """Return the probability of each cluster for each node."""
        return np.asarray(softmax(prior + self._gather @ self._heard, axis=1))

    def doubt(self, prior: Float) -> Float:
        """Return the probability that each pair is wrong."""
        one, two = np.split(self._without(prior), 2)
        same, m = (one * two).sum(axis=1), len(one)
        met, wrong = np.where(self._must[:m, 0], same, 1 - same), self._wrong[:m, 0]
        false, true = wrong * (1 - met), (1 - wrong) * met
        return np.asarray(false / (false + true))

    def _without(self, prior: Float) -> Float:
        """Return the memberships at each end, but for what it hears from this pair."""
        everything = (prior + self._gather @ self._heard)[self._place]
        return np.asarray(softmax(everything - self._heard, axis=1))


@dataclass(frozen=True, eq=False)
class _Smooth:
    """Logits from a ridge regression: of each node without itself, and the coefficients."""

    left_out: Float
    coefficients: Float


def _smoothed(rows: Float, values: Float, memberships: Float) -> _Smooth:
    """Fit smooth functions to the likeliest clusters, each node counting as far as it is sure."""
    n, K = memberships.shape
    sure = np.maximum((memberships.max(axis=1) - 1 / K) / (1 - 1 / K), 1e-3)[:, None]
    goal = np.eye(K)[memberships.argmax(axis=1)] - 1 / K
    rows = np.column_stack([rows, np.ones(n)])
    stiffness = roughness(values)
    best, least = None, np.inf
    for scale in SCALES:
        size = 1 / (1 + stiffness / scale)
        size = np.sqrt(size / size.sum())
        kernel = rows * size
        strengths, directions = np.linalg.eigh(kernel.T @ (sure * kernel))
        turned = kernel @ directions
        aim = turned.T @ (sure * goal)
        for ridge in RIDGES:
            shrunk = aim / (strengths + ridge)[:, None]
            share = sure * (turned**2 @ (1 / (strengths + ridge)))[:, None]
            left_out = (turned @ shrunk - share * goal) / (1 - share)
            error = float((sure * (goal - left_out) ** 2).sum() / sure.sum())
            if error < least:
                least = error
                best = left_out, size[:, None] * (directions @ shrunk)
    assert best is not None
    left_out, coefficients = (part / max(least, LEAST_ERROR) for part in best)
    return _Smooth(left_out, coefficients)
